package sink

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/store"
)

// alertmanager tells an Alertmanager what stands, by the second version of its
// API: at each signal, and every minute again, since it forgets what it does not
// hear of and may be restarted. What is over is sent as resolved for a while.
type alertmanager struct {
	sink    policyfile.Sink
	client  *http.Client
	version string
	address string

	// Set by the office that it works for; nil for a test of the sink.
	stands func(ctx context.Context, after time.Time) ([]store.Stand, error)
	sees   func() bool // the monitor has looked lately, and saw

	mu    sync.Mutex
	sight map[string]blindAlert // what cannot be seen, by its labels
}

// blindAlert is an alert about blindness; the log may know nothing of it.
type blindAlert struct {
	alert
	over time.Time
}

// How often alerts are sent again, for how long those that are over are, and
// when Alertmanager takes an alert for resolved that it does not hear of: the
// watchdog soon, because it is there to be missed, and the others not for a
// while, because a monitor that died gives no all-clear.
const (
	resend       = time.Minute
	resolvedFor  = 15 * time.Minute
	watchdogLife = 4 * resend
	alertLife    = time.Hour
)

// alertWatchdog is the alert that always fires while the monitor sees.
const alertWatchdog = "ProgmonWatchdog"

func newAlertmanager(s policyfile.Sink, version string) (*alertmanager, error) {
	u, err := url.Parse(s.URL)
	if err != nil {
		return nil, withoutAddress(err)
	}
	if path := strings.TrimSuffix(u.Path, "/"); !strings.HasSuffix(path, "/api/v2/alerts") {
		u.Path = path + "/api/v2/alerts"
	}
	return &alertmanager{sink: s, client: newClient(), version: version, address: u.String(), sight: map[string]blindAlert{}}, nil
}

// Close implements Sender.
func (a *alertmanager) Close() { a.client.CloseIdleConnections() }

// Send implements Sender. A signal is told by telling what stands now, which
// what came after it may have changed.
func (a *alertmanager) Send(ctx context.Context, m Message) (string, error) {
	now := time.Now()
	switch m.Kind {
	case KindTest:
		t := alertOf(&m.Signal, m.Text, m.ID, a.sink.Labels)
		t.EndsAt = now.Add(resend)
		return a.post(ctx, []alert{t})
	case KindBlind, KindSighted:
		b := blindAlert{alert: alertOf(&m.Signal, m.Text, m.ID, a.sink.Labels)}
		if m.Kind == KindSighted {
			b.over = m.At
		}
		a.mu.Lock()
		a.sight[b.Fingerprint] = b
		a.mu.Unlock()
		return a.post(ctx, a.sights(now))
	}
	return a.level(ctx)
}

// level tells what stands.
func (a *alertmanager) level(ctx context.Context) (string, error) {
	now := time.Now()
	alerts := a.sights(now)
	if a.sees() {
		s := Signal{At: now.UTC()}
		w := alertOf(&s, "progmon looks, and sees", "", a.sink.Labels)
		w.Labels["alertname"], w.EndsAt = alertWatchdog, now.Add(watchdogLife)
		delete(w.Annotations, "signal")
		delete(w.Annotations, "id")
		alerts = append(alerts, w)
	}
	stands, err := a.stands(ctx, now.Add(-resolvedFor))
	if err != nil {
		// What is known goes out all the same.
		if _, posted := a.post(ctx, alerts); posted != nil {
			return "", posted
		}
		return "", err
	}
	for _, s := range stands {
		if wanted(&a.sink, &s) {
			alerts = append(alerts, standing(&s, now, a.sink.Labels))
		}
	}
	return a.post(ctx, alerts)
}

// wanted reports whether a signal that stands passes the filters.
func wanted(p *policyfile.Sink, s *store.Stand) bool {
	sig := fromLog(s.Delivered)
	return (len(p.Families) == 0 || slices.Contains(p.Families, sig.Family)) &&
		(len(p.Kinds) == 0 || slices.Contains(p.Kinds, sig.Kind)) &&
		(len(p.States) == 0 || slices.Contains(p.States, sig.State))
}

// standing is a signal that stands as an alert.
func standing(s *store.Stand, now time.Time, own map[string]string) alert {
	sig := fromLog(s.Delivered)
	sig.Began = nil
	text := sig.text()
	if s.Escalated {
		text = "escalated: " + text
	}
	a := alertOf(&sig, text, "", own)
	delete(a.Annotations, "id")
	a.EndsAt = now.Add(alertLife)
	if !s.Over.IsZero() {
		a.EndsAt = s.Over
	}
	return a
}

// sights are the alerts about blindness, those that are over for a while.
func (a *alertmanager) sights(now time.Time) (alerts []alert) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, b := range a.sight {
		if b.EndsAt = now.Add(alertLife); !b.over.IsZero() {
			b.EndsAt = b.over
		}
		if !b.over.IsZero() && now.Sub(b.over) > resolvedFor {
			delete(a.sight, key)
			continue
		}
		alerts = append(alerts, b.alert)
	}
	return alerts
}

// post sends alerts to Alertmanager.
func (a *alertmanager) post(ctx context.Context, alerts []alert) (string, error) {
	type posted struct {
		Labels      map[string]string `json:"labels"`
		Annotations map[string]string `json:"annotations"`
		StartsAt    time.Time         `json:"startsAt"`
		EndsAt      time.Time         `json:"endsAt"`
	}
	all := make([]posted, 0, len(alerts))
	for _, each := range alerts {
		all = append(all, posted{each.Labels, each.Annotations, each.StartsAt, each.EndsAt})
	}
	body, err := json.Marshal(all)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, a.address, bytes.NewReader(body))
	if err != nil {
		return "", withoutAddress(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", "progmon/"+a.version)
	return post(a.client, req)
}
