//go:build unix

package supervise

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/progmon/progmon/policy"
)

// forwarded are the signals that a person sends to the wrapper and means for
// the command.
var forwarded = []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGTSTP, syscall.SIGCONT}

const sigcont = syscall.SIGCONT

func isStop(s syscall.Signal) bool { return s == syscall.SIGTSTP }

func notifyChildren(c chan os.Signal) { signal.Notify(c, syscall.SIGCHLD) }

// stopSelf stops this process as the terminal would have.
func stopSelf() { _ = syscall.Kill(os.Getpid(), syscall.SIGSTOP) }

// isTerminal says that f is a terminal.
func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetInt(int(f.Fd()), unix.TIOCGPGRP)
	return err == nil
}

// foreground gives the terminal to a group.
func foreground(f *os.File, group int) {
	// Whoever is in the background is stopped for trying, unless it ignores that.
	signal.Ignore(syscall.SIGTTOU)
	defer signal.Reset(syscall.SIGTTOU)
	_ = unix.IoctlSetPointerInt(int(f.Fd()), unix.TIOCSPGRP, group)
}

// reclaim takes the terminal back.
func reclaim(f *os.File) { foreground(f, unix.Getpgrp()) }

// suspend lets the shell have the terminal when a person stopped the command
// with Ctrl-Z, and hands it to the command again when told to go on.
func suspend(f *os.File, group int) {
	reclaim(f)
	stopSelf()
	foreground(f, group)
	_ = syscall.Kill(-group, syscall.SIGCONT)
}

// ParseSignal reads a signal as people write it: USR1, SIGUSR1, 10.
func ParseSignal(text string) (syscall.Signal, error) {
	if n, err := strconv.Atoi(text); err == nil {
		if n < 1 || n > 64 {
			return 0, fmt.Errorf("%d is no signal", n)
		}
		return syscall.Signal(n), nil
	}
	name := strings.ToUpper(text)
	if !strings.HasPrefix(name, "SIG") {
		name = "SIG" + name
	}
	if s := unix.SignalNum(name); s != 0 {
		return s, nil
	}
	return 0, fmt.Errorf("%s is no signal: write USR1, or its number", policy.Said(text))
}
