package sink

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// blindOffice delivers to a collector out of a trail that is not there.
func blindOffice(t *testing.T, wants ...string) (*Office, *collector, func()) {
	c := collect(t, false)
	p := place("page", c.sender("page", false))
	p.Kinds = wants
	o := &Office{Monitor: "m", Places: []Place{p}, Source: "trail.db", BlindRepeat: 5 * time.Minute,
		OpenOutbox: func(context.Context) (Outbox, error) { return nil, &store.BlindError{Reason: store.BlindMissing} }}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); o.Run(ctx) }()
	return o, c, func() { cancel(); <-done; c.server.Close() }
}

// looks has so many looks at an interval of five seconds say the same.
func looks(o *Office, n int, r func() watch.Report) {
	for range n {
		o.Heard(r())
		pass(5 * time.Second)
	}
}

func blindLook(since time.Time) func() watch.Report {
	return func() watch.Report {
		return watch.Report{At: time.Now(), Blind: &watch.Sight{Reason: "replaced", Detail: "the file was deleted", Since: since, For: time.Since(since)}}
	}
}

func seeing() watch.Report { return watch.Report{At: time.Now()} }

// TestBlindnessIsSaidAgainUntilSightReturns: at once, every five minutes, and
// then once that it is over and how long it was. No trail is needed for it.
func TestBlindnessIsSaidAgainUntilSightReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, c, stop := blindOffice(t)
		defer stop()
		looks(o, 12, seeing)
		wantTaken(t, c, "all is seen")
		began := time.Now()
		looks(o, 12*12, blindLook(began)) // 12 minutes
		wantTaken(t, c, "after 12 minutes", " blind firing", " blind firing", " blind firing")
		for i, want := range []time.Duration{0, 5 * time.Minute, 10 * time.Minute} {
			if got := c.arrivals()[i].at - began.Sub(c.start); got.Round(5*time.Second) != want {
				t.Errorf("blind was said %v after it began, want %v", got, want)
			}
		}
		looks(o, 1, func() watch.Report {
			return watch.Report{At: time.Now(), Sighted: &watch.Sight{Reason: "replaced", Since: began, For: 12 * time.Minute}}
		})
		looks(o, 12*60, seeing)
		wantTaken(t, c, "after that", " blind firing", " blind firing", " blind firing", " sighted resolved")
	})
}

// TestBlindnessOutlastsAnOffice: the sinks are other ones from here on, and are
// told that it is blind, and that it is over.
func TestBlindnessOutlastsAnOffice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, c, stop := blindOffice(t)
		began := time.Now()
		looks(first, 12, blindLook(began))
		wantTaken(t, c, "the first", " blind firing")
		c.answers(func(http.ResponseWriter, *http.Request) int { return 503 })
		looks(first, 12*5, blindLook(began)) // which the first one cannot say again
		second, c2, stop2 := blindOffice(t)
		defer stop2()
		second.TakeOver(first)
		stop()
		looks(second, 12, blindLook(began))
		wantTaken(t, c2, "the second", " blind firing")
		looks(second, 1, func() watch.Report {
			return watch.Report{At: time.Now(), Sighted: &watch.Sight{Reason: "replaced", Since: began, For: 7 * time.Minute}}
		})
		looks(second, 12*10, seeing)
		wantTaken(t, c2, "sight is back", " blind firing", " sighted resolved")
	})
}

// TestBlindnessThatASinkDidNotHearOf: what it takes when it is back is the last
// word, and no heap of old ones.
func TestBlindnessThatASinkDidNotHearOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, c, stop := blindOffice(t)
		defer stop()
		c.answers(func(http.ResponseWriter, *http.Request) int { return 503 })
		began := time.Now()
		looks(o, 12*30, blindLook(began))
		looks(o, 1, func() watch.Report {
			return watch.Report{At: time.Now(), Sighted: &watch.Sight{Reason: "replaced", Since: began, For: 30 * time.Minute}}
		})
		c.answers(nil)
		looks(o, 12*60, seeing)
		wantTaken(t, c, "when the sink is back", " sighted resolved")
	})
}

func TestASinkThatIsNotToldOfBlindness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, c, stop := blindOffice(t, "stalled")
		defer stop()
		looks(o, 12*12, blindLook(time.Now()))
		wantTaken(t, c, "kinds without blind")
	})
}

// TestPartOfItIsBlind: a run that cannot be read is told of while the rest is
// seen, several of them in one message, and that they are seen again too.
func TestPartOfItIsBlind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, c, stop := blindOffice(t)
		defer stop()
		part := func(runs ...string) func() watch.Report {
			return func() watch.Report {
				r := seeing()
				for _, run := range runs {
					r.Changes = append(r.Changes, watch.Change{Row: watch.Row{Verdict: policy.Verdict{State: policy.Blind, Reason: "hung", Reading: cursor.Reading{Run: run}}}})
				}
				r.Changes = append(r.Changes, watch.Change{Row: watch.Row{Verdict: policy.Verdict{State: policy.Advancing, Reading: cursor.Reading{Run: "fine"}}}})
				return r
			}
		}
		looks(o, 12*7, part("a"))
		wantTaken(t, c, "one run", "a blind firing", "a blind firing")
		looks(o, 1, part()) // a single look that does not speak of it proves nothing
		looks(o, 1, part("a"))
		wantTaken(t, c, "one silent look", "a blind firing", "a blind firing")
		looks(o, 3, part())
		wantTaken(t, c, "seen again", "a blind firing", "a blind firing", "a sighted resolved")
		looks(o, 2, part("b", "c", "d"))
		if got := c.taken(); len(got) != 4 || got[3] != " blind firing" {
			t.Errorf("three at once are told as %q, want one message", got)
		}
	})
}

// TestALookThatIsNotOnRecordIsBlindness: no signal gets out of a trail that
// cannot be written, so that is said as loud. Another writer in the way for a
// look or two is nothing.
func TestALookThatIsNotOnRecordIsBlindness(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o, c, stop := blindOffice(t)
		defer stop()
		unkept := func(err error) func() watch.Report {
			return func() watch.Report { r := seeing(); r.Unrecorded = err; return r }
		}
		looks(o, 2, unkept(store.ErrBusy))
		looks(o, 1, seeing)
		wantTaken(t, c, "busy for two looks")
		looks(o, 12*6, unkept(errors.New("disk full")))
		wantTaken(t, c, "a full disk", " blind firing", " blind firing")
		looks(o, 1, seeing)
		wantTaken(t, c, "room again", " blind firing", " blind firing", " sighted resolved")
	})
}

func TestWhatIsSaidOfSight(t *testing.T) {
	at := time.Date(2026, 12, 1, 5, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		sight Sight
		want  string
	}{
		{Sight{Source: "/var/trail.db", Reason: "missing", Detail: "no such\x1b[2J file", For: 7 * time.Minute}, "BLIND: /var/trail.db cannot be read (missing), no such\uFFFD[2J file, for 7m"},
		{Sight{Source: "t.db", Reason: "missing", For: 7 * time.Minute, Over: true}, "sighted: t.db can be read again, after 7m blind (missing)"},
		{Sight{Source: "t.db", Reason: ReasonUnrecorded, Detail: "disk full"}, "BLIND: t.db cannot be written, and nothing is signalled (unrecorded), disk full"},
		{Sight{Source: "t.db", Reason: ReasonUnrecorded, For: time.Hour, Over: true}, "sighted: t.db can be written again, after 1h blind (unrecorded)"},
		{Sight{Source: "monitor box-1-aa", Reason: ReasonAbsent, For: 16 * time.Second}, "BLIND: monitor box-1-aa does not look any more, for 16s"},
		{Sight{Source: "monitor box-1-aa", Reason: ReasonAbsent, Over: true}, "sighted: monitor box-1-aa looks again, or ended on purpose"},
	} {
		if got := c.sight.message("m", at).Text; got != c.want {
			t.Errorf("%+v is told as\n%q, want\n%q", c.sight, got, c.want)
		}
	}
	if a, b := (Sight{}).message("m", at), (Sight{}).message("m", at.Add(time.Minute)); a.ID == b.ID || !strings.HasPrefix(a.ID, "progmon-m-blind-") {
		t.Errorf("two words on blindness are called %s and %s", a.ID, b.ID)
	}
}
