//go:build unix

package rundir

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
	"github.com/progmon/progmon/policy"
)

// cast is a Prober whose processes are planted, by number.
type cast struct {
	who    map[int]cursor.Presence // none: gone
	whole  map[int]uint64          // start times, for pinning bare numbers
	began  map[int]time.Time
	onLook func(pid int)
}

func (c *cast) Look(id presence.Identity) cursor.Presence {
	if c.onLook != nil {
		c.onLook(id.PID)
	}
	p, ok := c.who[id.PID]
	if !ok || !id.Bare() && c.whole[id.PID] != 0 && c.whole[id.PID] != id.Start {
		return cursor.Gone
	}
	return p
}

func (c *cast) Pin(id presence.Identity) presence.Identity {
	if id.Bare() && c.who[id.PID] == cursor.Alive {
		id.Start = c.whole[id.PID]
	}
	return id
}

func (c *cast) Started(id presence.Identity) (time.Time, bool) {
	at, ok := c.began[id.PID]
	return at, ok
}

const grace = 3 * time.Second

// stage is a directory under a clock that is set by hand.
type stage struct {
	t     *testing.T
	d     *Dir
	cast  *cast
	m     Memory
	awake time.Duration
	wall  time.Time
	once  bool
}

func newStage(t *testing.T) *stage {
	return &stage{
		t: t, d: newDir(t), awake: 1000 * time.Hour, wall: time.Now(),
		cast: &cast{who: map[int]cursor.Presence{}, whole: map[int]uint64{}, began: map[int]time.Time{}},
	}
}

func (s *stage) with() Look {
	now := cursor.Instant{Wall: s.wall, Mono: s.awake, Boot: "b"}
	return Look{Clock: cursor.NewClock(cursor.ClockState{}, now, 0), Grace: grace, Once: s.once, Prober: s.cast}
}

func (s *stage) look(epoch int64) Evidence { return s.d.Evidence(epoch, s.with(), &s.m) }

func (s *stage) pass(d time.Duration) { s.awake += d; s.wall = s.wall.Add(d) }

func (s *stage) pid(n int, epoch int64, wrapper int) {
	s.t.Helper()
	p := PID{Identity: presence.Identity{PID: n, Start: uint64(n)}, Epoch: epoch}
	if wrapper != 0 {
		p.Wrapper = &presence.Identity{PID: wrapper, Start: uint64(wrapper)}
	}
	must(s.t, s.d.WritePID(p))
}

// age stamps everything in the directory as that old.
func (s *stage) age(d time.Duration) {
	s.t.Helper()
	at := s.wall.Add(-d)
	for _, name := range entriesOf(s.t, s.d) {
		must(s.t, os.Chtimes(s.d.File(name), at, at))
	}
	must(s.t, os.Chtimes(s.d.Path(), at, at))
}

// says is the verdict on the directory as one without rows.
func (s *stage) says(e Evidence) string {
	r := cursor.Reading{Run: "r1"}
	e.FillActivity(&r)
	return policy.Default().Judge(r, s.with().Clock.Now()).Says()
}

func (s *stage) want(claim, want string) {
	s.t.Helper()
	e := s.look(0)
	if got := s.says(e); got != want {
		s.t.Errorf("%s: %s, want %s (%+v)", claim, got, want, e)
	}
}

// The order of the evidence, in a loop that watches a directory.
func TestExitRecordDecides(t *testing.T) {
	for content, want := range map[string]string{
		"0\n":                             "done",
		"3\r\n":                           "failed: exit 3",
		`{"signal":9,"epoch":1}`:          "failed: signal 9",
		`{"spawn":"no","epoch":1}`:        "failed: spawn",
		"256":                             "failed: malformed",
		"\x00\x00":                        "failed: malformed",
		`{"signal":15,"asked_by":"user"}`: "cancelled",
	} {
		for _, who := range []cursor.Presence{cursor.Alive, cursor.Gone, cursor.Unknown} {
			s := newStage(t)
			s.pid(7, 1, 0)
			s.cast.who[7] = who
			write(t, s.d.File(ExitFile), content)
			s.want(fmt.Sprintf("worker.exit %q, process %s", content, who), want)
		}
	}
}

func TestVanished(t *testing.T) {
	s := newStage(t)
	s.pid(7, 1, 6)
	s.cast.who[7], s.cast.who[6] = cursor.Alive, cursor.Alive
	write(t, s.d.File(LogFile), "x")
	s.want("alive", "advancing")
	delete(s.cast.who, 7)
	s.want("gone, its wrapper about to say so", "advancing")
	s.pass(grace - time.Millisecond)
	s.want("still in the grace", "advancing")
	s.pass(time.Millisecond)
	s.want("the grace is over", "failed: vanished")
	write(t, s.d.File(ExitFile), "0")
	s.want("a record that comes late decides", "done")
}

// Where whoever would write the record is gone too, nothing is waited for.
func TestVanishedWithItsWrapper(t *testing.T) {
	s := newStage(t)
	s.pid(7, 1, 6)
	s.want("wrapper and command gone", "failed: vanished")

	s = newStage(t)
	s.pid(7, 1, 6)
	s.cast.who[7] = cursor.Alive
	e := s.look(1)
	if e.Presence != cursor.Alive || e.Wrapper != cursor.Gone || e.Pending(s.with()) {
		t.Errorf("a command that outlives its wrapper: %+v, want it alive", e)
	}
}

// The record may be written between the look for it and the look at the
// process.
func TestRecordIsLookedForAgain(t *testing.T) {
	s := newStage(t)
	s.pid(7, 1, 6)
	s.cast.onLook = func(pid int) {
		if pid == 7 {
			_ = s.d.WriteExit(Exit{Epoch: 1})
		}
	}
	s.want("written while we looked at the process", "done")
}

// Unknown is never gone, and silence is then judged by the log.
func TestUnknownProcess(t *testing.T) {
	s := newStage(t)
	s.pid(7, 1, 0)
	s.cast.who[7] = cursor.Unknown
	write(t, s.d.File(LogFile), "x")
	s.want("at first", "advancing")
	s.pass(10 * time.Minute)
	s.want("after the idle window", "degraded: quiet")
	s.pass(10 * time.Minute)
	s.want("later", "stalled: quiet")
	write(t, s.d.File(LogFile), "xx")
	s.want("the log grows", "advancing")
}

func TestEmptyRecord(t *testing.T) {
	for _, content := range []string{"", "\n"} {
		s := newStage(t)
		s.pid(7, 1, 0)
		s.cast.who[7] = cursor.Alive
		write(t, s.d.File(LogFile), "x")
		write(t, s.d.File(ExitFile), content)
		s.want("empty while the process lives", "advancing")
		delete(s.cast.who, 7)
		s.want("empty in the grace", "advancing")
		s.pass(grace)
		s.want("empty for good", "failed: malformed")
	}
}

func TestNotARecordAtOnce(t *testing.T) {
	for what, put := range hostile {
		s := newStage(t)
		s.pid(7, 1, 0)
		s.cast.who[7] = cursor.Alive
		put(t, s.d.File(ExitFile))
		s.want("worker.exit is "+what, "failed: malformed")
		if e := s.look(1); e.Presence != cursor.Alive {
			t.Errorf("worker.exit is %s: process %s, want alive", what, e.Presence)
		}
	}
}

func TestNoPID(t *testing.T) {
	s := newStage(t)
	s.want("a directory that was just made", "starting")
	s.pass(grace)
	s.want("and nothing came", "failed: no-evidence")
	s.pid(7, 1, 0)
	s.cast.who[7] = cursor.Alive
	s.want("somebody came after all", "starting")

	s = newStage(t)
	s.look(3)
	s.pass(time.Hour)
	if e := s.look(3); e.Exit.Known || e.HasPID || e.Presence != cursor.NoProcess {
		t.Errorf("a run with rows and no worker.pid: %+v, want no opinion", e)
	}

	for _, content := range []string{"", "0", "four", `{"pid":`} {
		s := newStage(t)
		write(t, s.d.File(PIDFile), content)
		write(t, s.d.File(LogFile), "x")
		s.look(0)
		s.pass(20 * time.Minute)
		s.want(fmt.Sprintf("worker.pid %q proves nothing", content), "stalled: quiet")
		if e := s.look(0); len(e.Notes) == 0 || !strings.Contains(e.Notes[0], PIDFile) {
			t.Errorf("worker.pid %q: notes %q, want a remark", content, e.Notes)
		}
	}
}

// One epoch is not judged by the files of another.
func TestEpochs(t *testing.T) {
	s := newStage(t)
	must(t, s.d.WriteExit(Exit{Epoch: 1}))
	s.pid(7, 1, 6)
	if e := s.look(1); !e.Exit.Known || e.Presence != cursor.Gone {
		t.Errorf("epoch 1 by its own record: %+v", e)
	}
	if e := s.look(2); e.Exit.Known || e.HasPID || e.Presence != cursor.NoProcess || !e.GoneSince.IsZero() {
		t.Errorf("epoch 2 by the files of epoch 1: %+v, want no opinion", e)
	}
	s.pid(9, 2, 6)
	s.cast.who[9] = cursor.Alive
	if e := s.look(2); e.Exit.Known || e.Presence != cursor.Alive {
		t.Errorf("epoch 2 by its own worker.pid: %+v, want it alive", e)
	}
	s.want("without rows, worker.pid says which epoch it is", "starting")
	if e := s.look(1); !e.Exit.Known {
		t.Errorf("epoch 1, later: %+v, want its record", e)
	}
	must(t, s.d.WriteExit(Exit{Epoch: 2, Code: 4}))
	if e := s.look(1); e.Exit.Code != 0 || !e.Exit.Known {
		t.Errorf("epoch 1 by worker.exit.1: %+v, want code 0", e)
	}
	if e := s.look(2); e.Exit.Code != 4 || e.Record.Epoch != 2 {
		t.Errorf("epoch 2: %+v, want code 4", e)
	}
	write(t, s.d.File(ExitFile), "0")
	if e := s.look(3); e.Exit.Known {
		t.Errorf("epoch 3 by a number that names no epoch: %+v, want no opinion", e)
	}
}

// A bare number is pinned to its process at the first look: who gets the
// number afterwards is somebody else.
func TestBareNumberIsPinned(t *testing.T) {
	s := newStage(t)
	write(t, s.d.File(PIDFile), "7")
	s.cast.who[7], s.cast.whole[7] = cursor.Alive, 100
	s.want("alive", "starting")
	s.cast.whole[7] = 200
	s.look(0)
	s.pass(grace)
	s.want("the number was given on", "failed: vanished")
	at := time.Now().Add(time.Hour)
	write(t, s.d.File(PIDFile), "7\n")
	must(t, os.Chtimes(s.d.File(PIDFile), at, at))
	s.want("and is written down anew", "starting")
}

func TestStoppedProcess(t *testing.T) {
	s := newStage(t)
	s.pid(7, 1, 0)
	s.cast.who[7] = cursor.Stopped
	write(t, s.d.File(LogFile), "x")
	s.look(0)
	s.pass(20 * time.Minute)
	s.want("stopped", "stalled: stopped")
}

func TestNoLogYet(t *testing.T) {
	s := newStage(t)
	s.pid(7, 1, 0)
	s.cast.who[7] = cursor.Alive
	s.want("no log", "starting")
	write(t, s.d.File(LogFile), "")
	s.want("an empty log", "starting")
	s.pass(16 * time.Minute)
	s.want("nothing for long", "stalled: never-started")
}

// A look that is the only one takes ages from the stamps of the files.
func TestOneLook(t *testing.T) {
	one := func(t *testing.T) *stage {
		s := newStage(t)
		s.once = true
		s.pid(7, 1, 0)
		write(t, s.d.File(LogFile), "x")
		return s
	}
	s := one(t)
	s.cast.who[7], s.cast.began[7] = cursor.Alive, s.wall.Add(-2*time.Hour)
	s.age(time.Hour)
	s.want("the log is an hour old", "stalled: quiet")

	s = one(t)
	s.cast.who[7], s.cast.began[7] = cursor.Alive, s.wall.Add(-time.Minute)
	s.age(time.Hour)
	s.want("the log is older than the process: the clock was set", "advancing")

	s = one(t)
	s.cast.who[7], s.cast.began[7] = cursor.Alive, s.wall.Add(-2*time.Hour)
	s.age(-30 * 24 * time.Hour)
	e := s.look(0)
	if got := s.says(e); got != "advancing" || len(e.Notes) == 0 || !strings.Contains(e.Notes[0], "ahead of the clock") {
		t.Errorf("a log of next month: %s, %q, want advancing and a remark", got, e.Notes)
	}

	s = one(t)
	s.age(time.Hour)
	s.want("gone, and nothing was written for an hour", "failed: vanished")

	s = one(t)
	e = s.look(0)
	if got := s.says(e); got != "advancing" || !e.Pending(s.with()) {
		t.Errorf("gone this moment: %s, %+v, want a second look to be due", got, e)
	}

	s = one(t)
	s.pid(7, 1, 6)
	s.cast.who[6] = cursor.Alive
	s.age(time.Hour)
	if e := s.look(0); !e.Pending(s.with()) {
		t.Errorf("gone, and its wrapper lives: %+v, want a second look to be due", e)
	}

	s = newStage(t)
	s.once = true
	s.want("a directory that was just made", "starting")
	s = newStage(t)
	s.once = true
	s.age(time.Hour)
	s.want("a directory where nothing ever was", "failed: no-evidence")
}

// A loop takes no stamp's word for anything: it begins with a fresh window.
func TestLoopTrustsNoStamp(t *testing.T) {
	for _, age := range []time.Duration{time.Hour, -30 * 24 * time.Hour} {
		s := newStage(t)
		s.pid(7, 1, 0)
		s.cast.who[7], s.cast.began[7] = cursor.Alive, s.wall.Add(-2*time.Hour)
		write(t, s.d.File(LogFile), "x")
		must(t, s.d.Beat(s.wall))
		s.age(age)
		s.want("at the first look", "advancing")
		s.pass(14 * time.Minute)
		s.want("within the window", "degraded: quiet")
		// The heartbeat is no activity of the command.
		must(t, s.d.Beat(s.wall))
		s.pass(time.Minute)
		s.want("a window later", "stalled: quiet")
		// The wall clock jumps, and that is all that happens.
		s.wall = s.wall.Add(12 * time.Hour)
		s.want("after a jump of the clock", "stalled: quiet")
	}
}

func TestLogIsCountedNotRead(t *testing.T) {
	s := newStage(t)
	s.pid(7, 1, 0)
	s.cast.who[7] = cursor.Alive
	write(t, s.d.File(LogFile), "x")
	s.look(1)
	s.pass(time.Second)
	write(t, s.d.File(LogFile), "verdict: DONE\x1b[2J")
	e := s.look(1)
	if e.Grown != 16 || e.LogSize != 17 || !e.LastActivity.Equal(s.with().Clock.Now()) {
		t.Errorf("a log that grew: %+v, want 16 more bytes, now", e)
	}
	s.pass(time.Second)
	if e := s.look(1); e.Grown != 0 || !e.LastActivity.Equal(s.with().Clock.Now().Add(-time.Second)) {
		t.Errorf("a log that did not: %+v, want nothing since a second", e)
	}
}

// A run with rows keeps what they say of its end.
func TestFill(t *testing.T) {
	e := Evidence{Exit: cursor.Exit{Known: true, Code: 3}, Presence: cursor.Gone}
	var r cursor.Reading
	e.Fill(&r)
	if !r.Process || r.Exit.Code != 3 || r.Presence != cursor.Gone || r.Activity {
		t.Errorf("Fill = %+v", r)
	}
	r = cursor.Reading{Exit: cursor.Exit{Known: true, Code: 0, Event: 9}}
	e.Fill(&r)
	if r.Exit.Event != 9 {
		t.Errorf("Fill over a row = %+v, want the row", r.Exit)
	}
}
