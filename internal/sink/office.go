package sink

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/store"
)

// Outbox is where messages are taken from. *store.Store is one.
type Outbox interface {
	Check(context.Context) error
	Instance(context.Context) (string, error)
	KeepFor(ctx context.Context, monitor string, sinks []store.Wanted) error
	Claim(ctx context.Context, sink, by string, lease time.Duration) (*store.Delivery, error)
	Settle(context.Context, *store.Delivery, store.Outcome) error
	Stands(ctx context.Context, after time.Time) ([]store.Stand, error)
	ForgetDeliveries(ctx context.Context, before time.Time) error
	Close() error
}

// Place is a sink with how it is reached.
type Place struct {
	policyfile.Sink
	Sender Sender
}

// Office has one courier for each sink. Fill in the exported fields before Run,
// Open or Drain.
type Office struct {
	// OpenOutbox opens the trail for writing. It must make and migrate nothing.
	OpenOutbox func(context.Context) (Outbox, error)
	Monitor    string // who delivers: unique on this trail
	Places     []Place
	// Source is what is watched, as it is named to people, and BlindRepeat how
	// often they are told again that it cannot be seen.
	Source      string
	BlindRepeat time.Duration
	// Say is told, once each, when a sink takes nothing, when it does again, and
	// when a message was given up. It may be called by many goroutines.
	Say func(format string, args ...any)
	// Step is told what a courier is about to do: a test ends the process there.
	// It may be nil.
	Step func(step string)

	every time.Duration // poll, if not set

	once     sync.Once
	couriers []*courier
	hearing  hearing

	seen    atomic.Pointer[time.Time] // the last look that saw
	stale   atomic.Bool               // the outbox is to be closed
	door    chan struct{}             // has one slot: one at a time opens the outbox
	mu      sync.Mutex
	counter *counter // nil while it is not open
}

// poll is how often a courier looks for what others recorded: a wrapper, another
// monitor.
const poll = time.Second

// keepDelivered is how long the outbox remembers what was delivered.
const keepDelivered = 30 * 24 * time.Hour

func (o *Office) begin() {
	o.once.Do(func() {
		o.door = make(chan struct{}, 1)
		if o.every == 0 {
			o.every = poll
		}
		for i := range o.Places {
			if a, ok := o.Places[i].Sender.(*alertmanager); ok {
				a.stands, a.sees = o.stands, o.sees
			}
			o.couriers = append(o.couriers, &courier{office: o, Place: &o.Places[i], wake: make(chan struct{}, 1)})
		}
		if o.Say == nil {
			o.Say = func(string, ...any) {}
		}
		if o.Step == nil {
			o.Step = func(string) {}
		}
	})
}

// Run delivers until ctx ends. What is being sent then gets a moment to be
// taken.
func (o *Office) Run(ctx context.Context) {
	o.begin()
	var couriers sync.WaitGroup
	for _, c := range o.couriers {
		couriers.Go(func() { c.run(ctx) })
	}
	couriers.Wait()
	o.close()
}

// Drain delivers what is to be sent now, each message once, and returns.
func (o *Office) Drain(ctx context.Context) {
	o.begin()
	var couriers sync.WaitGroup
	for _, c := range o.couriers {
		couriers.Go(func() {
			for c.pass(ctx) {
			}
		})
	}
	couriers.Wait()
	o.close()
}

// stands reads the signals that stand.
func (o *Office) stands(ctx context.Context, after time.Time) (all []store.Stand, err error) {
	err = o.with(ctx, func(at *counter) error {
		all, err = at.box.Stands(ctx, after)
		return err
	})
	return all, err
}

// sees reports whether the monitor has looked lately, saw everything, and put it
// on record.
func (o *Office) sees() bool {
	seen := o.seen.Load()
	return seen != nil && time.Since(*seen) < seesFor
}

// seesFor is for how long a look counts.
const seesFor = 2 * time.Minute

// Register opens the trail and has signals kept for the sinks from now on. A
// trail that cannot be opened now is tried again by Run.
func (o *Office) Register(ctx context.Context) error {
	o.begin()
	return o.with(ctx, func(*counter) error { return nil })
}

// TakeOver has an office that did not begin yet go on where another one, whose
// Run is being ended, stopped: with what people know of blindness, and with what
// they were still to be told of it. Who may be told of it for the first time is
// told at the next look that is blind. It is called between two looks.
func (o *Office) TakeOver(from *Office) {
	o.begin()
	from.begin()
	o.hearing = from.hearing
	o.seen.Store(from.seen.Load())
	o.hearing.again(time.Now().Add(-o.BlindRepeat))
	for _, c := range o.couriers {
		for _, was := range from.couriers {
			if was.Name == c.Name {
				c.takeOver(was)
			}
		}
	}
}

// Poke says that there may be something to deliver.
func (o *Office) Poke() {
	o.begin()
	for _, c := range o.couriers {
		c.poke()
	}
}

// Tell has the couriers say, past the outbox, that the monitor cannot see, or
// sees again. It waits for nobody.
func (o *Office) Tell(s Sight) {
	o.begin()
	m := s.message(o.Monitor, time.Now())
	for _, c := range o.couriers {
		if c.wantsSight(m.Kind) {
			c.tell(m)
		}
	}
}

// release has the couriers close the trail as it was opened: another file may
// lie under its path. It is opened again when there is something to do.
func (o *Office) release() {
	o.stale.Store(true)
	o.Poke()
}

// counter is the outbox while it is open, with how many couriers are at it.
type counter struct {
	box      Outbox
	instance string
	users    int
	over     bool // whoever leaves last closes it
}

// close has the outbox closed, by the last courier that is at it.
func (o *Office) close() {
	o.mu.Lock()
	c := o.counter
	o.counter = nil
	if c != nil {
		c.over = true
	}
	idle := c != nil && c.users == 0
	o.mu.Unlock()
	if idle {
		// What was settled is durable; the rest is found by its lease.
		_ = c.box.Close()
	}
}

// with does something with the outbox, and opens it first where it is not open.
// A trail that turns out to be gone or broken is let go of.
func (o *Office) with(ctx context.Context, do func(*counter) error) error {
	if o.stale.Swap(false) {
		o.close()
	}
	c, err := o.enter(ctx)
	if err != nil {
		return err
	}
	err = do(c)
	if blind := (*store.BlindError)(nil); errors.As(err, &blind) && blind.Reason != store.BlindLocked {
		o.mu.Lock()
		if c.over = true; o.counter == c {
			o.counter = nil
		}
		o.mu.Unlock()
	}
	o.mu.Lock()
	c.users--
	last := c.over && c.users == 0
	o.mu.Unlock()
	if last {
		err = errors.Join(err, c.box.Close())
	}
	return err
}

// enter is the outbox, with one courier more at it.
func (o *Office) enter(ctx context.Context) (*counter, error) {
	// Nothing is waited for with a mutex held: one courier opens, and the others
	// wait for it here.
	select {
	case o.door <- struct{}{}:
		defer func() { <-o.door }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	o.mu.Lock()
	c := o.counter
	if c != nil {
		c.users++
	}
	o.mu.Unlock()
	if c != nil {
		return c, nil
	}
	c, err := o.open(ctx)
	if err != nil {
		return nil, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.counter = c
	c.users++
	return c, nil
}

func (o *Office) open(ctx context.Context) (*counter, error) {
	box, err := o.OpenOutbox(ctx)
	if err != nil {
		return nil, err
	}
	instance, err := box.Instance(ctx)
	if err == nil {
		wants := make([]store.Wanted, 0, len(o.Places))
		for _, p := range o.Places {
			wants = append(wants, store.Wanted{Sink: p.Name, Families: p.Families, Kinds: p.Kinds, States: p.States})
		}
		err = box.KeepFor(ctx, o.Monitor, wants)
	}
	if err == nil {
		err = box.ForgetDeliveries(ctx, time.Now().Add(-keepDelivered))
	}
	if err != nil {
		return nil, errors.Join(err, box.Close())
	}
	return &counter{box: box, instance: instance}, nil
}

// wantsSight reports whether a sink is told of blindness. That of the trail
// concerns every family.
func (p *Place) wantsSight(kind string) bool {
	return (len(p.Kinds) == 0 || slices.Contains(p.Kinds, kind)) &&
		(len(p.States) == 0 || slices.Contains(p.States, KindBlind))
}

// describe is a place as it is named to people.
func (p *Place) describe() string { return fmt.Sprintf("sink %s (%s)", p.Name, p.Type) }
