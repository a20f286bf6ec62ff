package store

import (
	"strings"

	"github.com/progmon/progmon/cursor"
)

// signalFault says which rule a signal or a ping breaks that was told of a run
// standing at s, "" when it breaks none. They are the rules by which the trigger
// an_event_follows_the_rules takes one. told has the keys of those before it.
func signalFault(e *logRow, s *cursor.Standing, told map[said]int64) string {
	episode := s.StartEvent
	if s.AdvanceEvent != 0 {
		episode = s.AdvanceEvent
	}
	stalled := told[said{e.run, "signal.stalled", e.Epoch, e.since}] != 0
	kind := strings.TrimPrefix(e.Kind, "signal.")
	if e.Source != "monitor" && e.Source != "wrapper" {
		return "only a monitor and a wrapper signal"
	}
	if kind == "recovered" {
		switch {
		case e.Epoch > s.Epoch:
			return "a signal names an epoch that was"
		case s.AdvanceEvent <= e.since || !stalled:
			return "recovered answers a stalled, by an advance"
		}
		return ""
	}
	switch {
	case e.Epoch != s.Epoch:
		return "a signal names the epoch that holds its run"
	case e.since != episode:
		return "a signal names the event of the last advance, or of the start of its run, in since"
	}
	bounded := s.Total.Known || s.HasObservedTotal && s.ObservedTotal >= s.Position
	short := s.Total.Known && s.Total.N > s.Position || s.HasObservedTotal && s.ObservedTotal > s.Position
	ended := s.Process || s.ExitEvent != 0 || s.CancelEvent != 0
	switch kind {
	case "stalled", "pinged", "timeout", "wrap-up", "escalated":
		switch {
		case !s.Live:
			return "of a run that is over its end is told, and nothing else"
		case kind == "escalated" && !stalled:
			return "escalated follows a stalled of the same episode"
		}
	case "respawned":
		if s.EpochEvent == s.StartEvent {
			return "respawned follows a takeover"
		}
	case "gave-up":
		if s.ExitEvent == 0 && told[said{e.run, "signal.failed", e.Epoch, e.since}] == 0 {
			return "gave-up follows an exit, or a failed"
		}
	case "done":
		switch {
		case short:
			return "a run is done at its full position"
		case !ended && (s.Total.Open || !bounded):
			return "a run without a process ends by a row of its own"
		}
	case "failed", "cancelled":
		if !ended {
			return "a run without a process ends by a row of its own"
		}
	}
	return ""
}
