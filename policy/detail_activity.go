package policy

import (
	"time"

	"github.com/progmon/progmon/cursor"
)

// activityDetail is the sentence for a directory without rows: of its log all
// that is known is whether it grows.
func activityDetail(v *Verdict, j *judge, now time.Time) string {
	const only = "judged by activity alone"
	r := &v.Reading
	switch v.State {
	case Cancelled:
		return "ended on request"
	case Done:
		return sentence("exit 0", only)
	case Failed:
		return v.failure()
	case Timeout:
		return sentence("running for "+About(v.Elapsed)+", max_runtime is "+FormatDuration(v.Policy.MaxRuntime), only)
	case Starting:
		return sentence("no log yet, "+About(j.grace.Sub(now))+" of grace left", only)
	case Advancing:
		return sentence("its log grew "+About(now.Sub(r.AdvancedAt))+" ago", only)
	}
	says := "its log has not grown for " + About(v.Silence)
	if !r.EpochMoved {
		says = "no log after " + About(v.Silence)
	}
	why := ""
	switch r.Presence {
	case cursor.Stopped:
		why = "the process is stopped (SIGSTOP)"
	case cursor.Unknown:
		why = "whether its process lives cannot be seen"
	}
	return sentence(says, why, only)
}
