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
	if err := d.Set("5"); err == nil || d.Get() != 36*time.Hour {
		t.Errorf("Set(5) = %v, then %v, want an error and nothing changed", err, d.Get())
	}
}
