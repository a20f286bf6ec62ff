package sink

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

func bubble(t *testing.T, fn func(*testing.T)) { synctest.Test(t, fn) }

// postedAlert is an alert as Alertmanager's API takes it.
type postedAlert struct {
	Labels, Annotations map[string]string
	StartsAt, EndsAt    time.Time
	at                  time.Time
}

// firing reports whether it fired when it came.
func (a postedAlert) firing() bool { return a.EndsAt.After(a.at) }

// bodies is a server that keeps the alerts that are posted to it.
type bodies struct {
	mu  sync.Mutex
	got []postedAlert
}

func (b *bodies) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var alerts []postedAlert
	if err := json.NewDecoder(r.Body).Decode(&alerts); err != nil || r.URL.Path != "/api/v2/alerts" {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range alerts {
		a.at = time.Now()
		b.got = append(b.got, a)
	}
}

func (b *bodies) count(is func(postedAlert) bool) (n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range b.got {
		if is(a) {
			n++
		}
	}
	return n
}

func (b *bodies) reset() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.got = nil
}

func serveOn(p *pipes, h http.Handler) *httptest.Server {
	s := &httptest.Server{Listener: p, Config: &http.Server{Handler: h}}
	s.Start()
	return s
}

// newServer hands each request to fn, and takes everything.
func newServer(t *testing.T, fn func(r *http.Request, body string)) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		fn(r, string(body))
	}))
	t.Cleanup(s.Close)
	return s.URL
}
