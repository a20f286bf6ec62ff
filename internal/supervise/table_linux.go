package supervise

import (
	"bytes"
	"os"
	"strconv"
	"strings"
)

// processes reads the process table. What ends while it is read is left out.
func processes() ([]Process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var table []Process
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		if p, ok := process(pid); ok {
			table = append(table, p)
		}
	}
	return table, nil
}

// process reads one line of the table.
func process(pid int) (Process, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return Process{}, false
	}
	// The name stands in brackets and may hold any byte, brackets too.
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if open < 0 || end < open {
		return Process{}, false
	}
	rest := strings.Fields(string(text[end+1:]))
	if len(rest) < 3 {
		return Process{}, false
	}
	parent, err1 := strconv.Atoi(rest[1])
	group, err2 := strconv.Atoi(rest[2])
	if err1 != nil || err2 != nil {
		return Process{}, false
	}
	return Process{PID: pid, Parent: parent, Group: group, Command: string(text[open+1 : end]), State: rest[0]}, true
}
