package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

// quick is a policy of fractions of a second.
const quick = `[default]
idle_window = "150ms"
stall_after = "300ms"
escalate_after = "1h"
start_within = "150ms"
exit_grace = "1s"
checkpoint_interval = "60ms"
`

// program runs the binary under test and gives what it printed and its exit
// code.
func program(t *testing.T, args ...string) (stdout string, code int) {
	t.Helper()
	var out, errOut bytes.Buffer
	cmd := exec.Command("progmon", args...)
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), exit.ExitCode()
	}
	if err != nil {
		t.Fatalf("progmon %q: %v, %s", args, err, &errOut)
	}
	return out.String(), 0
}

// pause is for instants of a kill that are chosen at random, and between looks
// at other processes, of which nothing here is told.
func pause(d time.Duration) { <-time.After(d) }

// TestEachEpisodeIsToldOnceWhateverKillsTheMonitor kills real monitors 300
// times at random instants, two at a time, while workers stall and recover. Each
// signal is recorded once, and reaches a webhook at least once; a repeat, under
// the same name, is the work of a kill.
func TestEachEpisodeIsToldOnceWhateverKillsTheMonitor(t *testing.T) {
	const lanes, kills, workers = 2, 150, 6
	ctx := context.Background()
	dir := t.TempDir()
	db, policy, binary := filepath.Join(dir, "trail.db"), filepath.Join(dir, "policy.toml"), shipped(t)
	var mu sync.Mutex
	arrived := map[string]int{} // by the name of the message
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		arrived[r.Header.Get("webhook-id")]++
	}))
	defer server.Close()
	hook := fmt.Sprintf("[sink.page]\ntype = \"webhook\"\nurl = %q\ndeadline = \"1s\"\n", server.URL)
	if err := os.WriteFile(policy, []byte(quick+hook), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(ctx, db)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var working, killing sync.WaitGroup
	for i := range workers {
		r, err := s.Start(ctx, store.Declared{Run: fmt.Sprintf("run-%d", i), Total: cursor.Total{Open: true}})
		if err != nil {
			t.Fatal(err)
		}
		working.Go(func() {
			for pos := int64(1); ; pos++ {
				if _, err := r.Complete(ctx, store.Pos(pos)); err != nil {
					t.Errorf("step %d of %s: %v", pos, r.ID(), err)
					return
				}
				// Now a brisk step, now a silence that must be told.
				quiet := time.Duration(rand.IntN(100)) * time.Millisecond
				if rand.IntN(3) == 0 {
					quiet = time.Duration(500+rand.IntN(1500)) * time.Millisecond
				}
				select {
				case <-done:
					return
				case <-time.After(quiet):
				}
			}
		})
	}
	for range lanes {
		killing.Go(func() {
			for range kills {
				cmd := exec.Command(binary, "--db", db, "--policy", policy, "watch", "--interval", "100ms", "--json")
				if err := cmd.Start(); err != nil {
					t.Error(err)
					return
				}
				pause(time.Duration(5+rand.IntN(250)) * time.Millisecond)
				if err := cmd.Process.Kill(); err != nil {
					t.Error(err)
				}
				_ = cmd.Wait() // killed
			}
		})
	}
	killing.Wait()
	close(done)
	working.Wait()
	for range 2 {
		program(t, "--db", db, "--policy", policy, "watch", "--once")
	}
	// What a monitor died at is leased for the deadline and five seconds.
	var outbox []store.DeliveryRow
	for end := time.Now().Add(30 * time.Second); ; pause(200 * time.Millisecond) {
		program(t, "--db", db, "--policy", policy, "watch", "--once")
		if outbox, err = s.Outbox(ctx, store.OutboxFilter{}); err != nil || len(outbox) == 0 || time.Now().After(end) {
			break
		}
	}
	if err != nil || len(outbox) > 0 {
		t.Errorf("left in the outbox are %+v, %v", outbox, err)
	}
	outbox, outboxErr := s.Outbox(ctx, store.OutboxFilter{All: true, Limit: 1_000_000})
	instance, err := s.Instance(ctx)
	if err != nil {
		t.Fatal(err)
	}
	events, err := s.Events(ctx, store.EventFilter{Limit: 1_000_000})
	if err := errors.Join(err, outboxErr, s.Close()); err != nil {
		t.Fatal(err)
	}
	checkEpisodes(t, events)
	mu.Lock()
	defer mu.Unlock()
	checkArrivals(t, events, outbox, arrived, instance, lanes*kills)
}

// checkArrivals holds what arrived to the log: each signal that was recorded
// since the sink is known went out, by itself or in the message of another one,
// nothing else did, and at most as many repeats as there were kills.
func checkArrivals(t *testing.T, events []store.Event, outbox []store.DeliveryRow, arrived map[string]int, instance string, kills int) {
	t.Helper()
	delivered := map[int64]bool{}
	due, repeats := map[string]bool{}, 0
	for _, d := range outbox {
		delivered[d.Event] = true
		if d.State == store.DeliveryDelivered {
			due[fmt.Sprintf("progmon-%s-%d", instance, d.Event)] = true
		}
	}
	for _, e := range events {
		if strings.HasPrefix(e.Kind, "signal.") && !delivered[e.ID] {
			t.Errorf("event %d, %s of %s, was never to be delivered", e.ID, e.Kind, e.Run)
		}
	}
	for id := range due {
		if arrived[id] == 0 {
			t.Errorf("message %s is marked as delivered and never arrived", id)
		}
	}
	for id, n := range arrived {
		if !due[id] {
			t.Errorf("message %s arrived and is not marked as delivered", id)
		}
		repeats += n - 1
	}
	if repeats > kills {
		t.Errorf("%d repeats after %d kills", repeats, kills)
	}
	t.Logf("%d messages, %d repeats", len(arrived), repeats)
}

// checkEpisodes holds the log to the rule: stalled at most once an episode,
// recovered exactly once after each that was followed by an advance, and never
// without one.
func checkEpisodes(t *testing.T, events []store.Event) {
	t.Helper()
	type episode struct {
		run   string
		since int64
	}
	stalled, recovered := map[episode]int{}, map[episode]int{}
	last := map[string]int64{} // the last advance of each run
	open := map[string]episode{}
	for _, e := range events {
		if e.Advance {
			last[e.Run] = e.ID
		}
		switch e.Kind {
		case "signal.stalled":
			of := episode{e.Run, *e.Since}
			if stalled[of]++; *e.Since != last[e.Run] {
				t.Errorf("event %d accuses %s of episode %d, and its last advance was %d", e.ID, e.Run, *e.Since, last[e.Run])
			}
			open[e.Run] = of
		case "signal.recovered":
			of := episode{e.Run, *e.Since}
			if recovered[of]++; stalled[of] == 0 || last[e.Run] == *e.Since {
				t.Errorf("event %d: %s recovered from %d without a stalled and an advance before it", e.ID, e.Run, *e.Since)
			}
			delete(open, e.Run)
		}
	}
	for of, n := range stalled {
		want := 1
		if open[of.run] == of && last[of.run] == of.since {
			want = 0 // it still lasts
		}
		if n != 1 || recovered[of] != want {
			t.Errorf("%s, episode %d: stalled %d times and recovered %d times, want once and %d", of.run, of.since, n, recovered[of], want)
		}
	}
	if len(stalled) < 10 {
		t.Errorf("only %d episodes were told: the workers did not stall, or nobody looked", len(stalled))
	}
	t.Logf("%d episodes", len(stalled))
}

// Field case 35, SC-39: the only monitor is killed, and every answer says so.
func TestADeadMonitorIsSaidFirst(t *testing.T) {
	db := filepath.Join(t.TempDir(), "trail.db")
	program(t, "--db", db, "start", "nightly", "--total", "3")
	if out, code := program(t, "--db", db, "status", "--check"); code != exitBlind || !strings.HasPrefix(out, "NO MONITOR ever looked") {
		t.Errorf("status --check without a monitor = %d, %q", code, out)
	}
	cmd := exec.Command("progmon", "--db", db, "watch", "--interval", "100ms")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	live := func() bool {
		out, code := program(t, "--db", db, "status", "--check", "--json")
		return code == 0 && strings.Contains(out, `"monitor":{"state":"live"`)
	}
	for i := 0; !live(); i++ {
		if i == 100 {
			t.Fatal("the monitor does not look")
		}
		pause(20 * time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	pause(400 * time.Millisecond)
	if out, code := program(t, "--db", db, "status", "--check"); code != exitBlind || !strings.HasPrefix(out, "MONITOR LATE, last looked ") {
		t.Errorf("status --check after three intervals = %d, %q", code, out)
	}
	if out, code := program(t, "--db", db, "status"); code != 0 || !strings.HasPrefix(out, "MONITOR LATE, last looked ") {
		t.Errorf("status after three intervals = %d, %q", code, out)
	}
}
