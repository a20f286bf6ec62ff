package main

import (
	"fmt"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// advice is what a tired person would type next about a run that needs
// somebody; empty about one that does not.
func advice(row *watch.Row) string {
	v := &row.Verdict
	r := &v.Reading
	run := printable(r.Run)
	wrapped := row.Files != nil && row.Files.Wrapper == cursor.Alive && !row.Files.Beat.IsZero()
	switch state := v.State; {
	case state == policy.Blind && v.Reason == store.BlindNoTrail:
		return "progmon status lists the runs there are"
	case r.Activity:
		if row.Files != nil && row.Files.Log && severity(state) > 0 {
			return "progmon log " + run + " says what it wrote last"
		}
		return ""
	case state == policy.Failed:
		says := fmt.Sprintf("progmon takeover %s continues it at step %d, progmon cancel %s takes it out of the checks", run, r.Frontier+1, run)
		if row.Files != nil && row.Files.Log {
			says = "progmon log " + run + " says what it wrote last; " + says
		}
		return says
	case state == policy.Degraded && wrapped:
		return "progmon log " + run + " -f, if it matters"
	case state == policy.Stuck, state == policy.Stalled, state == policy.Timeout:
		if v.Reason == policy.ReasonStopped {
			return "kill -CONT its process, or find out who stopped it"
		}
		if wrapped {
			return fmt.Sprintf("progmon log %s and progmon capture %s to see why, progmon stop %s to end it", run, run, run)
		}
		return fmt.Sprintf("see whether its worker lives and end it; progmon takeover %s lets another go on at step %d", run, r.Frontier+1)
	}
	return ""
}
