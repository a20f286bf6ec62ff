package sink

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
)

// received is what a server got.
type received struct {
	header http.Header
	body   []byte
}

// serve starts a server that answers as told, and says what it got.
func serve(t *testing.T, answer func(w http.ResponseWriter)) (url string, got func() received) {
	t.Helper()
	requests := make(chan received, 100)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.Method != http.MethodPost {
			t.Errorf("the method is %s, want POST", r.Method)
		}
		requests <- received{r.Header, body}
		answer(w)
	}))
	t.Cleanup(s.Close)
	return s.URL + "/hook?token=geheim", func() received {
		t.Helper()
		select {
		case r := <-requests:
			return r
		case <-time.After(10 * time.Second):
			t.Fatal("nothing arrived")
			panic("unreachable")
		}
	}
}

func ok(http.ResponseWriter) {}

// sampleMessage is a message with what one can have.
func sampleMessage() Message {
	at := time.Date(2026, 12, 1, 5, 0, 0, 0, time.UTC)
	total := int64(20)
	position := int64(7)
	return Message{Schema: 1, ID: "progmon-aa-9", Text: "nightly stalled (quiet): no advance for 15m", source: "urn:progmon:aa",
		Signal: Signal{Kind: "stalled", At: at, Event: 9, Run: "nightly", Family: "export", Epoch: 1, Since: 8, State: "stalled", Reason: "quiet",
			Detail: "no advance for 15m", Position: &position, Total: &total, SilenceS: 900}}
}

func hook(t *testing.T, url string, change func(*policyfile.Sink)) *webhook {
	t.Helper()
	s := policyfile.Sink{Name: "page", Type: "webhook", URL: url, Deadline: 10 * time.Second}
	if change != nil {
		change(&s)
	}
	w, err := newWebhook(s, "1.0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.Close)
	return w
}

// alertmanagerMessage is what the page on Alertmanager's webhook receiver says
// that version 4 of its body has, and nothing else.
type alertmanagerMessage struct {
	Version           string            `json:"version"`
	GroupKey          string            `json:"groupKey"`
	TruncatedAlerts   int               `json:"truncatedAlerts"`
	Status            string            `json:"status"`
	Receiver          string            `json:"receiver"`
	GroupLabels       map[string]string `json:"groupLabels"`
	CommonLabels      map[string]string `json:"commonLabels"`
	CommonAnnotations map[string]string `json:"commonAnnotations"`
	ExternalURL       string            `json:"externalURL"`
	Alerts            []struct {
		Status       string            `json:"status"`
		Labels       map[string]string `json:"labels"`
		Annotations  map[string]string `json:"annotations"`
		StartsAt     time.Time         `json:"startsAt"`
		EndsAt       time.Time         `json:"endsAt"`
		GeneratorURL string            `json:"generatorURL"`
		Fingerprint  string            `json:"fingerprint"`
	} `json:"alerts"`
}

func strict(t *testing.T, body []byte) (m alertmanagerMessage) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		t.Errorf("the body is none of Alertmanager's: %v\n%s", err, body)
	}
	// And every field is there, also where it is empty.
	var got, want map[string]json.RawMessage
	all, _ := json.Marshal(m)
	if json.Unmarshal(body, &got) != nil || json.Unmarshal(all, &want) != nil || len(got) != len(want) {
		t.Errorf("the body has %d fields, want %d:\n%s", len(got), len(want), body)
	}
	return m
}

func TestAWebhookIsAlertmanagersAndACloudEvent(t *testing.T) {
	url, got := serve(t, ok)
	w := hook(t, url, func(s *policyfile.Sink) { s.Labels = map[string]string{"team": "ops"} })
	answer, err := w.Send(context.Background(), sampleMessage())
	if err != nil || answer != "200 OK" {
		t.Fatalf("Send() = %q, %v", answer, err)
	}
	r := got()
	for name, want := range map[string]string{
		"Content-Type": "application/json", "Ce-Specversion": "1.0", "Ce-Id": "progmon-aa-9", "Ce-Source": "urn:progmon:aa",
		"Ce-Type": "progmon.signal.stalled", "Ce-Time": "2026-12-01T05:00:00Z", "Ce-Subject": "nightly", "Webhook-Id": "progmon-aa-9",
		"User-Agent": "progmon/1.0", "Webhook-Signature": "",
	} {
		if got := r.header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	m := strict(t, r.body)
	if m.Version != "4" || m.Status != "firing" || m.Receiver != "page" || len(m.Alerts) != 1 {
		t.Fatalf("the body is %s", r.body)
	}
	a := m.Alerts[0]
	for name, want := range map[string]string{"alertname": "RunStalled", "run": "nightly", "family": "export", "team": "ops"} {
		if a.Labels[name] != want || m.CommonLabels[name] != want {
			t.Errorf("label %s is %q and %q, want %q", name, a.Labels[name], m.CommonLabels[name], want)
		}
	}
	for name, want := range map[string]string{"summary": "nightly stalled (quiet): no advance for 15m", "state": "stalled", "reason": "quiet", "position": "7", "total": "20", "silence": "15m", "signal": "stalled"} {
		if a.Annotations[name] != want {
			t.Errorf("annotation %s is %q, want %q", name, a.Annotations[name], want)
		}
	}
	if len(a.Labels) != 4 {
		t.Errorf("labels %v: what changes has no place among them", a.Labels)
	}
	if !a.EndsAt.IsZero() || !a.StartsAt.Equal(sampleMessage().At) {
		t.Errorf("it lasts from %v to %v", a.StartsAt, a.EndsAt)
	}
}

// TestAnAlertKeepsItsIdentity: from stalled by way of escalated to recovered the
// labels, the group's key and the fingerprint stay, and the last one resolves it.
func TestAnAlertKeepsItsIdentity(t *testing.T) {
	firing := alertmanagerBody(sampleMessage(), "page", nil)
	for kind, status := range map[string]string{"escalated": "firing", "recovered": "resolved"} {
		m := sampleMessage()
		began := m.At
		m.Kind, m.At, m.Began, m.State, m.Reason = kind, m.At.Add(time.Hour), &began, "advancing", ""
		got := alertmanagerBody(m, "page", nil)
		if got.GroupKey != firing.GroupKey || got.Alerts[0].Fingerprint != firing.Alerts[0].Fingerprint {
			t.Errorf("%s is %s %s, want %s %s", kind, got.GroupKey, got.Alerts[0].Fingerprint, firing.GroupKey, firing.Alerts[0].Fingerprint)
		}
		if a := got.Alerts[0]; got.Status != status || a.Status != status || !a.StartsAt.Equal(began) || a.EndsAt.IsZero() != (status == "firing") {
			t.Errorf("%s is %+v", kind, a)
		}
	}
	// As Prometheus' own model gives it for these labels.
	if got := fingerprint(map[string]string{"alertname": "RunStalled", "family": "export", "run": "nightly"}); len(got) != 16 || got != firing.Alerts[0].Fingerprint {
		t.Errorf("fingerprint %s", got)
	}
}

// TestTheSignatureIsThatOfStandardWebhooks checks it as a receiver would.
func TestTheSignatureIsThatOfStandardWebhooks(t *testing.T) {
	raw := []byte("0123456789abcdef0123456789abcdef")
	secret := "whsec_" + base64.StdEncoding.EncodeToString(raw)
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(secret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for claim, c := range map[string]struct {
		change func(*policyfile.Sink)
		key    []byte
	}{
		"base64":   {func(s *policyfile.Sink) { s.Secret = secret }, raw},
		"a file":   {func(s *policyfile.Sink) { s.SecretFile = file }, raw},
		"a phrase": {func(s *policyfile.Sink) { s.Secret = "open sesame" }, []byte("open sesame")},
	} {
		url, got := serve(t, ok)
		if _, err := hook(t, url, c.change).Send(context.Background(), sampleMessage()); err != nil {
			t.Fatal(err)
		}
		r := got()
		signed := r.header.Get("webhook-id") + "." + r.header.Get("webhook-timestamp") + "." + string(r.body)
		mac := hmac.New(sha256.New, c.key)
		_, _ = io.WriteString(mac, signed)
		text, ok := strings.CutPrefix(r.header.Get("webhook-signature"), "v1,")
		sent, err := base64.StdEncoding.DecodeString(text)
		if !ok || err != nil || !hmac.Equal(sent, mac.Sum(nil)) {
			t.Errorf("%s: the signature %q is not that of the message", claim, r.header.Get("webhook-signature"))
		}
		at, err := strconv.ParseInt(r.header.Get("webhook-timestamp"), 10, 64)
		if err != nil || time.Since(time.Unix(at, 0)).Abs() > time.Minute {
			t.Errorf("%s: the time is %q", claim, r.header.Get("webhook-timestamp"))
		}
	}
	for claim, change := range map[string]func(*policyfile.Sink){
		"no such file": func(s *policyfile.Sink) { s.SecretFile = file + "x" },
		"a directory":  func(s *policyfile.Sink) { s.SecretFile = filepath.Dir(file) },
		"no base64":    func(s *policyfile.Sink) { s.Secret = "whsec_!" },
	} {
		if _, err := hook(t, "http://127.0.0.1:1", change).Send(context.Background(), sampleMessage()); err == nil || strings.Contains(err.Error(), "refused") {
			t.Errorf("%s: Send() = %v, want an error before anything is sent", claim, err)
		}
	}
}

func TestWhatAnAnswerMeans(t *testing.T) {
	answer := func(code int, headers ...string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			for i := 0; i < len(headers); i += 2 {
				w.Header().Set(headers[i], headers[i+1])
			}
			w.WriteHeader(code)
			_, _ = io.WriteString(w, "so\x1b[31mrry\n")
		}
	}
	for _, c := range []struct {
		claim  string
		answer func(http.ResponseWriter)
		taken  bool
		gone   bool
		after  time.Duration
	}{
		{"202", answer(202), true, false, 0},
		{"500", answer(500), false, false, 0},
		{"404", answer(404), false, false, 0},
		{"410", answer(410), false, true, 0},
		{"429 with seconds", answer(429, "Retry-After", "120"), false, false, 2 * time.Minute},
		{"503 with a date", answer(503, "Retry-After", "Tue, 01 Dec 2026 05:10:00 GMT", "Date", "Tue, 01 Dec 2026 05:00:00 GMT"), false, false, 10 * time.Minute},
		{"429 with a year", answer(429, "Retry-After", "31536000"), false, false, 24 * time.Hour},
		{"429 with nonsense", answer(429, "Retry-After", "soon"), false, false, 0},
		{"a redirection", answer(307, "Location", "http://elsewhere"), false, false, 0},
	} {
		url, got := serve(t, c.answer)
		said, err := hook(t, url, nil).Send(context.Background(), sampleMessage())
		got()
		f, _ := errors.AsType[*Failure](err)
		if c.taken != (err == nil) || !c.taken && (f == nil || f.Gone != c.gone || f.After != c.after || f.Unsure) {
			t.Errorf("%s: Send() = %q, %+v", c.claim, said, f)
		}
		if strings.ContainsAny(said, "\x1b\n") {
			t.Errorf("%s: the answer %q is not safe to print", c.claim, said)
		}
	}
}

// TestAFailureKnowsWhatItDoesNotKnow: who was reached and did not answer may
// have taken the message; who was never reached has not. No error names the
// address, which may hold a secret.
func TestAFailureKnowsWhatItDoesNotKnow(t *testing.T) {
	release := make(chan struct{})
	hung, got := serve(t, func(http.ResponseWriter) { <-release })
	t.Cleanup(func() { close(release) })
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	for _, c := range []struct {
		claim, url string
		unsure     bool
	}{
		{"nobody listens", "http://127.0.0.1:1/geheim", false},
		{"a certificate that nobody knows", secure.URL + "/geheim", false},
		{"no answer", hung, true},
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		_, err := hook(t, c.url, nil).Send(ctx, sampleMessage())
		cancel()
		f, _ := errors.AsType[*Failure](err)
		if f == nil || f.Unsure != c.unsure || strings.Contains(err.Error(), "geheim") {
			t.Errorf("%s: Send() = %v, unsure %v, want unsure %v", c.claim, err, f != nil && f.Unsure, c.unsure)
		}
	}
	got()
}
