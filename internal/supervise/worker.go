package supervise

import (
	"errors"
	"os"
	"syscall"
	"time"

	"github.com/progmon/progmon/internal/rundir"
	"github.com/progmon/progmon/policy"
)

// worker is the process of one epoch, and what its parent does about it.
type worker struct {
	sequel
	w        *Wrapper
	child    *child
	ladder   ladder
	terminal bool

	verdict policy.Verdict // the last one, when there was one
	sight   bool
	fenced  bool

	asked     string // who asked for the end: user or supervisor; empty: nobody
	forwarded map[syscall.Signal]bool
	deadline  <-chan time.Time // after TERM, until KILL
	doomed    bool             // terminated once the evidence is kept
}

// stay is with the child until it is reaped: it forwards signals, beats, looks,
// and does what the ladder says. It gives the exit record and the exit status
// as a shell shows it.
func (k *worker) stay() (rundir.Exit, int) {
	w := k.w
	beat := time.NewTicker(w.Interval)
	defer beat.Stop()
	k.forwarded = map[syscall.Signal]bool{}
	for !k.child.ended() {
		select {
		case <-w.chld:
			reapOrphans(k.mine)
			if k.terminal && k.child.stopped() {
				suspend(w.Stdin, k.child.pid)
			}
		case s := <-w.signals:
			k.forward(s)
		case <-w.asks:
			k.hear()
		case <-beat.C:
			w.beat()
			k.hear()
		case l := <-w.clerk.looks:
			k.look(l)
		case <-w.evidence.kept:
			w.evidence.over()
			if k.doomed {
				k.end("supervisor", w.Policy.KillGrace)
			}
		case <-k.deadline:
			k.deadline = nil
			k.signal(syscall.SIGKILL)
		}
	}
	w.evidence.cancel()
	if k.terminal {
		reclaim(w.Stdin)
	}
	return k.leave()
}

// mine says that somebody waits for a child: its status is not to be taken.
func (k *worker) mine(pid int) bool { return pid == k.child.pid || k.w.helpers.has(pid) }

// leave takes the child's status, once the group is as empty as it must be.
func (k *worker) leave() (rundir.Exit, int) {
	w := k.w
	if k.asked != "" || k.mayContinue() {
		k.clear()
	}
	s, err := k.child.reap()
	if err != nil {
		w.teller.say("the exit status was lost: %v", err)
		s = status{code: 125, at: time.Now()}
	}
	exit := rundir.Exit{Code: s.code, Signal: s.signal, Epoch: k.epoch, AskedBy: k.asked, Ended: s.at}
	if exit.AskedBy == "" {
		exit.AskedBy = "worker"
		if k.wanted(s) {
			exit.AskedBy = "user"
		}
	}
	if exit.Left = k.survivors(); len(exit.Left) > 0 {
		w.teller.say("left behind: %s", describe(exit.Left))
	}
	return exit, s.shell()
}

// wanted says that the end is what a person sent a signal for.
func (k *worker) wanted(s status) bool {
	return k.forwarded[syscall.SIGTERM] || k.forwarded[syscall.SIGINT] || k.forwarded[syscall.SIGQUIT] ||
		s.signal != 0 && k.forwarded[syscall.Signal(s.signal)]
}

// mayContinue says that another worker may follow this one, so that nobody of
// the old group may live on beside it.
func (k *worker) mayContinue() bool {
	return k.w.Policy.AutoRespawn && len(k.forwarded) == 0
}

// clear empties the group, which is still the child's own: TERM, grace, KILL.
func (k *worker) clear() {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	if k.deadline == nil && k.alone() {
		return
	}
	if k.asked == "" {
		k.signal(syscall.SIGTERM)
		k.deadline = time.After(k.w.Policy.KillGrace)
	} else if k.deadline == nil { // KILL was sent
		k.signal(syscall.SIGKILL)
	}
	lost := time.After(k.w.Policy.KillGrace + killPatience)
	for !k.alone() {
		select {
		case <-k.w.chld:
			reapOrphans(k.mine)
		case <-again.C:
		case <-k.deadline:
			k.deadline = nil
			k.signal(syscall.SIGKILL)
		case <-lost:
			return
		}
	}
}

// killPatience is how long a process may take to die of KILL: one that hangs
// in the kernel takes for ever.
const killPatience = 5 * time.Second

// alone says that nobody of the group lives. Where the process table cannot be
// read that cannot be known, and the kernel is left to its work.
func (k *worker) alone() bool {
	table, err := processes()
	return err != nil || len(members(table, k.child.pid)) == 0
}

// survivors are who outlived the child. What is about to end is given a moment.
func (k *worker) survivors() []rundir.Leftover {
	again := time.NewTicker(20 * time.Millisecond)
	defer again.Stop()
	var left []rundir.Leftover
	for range 10 {
		reapOrphans(k.w.helpers.has)
		if childless() {
			return nil
		}
		table, err := processes()
		if err != nil {
			return nil
		}
		left = nil
		for _, p := range offspring(table, os.Getpid(), k.child.pid) {
			if !k.w.helpers.has(p.PID) {
				left = append(left, rundir.Leftover{PID: p.PID, Command: p.Command})
			}
		}
		if len(left) == 0 {
			return nil
		}
		<-again.C
	}
	return left
}

// forward gives the group a signal that the wrapper was sent.
func (k *worker) forward(s os.Signal) {
	sig := s.(syscall.Signal)
	k.forwarded[sig] = true
	k.signal(sig)
	if isStop(sig) {
		delete(k.forwarded, sig)
		stopSelf() // until CONT, which comes here too
	}
	if sig == syscall.SIGTERM || sig == syscall.SIGINT || sig == syscall.SIGHUP {
		k.signal(sigcont) // so that one who was stopped can obey
	}
	delete(k.forwarded, sigcont)
}

func (k *worker) signal(sig syscall.Signal) {
	if err := k.child.signal(sig); err != nil {
		k.w.teller.once("signal", "signal %d was not delivered to the group of %d: %v", int(sig), k.child.pid, err)
	}
}

// hear reads a request to stop that lies in the directory.
func (k *worker) hear() {
	s, err := k.w.Dir.ReadStop()
	switch {
	case errors.Is(err, rundir.ErrAbsent), err == nil && s.Epoch != 0 && s.Epoch != k.epoch:
	case err != nil:
		k.w.teller.once("stop", "a request to stop cannot be read: %v", err)
	default:
		by := "user"
		if s.By == "supervisor" {
			by = s.By
		}
		grace := s.Grace()
		if grace <= 0 {
			grace = k.w.Policy.KillGrace
		}
		k.end(by, grace)
	}
}

// end asks the group to end, and sees to it that it does: TERM now, KILL when
// the grace is over. A later request changes nothing.
func (k *worker) end(by string, grace time.Duration) {
	if k.asked != "" {
		return
	}
	k.asked, k.doomed = by, false
	k.signal(syscall.SIGTERM)
	k.signal(sigcont)
	k.deadline = time.After(grace)
}
