package main

import (
	"testing"
	"time"
)

func TestADurationFlagTakesWhatAPolicyFileTakes(t *testing.T) {
	var d durationFlag
	if err := d.Set("1d12h"); err != nil || d.Get() != 36*time.Hour || d.String() != "1d12h" {
		t.Errorf("Set(1d12h) = %v, then %v, %q", err, d.Get(), d.String())
	}
	for _, s := range []string{"5", "0s", "0.0001ms", "-1s", ""} {
		if err := d.Set(s); err == nil || d.Get() != 36*time.Hour {
			t.Errorf("Set(%q) = %v, then %v, want an error and nothing changed", s, err, d.Get())
		}
	}
}
