package sink

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
)

// pipes is a network of one host that lives in memory, so that a bubble's clock
// goes on while somebody waits for an answer.
type pipes struct {
	calls  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{calls: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.calls:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error { p.once.Do(func() { close(p.closed) }); return nil }

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (p *pipes) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	near, far := net.Pipe()
	select {
	case p.calls <- far:
		return near, nil
	case <-p.closed:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// arrival is a message that a collector got.
type arrival struct {
	at     time.Duration // since the collector began
	id     string
	says   string // run, kind, and how the alerts end
	taken  bool
	answer int
}

// collector is a server that notes what arrives, and answers as it is told.
type collector struct {
	t      *testing.T
	net    *pipes
	server *httptest.Server
	start  time.Time

	mu     sync.Mutex
	answer func(w http.ResponseWriter, r *http.Request) int // 0: takes it
	got    []arrival
}

func collect(t *testing.T, secure bool) *collector {
	c := &collector{t: t, net: newPipes(), start: time.Now()}
	c.server = &httptest.Server{Listener: c.net, Config: &http.Server{Handler: c, ErrorLog: log.New(io.Discard, "", 0)}}
	if secure {
		c.server.StartTLS()
	} else {
		c.server.Start()
	}
	return c
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // who sent it hung up
	}
	var m struct {
		Status string `json:"status"`
		Alerts []struct {
			Status      string            `json:"status"`
			Labels      map[string]string `json:"labels"`
			Annotations map[string]string `json:"annotations"`
		} `json:"alerts"`
	}
	if err := json.Unmarshal(body, &m); err != nil || len(m.Alerts) == 0 {
		c.t.Errorf("no message: %s", body)
		return
	}
	a := m.Alerts[0]
	says := fmt.Sprintf("%s %s %s", a.Labels["run"], a.Annotations["signal"], m.Status)
	c.mu.Lock()
	answer := c.answer
	c.mu.Unlock()
	code := 0
	if answer != nil {
		code = answer(w, r)
	}
	if code > 0 {
		w.WriteHeader(code)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.got = append(c.got, arrival{time.Since(c.start), r.Header.Get("webhook-id"), says, code == 0, code})
}

// answers has the collector answer so from now on; nil takes everything.
func (c *collector) answers(fn func(w http.ResponseWriter, r *http.Request) int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = fn
}

// arrivals is what came so far.
func (c *collector) arrivals() []arrival {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]arrival(nil), c.got...)
}

// taken is what was taken so far, each as it says.
func (c *collector) taken() (says []string) {
	for _, a := range c.arrivals() {
		if a.taken {
			says = append(says, a.says)
		}
	}
	return says
}

// sender reaches the collector through its network. trusting knows its
// certificate.
func (c *collector) sender(name string, trusting bool) Sender {
	s := policyfile.Sink{Name: name, Type: "webhook", URL: c.server.URL, Deadline: 10 * time.Second}
	w, err := newWebhook(s, "test")
	if err != nil {
		c.t.Fatal(err)
	}
	transport := w.client.Transport.(*http.Transport)
	transport.Proxy, transport.DialContext = nil, c.net.dial
	if trusting {
		transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	}
	return w
}
