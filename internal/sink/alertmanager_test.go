package sink

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/internal/watch"
)

// real is an Alertmanager in a process of its own.
type real struct {
	t    *testing.T
	bin  string
	addr string
	cmd  *exec.Cmd
}

// start starts it with nothing remembered, and waits until it answers.
func (r *real) start() {
	r.t.Helper()
	dir := r.t.TempDir()
	config := filepath.Join(dir, "alertmanager.yml")
	if err := os.WriteFile(config, []byte("route:\n  receiver: none\nreceivers:\n  - name: none\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		r.t.Fatal(err)
	}
	r.cmd = exec.Command(r.bin, "--config.file="+config, "--storage.path="+filepath.Join(dir, "data"), "--web.listen-address="+r.addr, "--cluster.listen-address=")
	r.cmd.Stdout, r.cmd.Stderr = log, log
	if err := r.cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	_ = log.Close() // the process has its own
	r.within("it answers", func() bool {
		resp, err := http.Get("http://" + r.addr + "/-/ready")
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		return resp.StatusCode == http.StatusOK
	})
}

func (r *real) stop() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait() // killed
}

func (r *real) within(what string, met func() bool) {
	r.t.Helper()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(30 * time.Second); !met(); {
		select {
		case <-tick.C:
		case <-end:
			r.t.Fatalf("waited in vain until %s; it shows %q", what, r.shows())
		}
	}
}

// shows is the alerts that it takes for firing, sorted.
func (r *real) shows() []string {
	r.t.Helper()
	resp, err := http.Get("http://" + r.addr + "/api/v2/alerts?active=true")
	if err != nil {
		return []string{err.Error()}
	}
	defer resp.Body.Close()
	var alerts []struct {
		Labels, Annotations map[string]string
	}
	if err := json.NewDecoder(resp.Body).Decode(&alerts); err != nil {
		r.t.Error(err)
	}
	shown := []string{}
	for _, a := range alerts {
		text := a.Labels["alertname"]
		if a.Labels["run"] != "" {
			text += " " + a.Labels["run"] + " " + a.Labels["family"] + " " + a.Annotations["state"]
		}
		shown = append(shown, text+" "+a.Labels["team"])
	}
	slices.Sort(shown)
	return shown
}

// TestARealAlertmanager shows what stands, also after it was restarted and had
// forgotten everything, and no more when it is over.
func TestARealAlertmanager(t *testing.T) {
	bin, err := exec.LookPath("prometheus-alertmanager")
	if err != nil {
		if bin, err = exec.LookPath("alertmanager"); err != nil {
			t.Log("there is no Alertmanager here")
			return
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	am := &real{t: t, bin: bin, addr: l.Addr().String()}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	am.start()
	defer func() { am.stop() }()

	tr := newTrail(t, 3)
	s := policyfile.Sink{Name: "am", Type: "alertmanager", URL: "http://" + am.addr, Deadline: 5 * time.Second, Labels: map[string]string{"team": "ops"}}
	sender, err := NewSender(s, "test", "")
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := Test(context.Background(), s, sender, "m", time.Now()); err != nil || answer != "200 OK" {
		t.Fatalf("Test() = %q, %v", answer, err)
	}
	if got := am.shows(); len(got) != 1 || !strings.HasPrefix(got[0], "ProgmonTest progmon-test") {
		t.Errorf("a test is shown as %q", got)
	}
	o, stop := tr.office(Place{Sink: s, Sender: sender})
	defer func() { stop() }()
	if err := o.Register(context.Background()); err != nil {
		t.Fatal(err)
	}
	shows := func(claim string, want ...string) {
		t.Helper()
		am.within(claim, func() bool {
			got := slices.DeleteFunc(am.shows(), func(a string) bool { return strings.HasPrefix(a, "ProgmonTest") })
			return slices.Equal(got, want)
		})
	}
	// No watchdog as long as nobody has looked.
	tr.signal("stalled", "r0", "r1")
	shows("two runs stalled", "RunStalled r0 nightly stalled ops", "RunStalled r1 nightly stalled ops")
	o.Heard(watch.Report{At: time.Now()})
	tr.signal("escalated", "r0")
	shows("the monitor looks", "ProgmonWatchdog ops", "RunStalled r0 nightly stalled ops", "RunStalled r1 nightly stalled ops")
	o.Heard(watch.Report{At: time.Now(), Blind: &watch.Sight{Reason: "missing", Since: time.Now()}})
	shows("it is blind", "MonitorBlind ops", "ProgmonWatchdog ops", "RunStalled r0 nightly stalled ops", "RunStalled r1 nightly stalled ops")
	o.Heard(watch.Report{At: time.Now(), Sighted: &watch.Sight{Reason: "missing", Since: time.Now()}})
	tr.advance("r0")
	tr.signal("recovered", "r0")
	shows("one recovered", "ProgmonWatchdog ops", "RunStalled r1 nightly stalled ops")

	// Both ends are restarted, and it is told again what stands.
	stop()
	am.stop()
	am.start()
	if got := am.shows(); len(got) != 0 {
		t.Fatalf("after the restart it knows %q", got)
	}
	sender, err = NewSender(s, "test", "")
	if err != nil {
		t.Fatal(err)
	}
	o, stop = tr.office(Place{Sink: s, Sender: sender})
	o.Heard(watch.Report{At: time.Now()})
	shows("what stands is said again", "ProgmonWatchdog ops", "RunStalled r1 nightly stalled ops")
}

// TestWhatStandsIsSaidEveryMinute, and what is over for a quarter of an hour.
func TestWhatStandsIsSaidEveryMinute(t *testing.T) {
	bubble(t, func(t *testing.T) {
		tr := newTrail(t, 2)
		tr.keep("am")
		p, b := newPipes(), &bodies{}
		server := serveOn(p, b)
		defer server.Close()
		s := policyfile.Sink{Name: "am", Type: "alertmanager", URL: server.URL, Deadline: 5 * time.Second, Families: []string{"nightly"}}
		a, err := newAlertmanager(s, "test")
		if err != nil {
			t.Fatal(err)
		}
		a.client.Transport.(*http.Transport).DialContext = p.dial
		_, stop := tr.office(Place{Sink: s, Sender: a})
		defer stop()
		tr.signal("stalled", "r0")
		pass(10*time.Minute + time.Second)
		if n := b.count(func(a postedAlert) bool { return a.firing() && a.Labels["run"] == "r0" }); n < 10 || n > 12 {
			t.Errorf("in ten minutes it was said %d times, want once a minute", n)
		}
		tr.advance("r0")
		tr.signal("recovered", "r0")
		pass(2 * time.Second)
		b.reset()
		pass(time.Hour)
		if n := b.count(postedAlert.firing); n != 0 {
			t.Errorf("after it recovered it was said to fire %d times", n)
		}
		if n := b.count(func(a postedAlert) bool { return !a.firing() }); n < 13 || n > 15 {
			t.Errorf("that it is over was said %d times, want for 15 minutes", n)
		}
	})
}

func TestTemplates(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "own.tmpl")
	if err := os.WriteFile(file, []byte("{{upper .Kind}} {{.Run}} {{.Status}} {{.Labels.team}}: {{cut 5 .Text}}"), 0o600); err != nil {
		t.Fatal(err)
	}
	recovered := sampleMessage()
	recovered.Kind, recovered.Text = "recovered", `quote " and <tag>`
	for _, c := range []struct {
		claim string
		sink  policyfile.Sink
		m     Message
		path  string
		want  string // parts of the body
	}{
		{"slack", policyfile.Sink{Format: "slack"}, sampleMessage(), "/hook/topic", `{"text": "⚠️ nightly stalled (quiet): no advance for 15m"}`},
		{"discord", policyfile.Sink{Format: "discord"}, recovered, "/hook/topic", `{"content": "✅ quote \" and \u003ctag\u003e", "allowed_mentions": {"parse": []}}`},
		{"ntfy", policyfile.Sink{Format: "ntfy"}, sampleMessage(), "/hook/", `{"topic": "topic", "title": "progmon: stalled nightly", "message": "nightly stalled (quiet): no advance for 15m", "priority": 4, "tags": ["warning"]}`},
		{"one of your own", policyfile.Sink{TemplateFile: file, Labels: map[string]string{"team": "ops"}}, sampleMessage(), "/hook/topic", "STALLED nightly firing ops: night…"},
	} {
		requests := make(chan string, 1)
		server := newServer(t, func(r *http.Request, body string) {
			requests <- r.URL.Path + " " + body + " " + r.Header.Get("webhook-id")
		})
		c.sink.Name, c.sink.Type, c.sink.URL = "t", "template", server+"/hook/topic"
		w, err := NewSender(c.sink, "1", "")
		if err != nil {
			t.Fatalf("%s: %v", c.claim, err)
		}
		if _, err := w.Send(context.Background(), c.m); err != nil {
			t.Errorf("%s: %v", c.claim, err)
		}
		w.Close()
		if got, want := <-requests, fmt.Sprintf("%s %s %s", c.path, c.want, c.m.ID); got != want {
			t.Errorf("%s: the server got\n%s, want\n%s", c.claim, got, want)
		}
	}
	for claim, text := range map[string]string{"bad syntax": "{{", "an unknown field": "{{.Nothing}}", "a bad call": "{{json}}"} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := NewSender(policyfile.Sink{Name: "t", Type: "template", TemplateFile: file, URL: "http://h"}, "1", ""); err == nil {
			t.Errorf("%s is found in the night only", claim)
		}
	}
}
