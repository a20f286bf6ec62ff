package rundir

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// Beat says that the wrapper's loop was scheduled at this wall time, and no
// more than that: it is no sign of the command. It is cheap and not durable;
// on a full disk it goes on, since it takes no room.
func (d *Dir) Beat(at time.Time) error {
	line := fmt.Appendf(nil, "%013d\n", at.UnixMilli())
	f, _, err := d.open(HeartbeatFile, os.O_WRONLY)
	if errors.Is(err, ErrAbsent) {
		return d.lay(HeartbeatFile, line)
	}
	if err == nil {
		_, err = f.WriteAt(line, 0)
		err = errors.Join(err, f.Close())
	}
	return classify("write", d.File(HeartbeatFile), err)
}

// Heartbeat is when the wrapper, or whoever touches the file, last beat: the
// time of the file, by the wall clock. It may lie in the future. Zero: never.
func (r *Reader) Heartbeat() time.Time { return r.modified(HeartbeatFile) }
