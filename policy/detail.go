package policy

import (
	"strconv"
	"strings"
	"time"
)

// detail is the verdict as one sentence, built from its evidence.
func detail(v *Verdict, j *judge, now time.Time) string {
	r := &v.Reading
	if r.Activity && v.State != Blind {
		return activityDetail(v, j, now)
	}
	switch v.State {
	case Blind:
		return sentence("nothing is known: "+Quote(v.Reason, 40), Quote(r.Blind.Detail, 200))
	case Cancelled:
		how := ""
		if r.Exit.Known {
			how = exitReason(r.Exit)
		}
		switch {
		case how != "" && r.Exit.AskedBy == "user":
			return sentence("ended on request, " + how + ", " + v.place())
		case how != "":
			how = "its end was " + how
		}
		return sentence("cancelled "+v.place(), how)
	case Done:
		switch b := r.Bound(); {
		case !b.Known:
			return "exit 0 after " + steps(r.Position) + "; no total was declared"
		default:
			return v.allDone()
		}
	case Failed:
		return sentence(v.failure() + " " + v.place())
	case Timeout:
		return sentence("running for "+About(v.Elapsed)+", max_runtime is "+FormatDuration(v.Policy.MaxRuntime),
			v.stillness())
	case Waiting:
		says := "on hold for at most " + About(j.still.holdUntil.Sub(now)) + " more"
		if r.Hold.Why != "" {
			says += ": " + Quote(r.Hold.Why, 80)
		}
		return sentence(says, v.place())
	case Starting:
		return sentence("no advance yet in epoch "+strconv.FormatInt(r.Epoch, 10)+", "+
			About(j.grace.Sub(now))+" of grace left", v.work())
	case Advancing:
		switch {
		case j.full:
			return v.allDone() + ", the process has not exited yet"
		case now.Before(j.still.since):
			return sentence(v.place(), "a step declared "+About(j.still.since.Sub(now))+" more")
		}
		if r.AdvanceEvent == 0 {
			return sentence(v.place(), "no advance yet", v.work())
		}
		return sentence(v.place(), "last advance "+About(now.Sub(r.AdvancedAt))+" ago", v.work())
	case Degraded:
		switch v.Reason {
		case ReasonUnexited:
			return v.allDone() + " " + About(now.Sub(j.fullAt())) +
				" ago, and the process has not exited"
		case ReasonRegressed:
			return sentence(v.regression(), v.place())
		case ReasonReceding:
			return sentence("the total grows as fast as steps get done: "+count(r.Remaining())+" left and none fewer than "+
				FormatDuration(v.Policy.StallAfter)+" ago", v.place())
		}
	}
	still := v.stillness()
	if (r.Told || r.Carried) && v.Silence < v.Policy.StallAfter {
		// It was told before a wait that was declared since. Silence counts from
		// the end of that wait; what a person wants to know is the whole.
		from := later(r.AdvancedAt, r.StartedAt)
		if !r.Carried {
			from = later(from, r.EpochAt)
		}
		if whole := now.Sub(from); whole > v.Silence+time.Second {
			still = "no advance for " + About(whole) + ", waits included, " + v.place()
		}
	}
	return sentence(still, v.work(), v.why())
}

func (v *Verdict) failure() string {
	switch {
	case v.Reason == ReasonShort:
		return "exit 0 with " + steps(v.Reading.Remaining()) + " left"
	case v.Reason == ReasonVanished:
		return "the process is gone and left no exit record"
	case v.Reason == ReasonSpawn:
		return "the command could not be started"
	case v.Reason == ReasonMalformed:
		return "the exit record cannot be read"
	case v.Reason == ReasonNoEvidence:
		return "there is neither a pid nor an exit record"
	case strings.HasPrefix(v.Reason, "exit "):
		return "exited with code " + v.Reason[len("exit "):]
	case strings.HasPrefix(v.Reason, "signal "):
		return "ended by " + v.Reason
	}
	return v.Reason
}

func (v *Verdict) regression() string {
	r := &v.Reading
	if r.HasObserved && r.Observed < r.Position {
		return "the observed cursor fell back to " + count(r.Observed) + " from " + count(r.Position)
	}
	return "the observed total is " + count(r.ObservedTotal) + ", below the position " + count(r.Position)
}

// allDone says that the position met the bound. Where an observed cursor says
// so it is not steps that were seen done.
func (v *Verdict) allDone() string {
	n := v.Reading.Bound().N
	if r := &v.Reading; r.HasObserved && r.Observed >= n {
		return "the observed cursor is at " + count(r.Observed) + " of " + count(n)
	}
	return "all of " + steps(n) + " done"
}

// stillness is how long nothing has advanced, and where.
func (v *Verdict) stillness() string {
	return "no advance for " + About(v.Silence) + " " + v.place()
}

// place is where the run stands: "after step 7 of 20" where the steps before
// it are all terminal, else "at 7 of 20".
func (v *Verdict) place() string {
	r := &v.Reading
	at := "at "
	if r.Frontier == r.Position && r.Position > 0 {
		at = "after step "
	}
	at += count(r.Position)
	if b := r.Bound(); b.Known {
		at += " of " + count(b.N)
		if b.Open {
			at += " so far"
		}
	}
	return at
}

// work is what went on since the last advance.
func (v *Verdict) work() string {
	r := &v.Reading
	var parts []string
	if r.Rows > 0 {
		parts = append(parts, plural(r.Rows, "row")+" since")
	}
	if r.Failed > 0 {
		parts = append(parts, plural(r.Failed, "attempt")+" failed")
	}
	if r.Growth > 0 {
		says := "its log grew at " + plural(r.Growth, "look")
		if r.Bytes > 0 {
			says += " by " + plural(r.Bytes, "byte")
		}
		parts = append(parts, says)
	}
	return strings.Join(parts, ", ")
}

// why is the reason in words, with what explains it.
func (v *Verdict) why() string {
	says := v.Reason
	switch v.Reason {
	case ReasonStopped:
		says = "the process is stopped (SIGSTOP)"
	case ReasonNeverStarted:
		says = "epoch " + strconv.FormatInt(v.Reading.Epoch, 10) + " never advanced"
	}
	if v.Reading.Unsure && !v.Reading.Told && !v.Reading.Carried {
		says += "; since when is not certain"
	}
	return says
}
