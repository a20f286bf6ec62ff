package sink

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/progmon/progmon/internal/watch"
)

// Heartbeat tells somebody outside that the monitor looks: a service in the
// style of healthchecks.io, which complains when it hears nothing. Only a look
// that saw and was put on record is a beat. One that was not says /fail; a
// monitor that is gone says nothing, and is missed. Fill in the exported fields
// before Run.
type Heartbeat struct {
	URL     string // start, ok and fail are URL/start, URL and URL/fail
	Version string
	Say     func(format string, args ...any) // told once that nobody answers, and that somebody does again

	once   sync.Once
	client *http.Client
	mu     sync.Mutex
	next   *beat // the newest one that was not sent yet
	wake   chan struct{}
	down   bool
	quiet  time.Time // until when nothing is sent after a failure

	// Of the look's goroutine: the kind of the last beat, and when it was.
	told string
	at   time.Time
}

// beatEvery is how far apart two beats of one kind are at least: such services
// take a few a minute.
const beatEvery = 15 * time.Second

// beat is one request.
type beat struct{ path, body string }

// beatTakes is how long one request may take, and beatPause how long nothing is
// sent after one that failed. They are short: a beat that comes late is worth
// nothing, and the next look sends another one.
const (
	beatTakes = 10 * time.Second
	beatPause = 5 * time.Second
)

func (h *Heartbeat) begin() {
	h.once.Do(func() {
		h.wake = make(chan struct{}, 1)
		if h.client == nil {
			h.client = newClient()
		}
		if h.Say == nil {
			h.Say = func(string, ...any) {}
		}
	})
}

// Heard is told of every look. It waits for nobody; of what was not sent yet
// only the newest beat goes out.
func (h *Heartbeat) Heard(r watch.Report) {
	h.begin()
	var b beat
	switch {
	case r.Blind != nil:
		b = beat{"/fail", "blind: " + clean(r.Blind.Reason)}
	case r.Unrecorded != nil:
		b = beat{"/fail", "unrecorded: " + clean(r.Unrecorded.Error())}
	}
	now := time.Now()
	if !h.at.IsZero() && b.path == h.told && now.Sub(h.at) < beatEvery {
		return
	}
	h.told, h.at = b.path, now
	h.mu.Lock()
	h.next = &b
	h.mu.Unlock()
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// Run sends beats until ctx ends.
func (h *Heartbeat) Run(ctx context.Context) {
	h.begin()
	defer h.client.CloseIdleConnections()
	h.try(ctx, beat{path: "/start"})
	for {
		h.send(ctx)
		select {
		case <-ctx.Done():
			return
		case <-h.wake:
		}
	}
}

// Flush sends the beat that is due, once: for a single look.
func (h *Heartbeat) Flush(ctx context.Context) {
	h.begin()
	defer h.client.CloseIdleConnections()
	h.send(ctx)
}

// send sends the newest beat.
func (h *Heartbeat) send(ctx context.Context) {
	h.mu.Lock()
	b := h.next
	if b == nil || time.Now().Before(h.quiet) {
		h.mu.Unlock()
		return
	}
	h.next = nil
	h.mu.Unlock()
	h.try(ctx, *b)
}

// try makes one request, and tells people when nobody answers.
func (h *Heartbeat) try(ctx context.Context, b beat) {
	err := h.request(ctx, b)
	switch {
	case ctx.Err() != nil:
	case err != nil:
		h.quiet = time.Now().Add(beatPause)
		if !h.down {
			h.down = true
			h.Say("heartbeat_url does not take the heartbeat: %v", err)
		}
	case h.down:
		h.down = false
		h.Say("heartbeat_url takes the heartbeat again")
	}
}

func (h *Heartbeat) request(ctx context.Context, b beat) error {
	ctx, cancel := context.WithTimeout(ctx, beatTakes)
	defer cancel()
	u, err := url.Parse(h.URL)
	if err != nil {
		return fmt.Errorf("it is no address")
	}
	u.Path = strings.TrimSuffix(u.Path, "/") + b.path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), strings.NewReader(b.body))
	if err != nil {
		return withoutAddress(err)
	}
	req.Header.Set("Content-Type", "text/plain; charset=utf-8")
	req.Header.Set("User-Agent", "progmon/"+h.Version)
	resp, err := h.client.Do(req)
	if err != nil {
		return withoutAddress(err)
	}
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be used again
	_ = resp.Body.Close()                          // nothing was written
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("%s", resp.Status)
	}
	return nil
}
