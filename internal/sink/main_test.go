package sink

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/internal/storetest"
	"github.com/progmon/progmon/store"
)

// roleVar has this test program be another process that a test needs.
const roleVar = "PROGMON_SINK_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		if err := roles[role](os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// roles are the other processes.
var roles = map[string]func(args []string) error{}

// trail is a trail with runs r0, r1, …, whose clocks are those of time.Now, in a
// bubble those of the bubble.
type trail struct {
	*store.Store
	t     testing.TB
	path  string
	start time.Time
}

func newTrail(t testing.TB, runs int) *trail {
	t.Helper()
	tr := &trail{t: t, path: filepath.Join(t.TempDir(), "trail.db"), start: time.Now()}
	tr.Store = storetest.OpenAt(t, tr.path, store.WithNow(tr.now))
	for i := range runs {
		_, err := tr.Start(context.Background(), store.Declared{Run: fmt.Sprintf("r%d", i), Family: "nightly", Total: cursor.Total{N: 9, Known: true}})
		if err != nil {
			t.Fatal(err)
		}
	}
	return tr
}

func (tr *trail) now() cursor.Instant {
	now := time.Now()
	return cursor.Instant{Wall: now.UTC(), Mono: time.Hour + now.Sub(tr.start), Boot: "boot"}
}

// open opens the trail once more, as an office does.
func (tr *trail) open(ctx context.Context) (Outbox, error) {
	return store.Open(ctx, tr.path, store.WithNow(tr.now), store.WithExisting())
}

// keep registers a sink.
func (tr *trail) keep(sinks ...string) {
	tr.t.Helper()
	var wants []store.Wanted
	for _, s := range sinks {
		wants = append(wants, store.Wanted{Sink: s})
	}
	if err := tr.KeepFor(context.Background(), "m", wants); err != nil {
		tr.t.Fatal(err)
	}
}

// signal has a look record a signal of each run.
func (tr *trail) signal(kind string, runs ...string) {
	tr.t.Helper()
	ctx := context.Background()
	found, err := tr.Look(ctx, store.Ask{Runs: runs})
	if err != nil {
		tr.t.Fatal(err)
	}
	look := store.Look{Found: found, Monitor: store.MonitorRow{ID: "m", Host: "h", Started: time.Now(), Interval: 5 * time.Second, LateAfter: 15 * time.Second}}
	for i := range found.Runs {
		r := &found.Runs[i]
		state, since := "stalled", r.Reading.Since()
		if kind == "recovered" {
			state, since = "advancing", r.Told[0].Since
		}
		data, err := json.Marshal(map[string]any{"state": state, "detail": "detail of " + r.Reading.Run, "position": r.Reading.Position, "total": 9, "silence_s": 900})
		if err != nil {
			tr.t.Fatal(err)
		}
		look.Judged = append(look.Judged, store.Judged{Run: r, Changed: true, Verdict: store.Memory{State: state, Since: since},
			Signals: []store.Signal{{Kind: "signal." + kind, Epoch: 1, Since: since, Reason: "quiet", Data: data}}})
	}
	if err := tr.RecordLook(ctx, &look); err != nil {
		tr.t.Fatal(err)
	}
	for _, j := range look.Judged {
		if j.Signals[0].Event == 0 {
			tr.t.Fatalf("%s of %s was not recorded", kind, j.Run.Reading.Run)
		}
	}
}

func (tr *trail) advance(run string) {
	tr.t.Helper()
	if _, err := tr.Run(run, 1).Complete(context.Background(), store.Pos(9)); err != nil {
		tr.t.Fatal(err)
	}
}

// states counts the deliveries by state.
func (tr *trail) states() map[string]int {
	tr.t.Helper()
	rows, err := tr.Outbox(context.Background(), store.OutboxFilter{All: true})
	if err != nil {
		tr.t.Fatal(err)
	}
	states := map[string]int{}
	for _, d := range rows {
		states[d.State]++
	}
	return states
}

// place is a sink with its sender.
func place(name string, sender Sender) Place {
	return Place{Sink: policyfile.Sink{Name: name, Type: "webhook", Deadline: 10 * time.Second}, Sender: sender}
}

// office delivers to places until the returned function is called.
func (tr *trail) office(places ...Place) (o *Office, stop func()) {
	o = &Office{OpenOutbox: tr.open, Monitor: "m", Places: places, Source: "trail.db", BlindRepeat: 5 * time.Minute}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.Run(ctx)
	}()
	return o, func() {
		cancel()
		<-done
	}
}
