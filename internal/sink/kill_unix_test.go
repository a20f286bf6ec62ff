//go:build unix

package sink

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/store"
)

func init() { roles["deliver"] = roleDeliver }

// roleDeliver delivers what is in the outbox of a trail, and kills itself when
// it comes to a step for the nth time.
func roleDeliver(args []string) error {
	path, url, step := args[0], args[1], args[2]
	left, err := strconv.Atoi(args[3])
	if err != nil {
		return err
	}
	leaseMargin = 0
	s := policyfile.Sink{Name: "page", Type: "webhook", URL: url, Deadline: 200 * time.Millisecond}
	w, err := newWebhook(s, "test")
	if err != nil {
		return err
	}
	o := &Office{
		Monitor: "m-" + strconv.Itoa(os.Getpid()),
		Places:  []Place{{Sink: s, Sender: w}},
		OpenOutbox: func(ctx context.Context) (Outbox, error) {
			return store.Open(ctx, path, store.WithExisting())
		},
		Step: func(at string) {
			if at != step {
				return
			}
			if left--; left == 0 {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		},
	}
	o.Drain(context.Background())
	return nil
}

// TestKilledAtAnyStepOfADelivery: a monitor that dies before it sends, after the
// message was taken, or before that is on record has it sent by the next one,
// under the same name; once more than once only if it was taken already.
func TestKilledAtAnyStepOfADelivery(t *testing.T) {
	const runs = 6
	tr := newTrail(t, runs)
	tr.keep("page")
	var mu sync.Mutex
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Header.Get("webhook-id")+" "+r.Header.Get("ce-subject"))
	}))
	defer server.Close()
	for i := range runs {
		tr.signal("stalled", fmt.Sprintf("r%d", i))
		tr.signal("escalated", fmt.Sprintf("r%d", i))
	}
	kills := map[string]int{}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for i, end := 0, time.After(2*time.Minute); tr.states()[store.DeliveryWaiting] > 0; i++ {
		step := []string{"send", "sent", "settled"}[i%3]
		cmd := exec.Command(os.Args[0], tr.path, server.URL, step, strconv.Itoa(1+i/3%2))
		cmd.Env = append(os.Environ(), roleVar+"=deliver")
		err := cmd.Run()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Sys().(syscall.WaitStatus).Signal() == syscall.SIGKILL {
			kills[step]++
		} else if err != nil {
			t.Fatal(err)
		}
		select {
		case <-tick.C:
		case <-end:
			t.Fatalf("still waiting: %v", tr.states())
		}
	}
	for _, step := range []string{"send", "sent", "settled"} {
		if kills[step] == 0 {
			t.Errorf("nobody was killed at %q", step)
		}
	}
	mu.Lock()
	defer mu.Unlock()
	times, last := map[string]int{}, map[string]string{}
	var order []string
	for _, a := range got {
		if times[a]++; times[a] == 1 {
			order = append(order, a)
		}
	}
	repeats := len(got) - len(times)
	if len(times) != 2*runs || repeats > kills["sent"] {
		t.Errorf("%d messages arrived and %d repeats, want %d and at most %d: %q", len(times), repeats, 2*runs, kills["sent"], got)
	}
	for _, a := range order { // the names grow with the log
		var id, run string
		if _, err := fmt.Sscanf(a, "%s %s", &id, &run); err != nil {
			t.Fatal(err)
		}
		if before := last[run]; len(before) > len(id) || len(before) == len(id) && before > id {
			t.Errorf("of %s %s came after %s", run, id, before)
		}
		last[run] = id
	}
	t.Logf("%v kills, %d repeats", kills, repeats)
}
