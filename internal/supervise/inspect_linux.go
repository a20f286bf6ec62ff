package supervise

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxFiles is how many open files of a process are named.
const maxFiles = 200

func proc(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

// examine fills in what the kernel tells of a process at one time.
func (p *seen) examine(full bool) {
	if text, err := os.ReadFile(proc(p.PID, "wchan")); err == nil && string(text) != "0" {
		p.WaitsIn = string(text)
	}
	if full {
		if text, err := os.ReadFile(proc(p.PID, "cmdline")); err == nil {
			p.Arguments = strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
		}
	}
	entries, err := os.ReadDir(proc(p.PID, "fd"))
	if err != nil {
		return
	}
	sockets := socketsOf(p.PID)
	reads := readsFrom(p.PID)
	for _, entry := range entries {
		target, err := os.Readlink(proc(p.PID, "fd/"+entry.Name()))
		if err != nil {
			continue
		}
		if entry.Name() == reads && isTerminalName(target) {
			p.Terminal = true
		}
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			inode = strings.TrimSuffix(inode, "]")
			p.Sockets = append(p.Sockets, entry.Name()+" "+orElse(sockets[inode], target))
		} else if len(p.Files) < maxFiles {
			p.Files = append(p.Files, entry.Name()+" "+target)
		}
	}
	p.Terminal = p.Terminal || strings.Contains(p.WaitsIn, "tty_read")
}

func orElse(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func isTerminalName(name string) bool {
	return strings.HasPrefix(name, "/dev/pts/") || strings.HasPrefix(name, "/dev/tty") || name == "/dev/console"
}

// readsFrom is the file that a process is blocked reading from, by its number;
// empty when it is not, or when that may not be known.
func readsFrom(pid int) string {
	text, err := os.ReadFile(proc(pid, "syscall"))
	fields := strings.Fields(string(text))
	if err != nil || len(fields) < 2 || !slices.Contains(readCalls, fields[0]) {
		return ""
	}
	fd, err := strconv.ParseUint(strings.TrimPrefix(fields[1], "0x"), 16, 32)
	if err != nil {
		return ""
	}
	return strconv.FormatUint(fd, 10)
}

// readCalls are the numbers of read(2) on amd64 and arm64.
var readCalls = []string{"0", "63"}

// usageOf is what a process has used so far.
func usageOf(pid int) (u usage) {
	if text, err := os.ReadFile(proc(pid, "stat")); err == nil {
		fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
		if len(fields) > 12 {
			user, err1 := strconv.ParseInt(fields[11], 10, 64)
			system, err2 := strconv.ParseInt(fields[12], 10, 64)
			// The kernel tells these to user space in hundredths of a second.
			u.cpu, u.cpuKnown = time.Duration(user+system)*10*time.Millisecond, err1 == nil && err2 == nil
		}
	}
	text, err := os.ReadFile(proc(pid, "io"))
	if err != nil {
		return u
	}
	u.ioKnown = true
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		n, err := strconv.ParseInt(value, 10, 64)
		switch {
		case err != nil:
		case name == "rchar":
			u.read = n
		case name == "wchar":
			u.written = n
		}
	}
	return u
}

// socketsOf names the sockets of the network namespace of a process by their
// inodes.
func socketsOf(pid int) map[string]string {
	found := map[string]string{}
	for _, table := range []string{"tcp", "tcp6", "udp", "udp6"} {
		f, err := os.Open(proc(pid, "net/"+table))
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() && len(found) < 10_000 {
			fields := strings.Fields(lines.Text())
			if len(fields) < 10 || fields[0] == "sl" {
				continue
			}
			found[fields[9]] = fmt.Sprintf("%s %s > %s %s", table, address(fields[1]), address(fields[2]), tcpState(fields[3]))
		}
		f.Close()
	}
	return found
}

// address reads an address as the kernel prints it: words of four bytes in the
// machine's order, which is the lowest byte first here, then the port.
func address(text string) string {
	host, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(host)
	if err != nil || len(raw)%4 != 0 {
		return text
	}
	for i := 0; i < len(raw); i += 4 {
		slices.Reverse(raw[i : i+4])
	}
	addr, ok := netip.AddrFromSlice(raw)
	n, err := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil {
		return text
	}
	return netip.AddrPortFrom(addr.Unmap(), uint16(n)).String()
}

func tcpState(code string) string {
	names := map[string]string{"01": "established", "02": "syn-sent", "03": "syn-received", "04": "fin-wait-1", "05": "fin-wait-2",
		"06": "time-wait", "07": "close", "08": "close-wait", "09": "last-ack", "0A": "listen", "0B": "closing"}
	return orElse(names[code], code)
}
