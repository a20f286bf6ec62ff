package supervise

import (
	"golang.org/x/sys/unix"
)

// processes reads the process table.
func processes() ([]Process, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	const zombie = 5 // SZOMB of <sys/proc.h>
	table := make([]Process, 0, len(all))
	for _, k := range all {
		p := Process{PID: int(k.Proc.P_pid), Parent: int(k.Eproc.Ppid), Group: int(k.Eproc.Pgid),
			Command: unix.ByteSliceToString(k.Proc.P_comm[:])}
		if k.Proc.P_stat == zombie {
			p.State = "Z"
		}
		table = append(table, p)
	}
	return table, nil
}
