package store

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"
)

// Wanted is a sink with what it wants: the signals of these families, of these
// kinds ("stalled", without the prefix of the log) and in these states. A list
// that is empty lets everything pass.
type Wanted struct {
	Sink                    string
	Families, Kinds, States []string
}

// KeepFor has signals kept from now on for the sinks of a monitor, each in the
// transaction that records it, whoever records it. A sink that is not among them
// is kept no longer, unless it is another monitor's that is still looking; what
// waits for it waits on.
func (s *Store) KeepFor(ctx context.Context, monitor string, sinks []Wanted) error {
	at := s.opt.now().Wall.UnixMilli()
	err := s.write(ctx, func(t *tx) error {
		var gone []string
		err := t.each("sinks", func(row []value) error {
			name, _ := row[0].(string)
			mine := slices.ContainsFunc(sinks, func(w Wanted) bool { return w.Sink == name })
			if !mine && (row[4] == monitor || whole(row[8]) == 0) {
				gone = append(gone, name)
			}
			return nil
		}, arg{"at_ms", at})
		if err != nil {
			return err
		}
		for _, name := range gone {
			if _, err := t.exec("drop_sink", arg{"name", name}); err != nil {
				return err
			}
		}
		for _, w := range sinks {
			_, err := t.exec("keep_sink", arg{"name", w.Sink}, arg{"families", listOf(w.Families)}, arg{"kinds", listOf(w.Kinds)},
				arg{"states", listOf(w.States)}, arg{"monitor", monitor}, arg{"at_ms", at})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("keep signals for the sinks of monitor %q: %w", monitor, err)
	}
	return nil
}

// listOf is a list as the JSON that the trail keeps.
func listOf(words []string) string {
	if len(words) == 0 {
		return "[]"
	}
	list, err := json.Marshal(words)
	if err != nil {
		panic("store: " + err.Error()) // texts
	}
	return string(list)
}

// Storm is how many signals of one look are told one by one at most.
const Storm = 20

// fewRuns is how many runs there must be before a cause that most of them have
// in common is told of once.
const fewRuns = 5

// deliveries has what the look signalled kept for the sinks: one by one, or as
// one message a sink where a storm broke loose.
func (look *Look) deliveries(t recorder) error {
	var fresh []*Judged
	signals := 0
	for i := range look.Judged {
		before := signals
		for _, sig := range look.Judged[i].Signals {
			if sig.Event != 0 && isSignal(sig.Kind) {
				signals++
				if _, err := t.exec("queue_delivery", arg{"event", sig.Event}); err != nil {
					return fmt.Errorf("keep event %d for the sinks: %w", sig.Event, err)
				}
			}
		}
		if signals > before {
			fresh = append(fresh, &look.Judged[i])
		}
	}
	if signals > Storm {
		return group(t, fresh)
	}
	for _, cause := range causes(fresh) {
		if 2*len(cause) <= fewRuns {
			continue
		}
		runs, names := int64(0), make([]string, len(cause))
		for i, j := range cause {
			names[i] = j.Run.Reading.Run
		}
		if _, err := t.one("runs_watched", func(row []value) { runs = whole(row[0]) }, arg{"runs", listOf(names)}); err != nil {
			return err
		}
		if runs >= fewRuns && int64(2*len(cause)) > runs {
			if err := group(t, cause); err != nil {
				return err
			}
		}
	}
	return nil
}

func isSignal(kind string) bool { return len(kind) > 7 && kind[:7] == "signal." }

// causes are the runs that were signalled, by what happened to them. That work
// ends as it should is no cause to worry about.
func causes(fresh []*Judged) map[[2]string][]*Judged {
	all := map[[2]string][]*Judged{}
	for _, j := range fresh {
		for _, sig := range j.Signals {
			if sig.Event != 0 && isSignal(sig.Kind) && sig.Kind != "signal.done" {
				cause := [2]string{sig.Kind, sig.Reason}
				all[cause] = append(all[cause], j)
			}
		}
	}
	return all
}

// group makes one message a sink of all that was signalled of the runs.
func group(t recorder, runs []*Judged) error {
	var events []int64
	for _, j := range runs {
		for _, sig := range j.Signals {
			if sig.Event != 0 && isSignal(sig.Kind) {
				events = append(events, sig.Event)
			}
		}
	}
	slices.Sort(events)
	list, err := json.Marshal(slices.Compact(events))
	if err != nil {
		panic("store: " + err.Error()) // numbers
	}
	_, err = t.exec("group_deliveries", arg{"events", string(list)})
	return err
}

// The states of a delivery.
const (
	DeliveryWaiting   = "waiting"
	DeliveryDelivered = "delivered"
	DeliveryMerged    = "merged"
	DeliveryGrouped   = "grouped"
	DeliveryDead      = "dead"
	DeliveryDropped   = "dropped"
)

// DeliveryRow is a row of the outbox.
type DeliveryRow struct {
	ID       int64
	Sink     string
	State    string
	Run      string
	Event    int64 // the signal's row of the log
	Kind     string
	Epoch    int64
	Since    int64
	Into     int64 // the delivery in whose message it goes out; 0 for its own
	Queued   time.Time
	Attempts int64
	Tried    time.Time // zero: not yet
	Next     time.Time // of one that waits; zero: now
	Ended    time.Time
	Leased   bool   // somebody is at it, or died at it
	Answer   string // what the sink said last: untrusted text
}

// OutboxFilter says which deliveries are wanted.
type OutboxFilter struct {
	Sink  string // only those to this sink
	All   bool   // those too that are over and done
	Limit int    // how many at most; 0 means 1000
}

// Outbox gives what still has to reach somebody, or was given up, the oldest
// first.
func (r *Reader) Outbox(ctx context.Context, filter OutboxFilter) ([]DeliveryRow, error) {
	if filter.Limit <= 0 {
		filter.Limit = 1000
	}
	var all []DeliveryRow
	err := r.view(ctx, func(c *conn) error {
		all = nil
		var id, event, epoch, since, into, queued, attempts, tried, wait, ended, leased num
		var sink, state, run, kind, answer text
		cells := []cell{&id, &sink, &state, &run, &event, &kind, &epoch, &since, &into, &queued, &attempts, &tried, &wait, &ended, &leased, &answer}
		return c.peek("outbox", func(row []value) error {
			fill(cells, row)
			d := DeliveryRow{ID: id.n, Sink: sink.s, State: state.s, Run: run.s, Event: event.n, Kind: kind.s, Epoch: epoch.n,
				Since: since.n, Into: into.n, Queued: queued.stamp(), Attempts: attempts.n, Ended: ended.stamp(), Leased: leased.n != 0, Answer: answer.s}
			if tried.n > 0 {
				d.Tried = tried.stamp()
				if state.s == DeliveryWaiting && !d.Leased {
					d.Next = d.Tried.Add(wait.length())
				}
			}
			all = append(all, d)
			return nil
		}, arg{"sink", filter.Sink}, arg{"all", flag(filter.All)}, arg{"limit", int64(filter.Limit)})
	})
	if err != nil {
		return nil, fmt.Errorf("read the outbox: %w", err)
	}
	return all, nil
}

// RetryDeliveries has deliveries tried at once that wait, or were given up. It
// returns how many there were.
func (s *Store) RetryDeliveries(ctx context.Context, ids []int64) (n int64, err error) {
	return s.changeDeliveries(ctx, ids, "retry_deliveries", "resume_sinks")
}

// DropDeliveries gives deliveries up that wait or are dead, and returns how many
// there were. What was to go out in the same message goes with it.
func (s *Store) DropDeliveries(ctx context.Context, ids []int64) (n int64, err error) {
	return s.changeDeliveries(ctx, ids, "drop_deliveries", "")
}

func (s *Store) changeDeliveries(ctx context.Context, ids []int64, statement, then string) (n int64, err error) {
	list, err := json.Marshal(ids)
	if err != nil {
		panic("store: " + err.Error()) // numbers
	}
	args := []arg{{"ids", string(list)}, {"at_ms", s.opt.now().Wall.UnixMilli()}}
	err = s.write(ctx, func(t *tx) error {
		return t.atomic(func() (err error) {
			if n, err = t.exec(statement, args...); err == nil && then != "" {
				_, err = t.exec(then, args...)
			}
			return err
		})
	})
	if err == nil && n == 0 && len(ids) > 0 {
		err = ErrNoDelivery
	}
	if err != nil {
		return 0, fmt.Errorf("change the outbox: %w", err)
	}
	return n, nil
}
