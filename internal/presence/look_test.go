package presence

import (
	"errors"
	"io/fs"
	"strconv"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
)

// planted is a kernel that answers what it is told to.
type planted struct {
	at      place
	shown   status
	hidden  error // what stat says instead
	refused error // what signal says
	thread  bool
	began   time.Time
}

func (p planted) place() place                     { return p.at }
func (p planted) stat(int) (status, error)         { return p.shown, p.hidden }
func (p planted) signal(int) error                 { return p.refused }
func (p planted) leads(int) bool                   { return !p.thread }
func (p planted) started(status) (time.Time, bool) { return p.began, !p.began.IsZero() }

func TestLook(t *testing.T) {
	home := place{machine: "m1", boot: "b1", namespace: "n1"}
	whole := Identity{Machine: "m1", Boot: "b1", Namespace: "n1", PID: 7, Start: 100}
	with := func(change func(*Identity)) Identity {
		id := whole
		change(&id)
		return id
	}
	alive := status{start: 100, threads: 1}
	for _, row := range []struct {
		claim string
		k     planted
		id    Identity
		want  cursor.Presence
	}{
		{"shown, the same start", planted{shown: alive}, whole, cursor.Alive},
		{"shown, but not to be signalled", planted{shown: alive, refused: fs.ErrPermission}, whole, cursor.Alive},
		{"stopped", planted{shown: status{state: stopped, start: 100}}, whole, cursor.Stopped},
		{"a zombie", planted{shown: status{state: zombie, start: 100, threads: 1}}, whole, cursor.Gone},
		{"a first thread that has ended before the others", planted{shown: status{state: zombie, start: 100, threads: 3}}, whole, cursor.Alive},
		{"another start", planted{shown: status{start: 101, threads: 1}}, whole, cursor.Gone},
		{"no entry, no such process", planted{hidden: fs.ErrNotExist, refused: errNoProcess}, whole, cursor.Gone},
		{"no entry, but the signal is refused: hidden", planted{hidden: fs.ErrNotExist, refused: fs.ErrPermission}, whole, cursor.Unknown},
		{"no entry, but it could be signalled", planted{hidden: fs.ErrNotExist}, whole, cursor.Unknown},
		{"an entry that may not be read", planted{hidden: fs.ErrPermission, refused: fs.ErrPermission}, whole, cursor.Unknown},
		{"an entry that makes no sense", planted{hidden: errors.New("garbage")}, whole, cursor.Unknown},
		{"a platform that shows nothing", planted{hidden: errors.ErrUnsupported, refused: errors.ErrUnsupported}, whole, cursor.Unknown},
		{"another boot of this machine", planted{shown: alive}, with(func(id *Identity) { id.Boot = "b0" }), cursor.Gone},
		{"another boot, the number in use by a like process", planted{shown: alive}, with(func(id *Identity) { id.Boot = "b0"; id.Namespace = "n0" }), cursor.Gone},
		{"another machine", planted{shown: alive}, with(func(id *Identity) { id.Boot = "b0"; id.Machine = "m2" }), cursor.Unknown},
		{"another boot, of a machine without a name", planted{shown: alive}, with(func(id *Identity) { id.Boot = "b0"; id.Machine = "" }), cursor.Unknown},
		{"this boot, seen from where the machine has another name", planted{shown: alive}, with(func(id *Identity) { id.Machine = "m2" }), cursor.Alive},
		{"another machine, no boot known", planted{shown: alive}, with(func(id *Identity) { id.Boot = ""; id.Machine = "m2" }), cursor.Unknown},
		{"another namespace", planted{shown: alive}, with(func(id *Identity) { id.Namespace = "n2" }), cursor.Unknown},
		{"another namespace, where the number is free here", planted{hidden: fs.ErrNotExist, refused: errNoProcess}, with(func(id *Identity) { id.Namespace = "n2" }), cursor.Unknown},
		{"a bare number", planted{shown: alive}, Identity{PID: 7}, cursor.Alive},
		{"a bare number that is free", planted{hidden: fs.ErrNotExist, refused: errNoProcess}, Identity{PID: 7}, cursor.Gone},
		{"a bare number of a thread", planted{shown: alive, thread: true}, Identity{PID: 7}, cursor.Gone},
		{"a bare number whose process may not be seen", planted{hidden: fs.ErrNotExist, refused: fs.ErrPermission}, Identity{PID: 7}, cursor.Unknown},
		{"no number", planted{shown: alive}, Identity{}, cursor.Unknown},
		{"a group, to kill(2)", planted{shown: alive}, Identity{PID: -1}, cursor.Unknown},
		{"no number that a kernel gives out", planted{shown: alive}, Identity{PID: 1<<30 + 1}, cursor.Unknown},
	} {
		row.k.at = home
		if got := look(row.k, row.id); got != row.want {
			t.Errorf("%s: look(%+v) = %s, want %s", row.claim, row.id, got, row.want)
		}
	}

	blindfolded := planted{shown: alive}
	if got := look(blindfolded, whole); got != cursor.Unknown {
		t.Errorf("where nothing is known of the place: look = %s, want unknown", got)
	}
}

// A number that is hidden cannot be pinned: who knows whose it is.
func TestOfHiddenProcess(t *testing.T) {
	k := planted{hidden: fs.ErrNotExist, refused: fs.ErrPermission}
	if id, err := of(k, 7); !errors.Is(err, ErrUnknown) {
		t.Errorf("of(a hidden process) = %+v, %v, want ErrUnknown", id, err)
	}
	bare := Identity{PID: 7}
	if got := pin(k, bare); got != bare {
		t.Errorf("pin(a hidden process) = %+v, want it as it was", got)
	}
	k = planted{hidden: errors.ErrUnsupported, refused: errors.ErrUnsupported}
	if id, err := of(k, 7); err != nil || !id.Bare() || id.PID != 7 {
		t.Errorf("of(a process, where nothing is shown) = %+v, %v, want a bare number", id, err)
	}
	if _, err := of(k, 0); !errors.Is(err, ErrGone) {
		t.Errorf("of(0) = %v, want ErrGone", err)
	}
}

func TestSame(t *testing.T) {
	id := Identity{Boot: "b", PID: 7, Start: 3}
	noted := id
	noted.Noted = time.Unix(5, 0)
	if !id.Same(noted) {
		t.Error("when it was noted makes another process of it")
	}
	if bare := (Identity{PID: 7}); bare.Same(bare) {
		t.Error("a bare number is the same as itself, want: who knows")
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

func atoi(t *testing.T, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
