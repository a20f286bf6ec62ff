// Package alertmanager reads the bodies of progmon's webhooks with
// Alertmanager's own types. It is a module of its own, so that what
// Alertmanager needs is not required by progmon.
package alertmanager

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/prometheus/alertmanager/notify/webhook"
	"github.com/prometheus/common/model"
)

// TestBodiesAreAlertmanagers: nothing in them is unknown, the fingerprint is
// that of the labels, and firing is what Alertmanager calls firing.
func TestBodiesAreAlertmanagers(t *testing.T) {
	files, err := filepath.Glob("../../internal/sink/testdata/webhook/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		d := json.NewDecoder(f)
		d.DisallowUnknownFields()
		var m webhook.Message
		err = d.Decode(&m)
		if closed := f.Close(); err == nil {
			err = closed
		}
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if m.Version != "4" || m.GroupKey == "" || m.Receiver != "page" || len(m.Alerts) == 0 {
			t.Errorf("%s: %+v", file, m)
		}
		firing := 0
		for _, a := range m.Alerts {
			labels := model.LabelSet{}
			for name, v := range a.Labels {
				labels[model.LabelName(name)] = model.LabelValue(v)
			}
			if err := labels.Validate(); err != nil || a.Fingerprint != labels.Fingerprint().String() {
				t.Errorf("%s: labels %v have the fingerprint %s and not %s, %v", file, labels, labels.Fingerprint(), a.Fingerprint, err)
			}
			if a.StartsAt.IsZero() || a.EndsAt.IsZero() != (a.Status == string(model.AlertFiring)) {
				t.Errorf("%s: %s from %v to %v", file, a.Status, a.StartsAt, a.EndsAt)
			}
			if a.Status == string(model.AlertFiring) {
				firing++
			}
		}
		if (m.Status == string(model.AlertFiring)) != (firing > 0) {
			t.Errorf("%s: %s with %d alerts that fire", file, m.Status, firing)
		}
	}
}
