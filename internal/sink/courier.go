package sink

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/progmon/progmon/store"
)

// courier brings messages to one sink, one after the other.
type courier struct {
	office *Office
	*Place
	wake chan struct{} // has one slot

	mu     sync.Mutex
	urgent []Message // past the outbox, oldest first

	// The courier's own.
	tries int64     // of the first urgent one
	again time.Time // when that is tried next
	// levelled is when it was last told what stands.
	levelled time.Time
	down     bool // it was said that the sink takes nothing
	unable   bool // it was said that the outbox is out of reach
}

// leaseMargin is how much longer a message is leased than its attempt may last.
var leaseMargin = 5 * time.Second

// lastMoment is how long an attempt may go on when the monitor ends.
const lastMoment = 2 * time.Second

func (c *courier) poke() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// tell queues a message past the outbox. Of blindness only the last word counts,
// and it is over when sight returns.
func (c *courier) tell(m Message) {
	c.mu.Lock()
	c.urgent = slices.DeleteFunc(c.urgent, func(u Message) bool { return u.Kind == KindBlind && u.about == m.about })
	c.urgent = append(c.urgent, m)
	c.mu.Unlock()
	c.poke()
}

// takeOver takes what another courier to the same sink was still to say past the
// outbox, but for blindness that lasts, which the next look says. What that one
// is at may be said twice, under one name.
func (c *courier) takeOver(from *courier) {
	from.mu.Lock()
	for _, m := range from.urgent {
		if m.Kind != KindBlind {
			c.urgent = append(c.urgent, m)
		}
	}
	from.urgent = nil
	from.mu.Unlock()
	was, ok := from.Sender.(*alertmanager)
	now, same := c.Sender.(*alertmanager)
	if !ok || !same || !maps.Equal(was.sink.Labels, now.sink.Labels) {
		return // under other labels it is another alert
	}
	was.mu.Lock()
	defer was.mu.Unlock()
	maps.Copy(now.sight, was.sight)
}

// run delivers until ctx ends.
func (c *courier) run(ctx context.Context) {
	defer c.Sender.Close()
	tick := time.NewTicker(c.office.every)
	defer tick.Stop()
	for {
		for ctx.Err() == nil && c.pass(ctx) {
		}
		c.relevel(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-c.wake:
		}
	}
}

// relevel tells a sink that is told of what stands, and not of what happens, what
// stands, when it is time.
func (c *courier) relevel(ctx context.Context) {
	a, ok := c.Sender.(*alertmanager)
	if !ok || ctx.Err() != nil || time.Since(c.levelled) < resend {
		return
	}
	c.levelled = time.Now()
	try, cancel := context.WithTimeout(ctx, c.Deadline)
	defer cancel()
	answer, err := a.level(try)
	o := store.Outcome{State: store.DeliveryDelivered, Answer: answer}
	if blind := (*store.BlindError)(nil); errors.As(err, &blind) {
		return // which the look says
	}
	if err != nil {
		o = store.Outcome{State: store.DeliveryWaiting, Answer: err.Error()}
	}
	if ctx.Err() == nil {
		c.say(Message{}, o)
	}
}

// pass sends one message, and reports whether there was one to send.
func (c *courier) pass(ctx context.Context) bool {
	if m, ok := c.pressing(); ok {
		c.press(ctx, m)
		return true
	}
	var d *store.Delivery
	instance := ""
	err := c.office.with(ctx, func(at *counter) (err error) {
		instance = at.instance
		if err = at.box.Check(ctx); err == nil {
			d, err = at.box.Claim(ctx, c.Name, c.office.Monitor, c.Deadline+leaseMargin)
		}
		return err
	})
	switch {
	case err != nil:
		// The look says that the trail cannot be read; this is about writing.
		if blind := (*store.BlindError)(nil); !c.unable && ctx.Err() == nil && !errors.As(err, &blind) && !errors.Is(err, store.ErrBusy) {
			c.unable = true
			c.office.Say("%s: nothing can be taken from the outbox: %v", c.describe(), err)
		}
		return false
	case d == nil:
		c.unable = false
		return false
	}
	c.unable = false
	c.deliver(ctx, d, instance)
	return true
}

// deliver sends a message of the outbox and records how that went.
func (c *courier) deliver(ctx context.Context, d *store.Delivery, instance string) {
	m := fromOutbox(d, instance)
	c.office.Step("send")
	answer, err := c.attempt(ctx, m)
	c.office.Step("sent")
	o := c.outcome(d, answer, err)
	// A message that was taken is marked even though the monitor ends.
	mark, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastMoment)
	defer cancel()
	if settled := c.office.with(mark, func(at *counter) error { return at.box.Settle(mark, d, o) }); settled != nil && err == nil {
		c.office.Say("%s took %s, which cannot be recorded, so that it may be told again: %v", c.describe(), m.ID, settled)
	}
	c.office.Step("settled")
	c.say(m, o)
}

// attempt sends a message, within the sink's deadline. When the monitor ends it
// gets a last moment.
func (c *courier) attempt(ctx context.Context, m Message) (string, error) {
	try, cancel := context.WithTimeout(context.WithoutCancel(ctx), c.Deadline)
	defer cancel()
	stop := context.AfterFunc(ctx, func() {
		t := time.NewTimer(lastMoment)
		defer t.Stop()
		select {
		case <-t.C:
			cancel()
		case <-try.Done():
		}
	})
	defer stop()
	return c.Sender.Send(try, m)
}

// outcome is what an attempt means for the message and for the sink.
func (c *courier) outcome(d *store.Delivery, answer string, err error) store.Outcome {
	if err == nil {
		return store.Outcome{State: store.DeliveryDelivered, Answer: answer}
	}
	o := store.Outcome{State: store.DeliveryWaiting, Answer: err.Error(), Wait: backoff(d.Attempt), Pause: backoff(d.Failures + 1)}
	if f := (*Failure)(nil); errors.As(err, &f) {
		o.Unsure = f.Unsure
		if f.After > 0 {
			o.Wait, o.Pause = f.After, f.After
		}
		if f.Gone {
			o.State, o.Wait, o.Pause = store.DeliveryDead, 0, 0
		}
	}
	if o.State == store.DeliveryWaiting && d.Spent+o.Wait > giveUp {
		o.State, o.Wait = store.DeliveryDead, 0
	}
	return o
}

// say tells people of what they must know: that a sink takes nothing, that it
// does again, and that a message was given up.
func (c *courier) say(m Message, o store.Outcome) {
	switch {
	case o.State == store.DeliveryDelivered && c.down:
		c.down = false
		c.office.Say("%s takes messages again", c.describe())
	case o.State == store.DeliveryDead:
		c.office.Say("%s: gave up %s (%s): %s; progmon sinks outbox retry sends it again", c.describe(), m.ID, m.Text, clean(o.Answer))
	case o.State == store.DeliveryWaiting && !c.down:
		c.down = true
		c.office.Say("%s takes nothing, and is tried again and again: %s", c.describe(), clean(o.Answer))
	}
}

// pressing is the message past the outbox whose time has come.
func (c *courier) pressing() (Message, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.urgent) == 0 || time.Now().Before(c.again) {
		return Message{}, false
	}
	return c.urgent[0], true
}

// press sends a message past the outbox. One that is not taken is tried again,
// or gives way to a newer word.
func (c *courier) press(ctx context.Context, m Message) {
	answer, err := c.attempt(ctx, m)
	f := (*Failure)(nil)
	if err == nil || errors.As(err, &f) && f.Gone {
		c.mu.Lock()
		c.urgent = withoutFirst(c.urgent, m.ID)
		c.tries, c.again = 0, time.Time{}
		c.mu.Unlock()
	} else {
		c.tries++
		wait := backoff(c.tries)
		if f != nil && f.After > 0 {
			wait = f.After
		}
		c.mu.Lock()
		c.again = time.Now().Add(wait)
		c.mu.Unlock()
	}
	o := store.Outcome{State: store.DeliveryDelivered, Answer: answer}
	if err != nil {
		o = store.Outcome{State: store.DeliveryWaiting, Answer: err.Error()}
	}
	c.say(m, o)
}

// withoutFirst is messages without the first one, if that is still it.
func withoutFirst(messages []Message, id string) []Message {
	if len(messages) > 0 && messages[0].ID == id {
		return messages[1:]
	}
	return messages
}
