package sink

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the wanted bodies")

// TestBodiesAreAsTheyWere: the bodies of webhooks, kept in testdata/webhook.
// Alertmanager's own Go types read the same files, strictly, in a module of
// their own: testdata/alertmanager at the top of the repository.
func TestBodiesAreAsTheyWere(t *testing.T) {
	stalled := sampleMessage()
	recovered := sampleMessage()
	began := recovered.At
	recovered.Kind, recovered.At, recovered.Began, recovered.State, recovered.Reason = "recovered", began.Add(time.Hour), &began, "advancing", ""
	merged := sampleMessage()
	merged.Signals = []Signal{stalled.Signal, recovered.Signal}
	storm := sampleMessage()
	storm.Signals, storm.Counts = nil, []Count{{"stalled", 30, 30}}
	for _, run := range []string{"a", "b", "c"} {
		s := stalled.Signal
		s.Run = run
		storm.Signals = append(storm.Signals, s)
	}
	storm.Signal, storm.Text = Signal{Kind: "stalled", At: stalled.At, Event: 9}, storm.storm()
	blind := Sight{Source: "/var/trail.db", Reason: "missing", Since: began, For: time.Minute}.message("m", began.Add(time.Minute))
	for name, m := range map[string]Message{"stalled": stalled, "recovered": recovered, "merged": merged, "storm": storm, "blind": blind, "test": testMessage("m", began)} {
		body, err := json.MarshalIndent(alertmanagerBody(m, "page", map[string]string{"team": "ops"}), "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		strict(t, body)
		file := filepath.Join("testdata", "webhook", name+".json")
		if *update {
			if err := os.WriteFile(file, append(body, '\n'), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(append(body, '\n'), want) {
			t.Errorf("%s is\n%s\nwant\n%s", name, body, want)
		}
	}
}
