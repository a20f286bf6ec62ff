package sink

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
)

// webhook posts each message: the body of Alertmanager's webhook receiver,
// version 4, with the headers of CloudEvents 1.0 in binary mode and, where there
// is a secret, the signature of Standard Webhooks.
type webhook struct {
	sink    policyfile.Sink
	client  *http.Client
	version string
	body    func(Message) (body []byte, contentType string, err error)
}

// maxSecret is how much of a secret file is read, in bytes.
const maxSecret = 64 << 10

func newWebhook(s policyfile.Sink, version string) (*webhook, error) {
	w := &webhook{sink: s, version: version, client: newClient()}
	w.body = func(m Message) ([]byte, string, error) {
		body, err := json.Marshal(alertmanagerBody(m, s.Name, s.Labels))
		return body, "application/json", err
	}
	return w, nil
}

// newClient is a client that follows no redirection: a message is not for
// whoever an answer names.
func newClient() *http.Client {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

// Close implements Sender.
func (w *webhook) Close() { w.client.CloseIdleConnections() }

// secretOf is the secret of a sink, read at each message so that it can be
// changed in place; nil when it has none.
func secretOf(s policyfile.Sink) ([]byte, error) {
	if s.SecretFile == "" {
		return secretKey(s.Secret)
	}
	f, err := os.Open(s.SecretFile)
	if err != nil {
		return nil, fmt.Errorf("read the secret: %w", err)
	}
	defer func() { _ = f.Close() }() // nothing was written
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("read the secret: %q is not a regular file", s.SecretFile)
	}
	text, err := io.ReadAll(io.LimitReader(f, maxSecret))
	if err != nil {
		return nil, fmt.Errorf("read the secret: %w", err)
	}
	key, err := secretKey(strings.TrimSpace(string(text)))
	if err == nil && len(key) == 0 {
		err = fmt.Errorf("read the secret: %q is empty", s.SecretFile)
	}
	return key, err
}

// Send implements Sender.
func (w *webhook) Send(ctx context.Context, m Message) (string, error) {
	body, contentType, err := w.body(m)
	if err != nil {
		return "", err
	}
	key, err := secretOf(w.sink)
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, w.sink.URL, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	req.Header.Set("Content-Type", contentType)
	req.Header.Set("User-Agent", "progmon/"+w.version)
	cloudEvent(req.Header, m)
	sign(req.Header, m.ID, time.Now(), key, body)
	return post(w.client, req)
}

// cloudEvent sets the headers of CloudEvents 1.0 in binary mode.
func cloudEvent(h http.Header, m Message) {
	h.Set("ce-specversion", "1.0")
	h.Set("ce-id", m.ID)
	h.Set("ce-source", m.source)
	h.Set("ce-type", "progmon.signal."+m.Kind)
	h.Set("ce-time", m.At.Format(time.RFC3339Nano))
	if m.Run != "" {
		h.Set("ce-subject", m.Run)
	}
}

// post sends a request, and says what the answer means: any 2xx takes the
// message, 410 says that it never will be taken, and everything else that it is
// to be tried again. That goes for 404 too: a page that is not there is most
// often one that is not there yet, or that the policy file misspells.
func post(client *http.Client, req *http.Request) (string, error) {
	var wrote atomic.Bool
	trace := &httptrace.ClientTrace{WroteRequest: func(httptrace.WroteRequestInfo) { wrote.Store(true) }}
	resp, err := client.Do(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
	if err != nil {
		return "", &Failure{Err: withoutAddress(err), Unsure: wrote.Load()}
	}
	text, readErr := io.ReadAll(io.LimitReader(resp.Body, keptOutput))
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10) // so that the connection can be used again
	_ = resp.Body.Close()                          // nothing was written
	answer := resp.Status
	if said := clean(strings.TrimSpace(string(text))); said != "" {
		answer += ": " + said
	}
	switch {
	case resp.StatusCode >= 200 && resp.StatusCode < 300:
		return answer, nil // taken, whatever became of the rest of the answer
	case resp.StatusCode == http.StatusGone:
		return answer, &Failure{Err: errors.New(answer), Gone: true}
	case resp.StatusCode >= 300 && resp.StatusCode < 400:
		answer += "; it is not followed to " + clean(resp.Header.Get("Location"))
	case readErr != nil:
		answer += ", and no more"
	}
	return answer, &Failure{Err: errors.New(answer), After: retryAfter(resp, time.Now())}
}

// withoutAddress is err without the address, which may hold a secret.
func withoutAddress(err error) error {
	type wrapped interface{ Unwrap() error }
	if w, ok := err.(wrapped); ok && w.Unwrap() != nil {
		return w.Unwrap()
	}
	return err
}

// longestAfter is the longest time that a place can ask to be left alone.
const longestAfter = 24 * time.Hour

// retryAfter is how long an answer asks to be left alone, 0 when it does not.
func retryAfter(resp *http.Response, now time.Time) time.Duration {
	text := strings.TrimSpace(resp.Header.Get("Retry-After"))
	if text == "" {
		return 0
	}
	var d time.Duration
	if seconds, err := strconv.ParseInt(text, 10, 32); err == nil {
		d = time.Duration(seconds) * time.Second
	} else if at, err := http.ParseTime(text); err == nil {
		// By the clock of whoever says it.
		if date, err := http.ParseTime(resp.Header.Get("Date")); err == nil {
			now = date
		}
		d = at.Sub(now)
	}
	return min(max(d, 0), longestAfter)
}
