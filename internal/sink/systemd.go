package sink

import (
	"net"
	"os"
	"strings"
	"time"

	"github.com/progmon/progmon/internal/watch"
)

// Systemd tells the service manager that started this process how it fares:
// READY=1 at the first look that saw and was put on record, WATCHDOG=1 at each
// of them, and STATUS= in words at each change. A monitor that goes blind feeds
// no watchdog: with WatchdogSec= in its unit, it is started again.
type Systemd struct {
	socket string
	ready  bool
	status string
}

// NewSystemd is for the manager at the socket that NOTIFY_SOCKET names, nil
// where there is none. The variable is for this process and none that it starts.
func NewSystemd(getenv func(string) string) *Systemd {
	socket := getenv("NOTIFY_SOCKET")
	if socket == "" || socket[0] != '/' && socket[0] != '@' {
		return nil
	}
	_ = os.Unsetenv("NOTIFY_SOCKET") // never fails for a name without =
	return &Systemd{socket: socket}
}

// Heard is told of every look. Who started us may not listen: that is no fault
// of a look.
func (s *Systemd) Heard(r watch.Report) {
	if s == nil {
		return
	}
	var lines []string
	status := "looking"
	switch {
	case r.Blind != nil:
		status = "BLIND: " + clean(r.Blind.Reason)
	case r.Unrecorded != nil:
		status = "looks cannot be put on record: " + clean(r.Unrecorded.Error())
	default:
		if !s.ready {
			s.ready = true
			lines = append(lines, "READY=1")
		}
		lines = append(lines, "WATCHDOG=1")
	}
	if status != s.status {
		s.status = status
		lines = append(lines, "STATUS="+status)
	}
	s.notify(lines)
}

// Stopping says that the monitor ends on purpose.
func (s *Systemd) Stopping() {
	if s != nil {
		s.notify([]string{"STOPPING=1"})
	}
}

// notifyTakes is how long a look waits for a manager whose queue is full.
const notifyTakes = 20 * time.Millisecond

func (s *Systemd) notify(lines []string) {
	if len(lines) == 0 {
		return
	}
	name := s.socket
	if name[0] == '@' {
		name = "\x00" + name[1:]
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: name, Net: "unixgram"})
	if err != nil {
		return
	}
	_ = c.SetWriteDeadline(time.Now().Add(notifyTakes)) // never fails for a socket
	_, _ = c.Write([]byte(strings.Join(lines, "\n")))   // see Heard
	_ = c.Close()
}
