package sink

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/progmon/progmon/internal/watch"
)

// beats is a service in the style of healthchecks, in a bubble.
type beats struct {
	mu   sync.Mutex
	got  []string
	code int
}

func (b *beats) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.got = append(b.got, strings.TrimSpace(r.URL.Path+"?"+r.URL.RawQuery+" "+string(body)))
	if b.code != 0 {
		w.WriteHeader(b.code)
	}
}

func (b *beats) all() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.got)
}

// TestOnlyALookThatSawIsABeat: one that was blind, or is not on record, fails;
// when the monitor is gone there is silence.
func TestOnlyALookThatSawIsABeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, b := newPipes(), &beats{}
		server := &httptest.Server{Listener: p, Config: &http.Server{Handler: b}}
		server.Start()
		defer server.Close()
		var said []string
		h := &Heartbeat{URL: server.URL + "/ping/uuid/?rid=7", Say: func(format string, _ ...any) { said = append(said, format) }}
		h.client = newClient()
		h.client.Transport.(*http.Transport).DialContext = p.dial
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); h.Run(ctx) }()
		look := func(n int, r watch.Report) {
			for range n {
				pass(5 * time.Second)
				h.Heard(r)
			}
		}
		look(7, watch.Report{}) // the first, the fourth and the seventh: 15 s apart
		look(2, watch.Report{Blind: &watch.Sight{Reason: "missing"}})
		look(1, watch.Report{Unrecorded: errors.New("disk full")})
		look(1, watch.Report{})
		pass(time.Hour)
		b.mu.Lock()
		b.code = 500
		b.mu.Unlock()
		look(1, watch.Report{})
		pass(time.Minute)
		b.mu.Lock()
		b.code = 0
		b.mu.Unlock()
		look(1, watch.Report{})
		pass(time.Second)
		cancel()
		<-done
		want := []string{"/ping/uuid/start?rid=7", "/ping/uuid?rid=7", "/ping/uuid?rid=7", "/ping/uuid?rid=7", "/ping/uuid/fail?rid=7 blind: missing",
			"/ping/uuid?rid=7", "/ping/uuid?rid=7", "/ping/uuid?rid=7"}
		if got := b.all(); !slices.Equal(got, want) {
			t.Errorf("the service heard\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
		}
		if len(said) != 2 || !strings.Contains(said[0], "does not take") || !strings.Contains(said[1], "again") {
			t.Errorf("people were told %q", said)
		}
	})
}

// TestSystemdIsToldOfLooksThatSaw over a real socket.
func TestSystemdIsToldOfLooksThatSaw(t *testing.T) {
	path := filepath.Join(t.TempDir(), "notify")
	c, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: path, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	t.Setenv("NOTIFY_SOCKET", path)
	s := NewSystemd(os.Getenv)
	if os.Getenv("NOTIFY_SOCKET") != "" {
		t.Error("the variable is left for programs that are started")
	}
	heard := func() string {
		t.Helper()
		buffer := make([]byte, 4096)
		if err := c.SetReadDeadline(time.Now().Add(10 * time.Second)); err != nil {
			t.Fatal(err)
		}
		n, err := c.Read(buffer)
		if err != nil {
			t.Fatal(err)
		}
		return strings.ReplaceAll(string(buffer[:n]), "\n", " ")
	}
	blind := watch.Report{Blind: &watch.Sight{Reason: "missing"}}
	for i, each := range []struct {
		look watch.Report
		want string
	}{
		{blind, "STATUS=BLIND: missing"},
		{watch.Report{}, "READY=1 WATCHDOG=1 STATUS=looking"},
		{watch.Report{}, "WATCHDOG=1"},
		{watch.Report{Unrecorded: errors.New("disk full")}, "STATUS=looks cannot be put on record: disk full"},
		{watch.Report{}, "WATCHDOG=1 STATUS=looking"},
	} {
		s.Heard(each.look)
		if got := heard(); got != each.want {
			t.Errorf("look %d says %q, want %q", i, got, each.want)
		}
	}
	s.Heard(blind)
	s.Heard(blind) // which says nothing new
	s.Stopping()
	if got := heard() + ", " + heard(); got != "STATUS=BLIND: missing, STOPPING=1" {
		t.Errorf("at the end it says %q", got)
	}
	for range 100 { // nobody reads: the looks go on
		s.Heard(watch.Report{})
	}
	for _, socket := range []string{"", "vsock:2:1234", "relative"} {
		if NewSystemd(func(string) string { return socket }) != nil {
			t.Errorf("NOTIFY_SOCKET=%q is taken for one", socket)
		}
	}
	(*Systemd)(nil).Heard(blind)
	(*Systemd)(nil).Stopping()
}
