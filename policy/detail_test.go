package policy

import (
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/progmon/progmon/cursor"
)

func TestASentenceForATiredPerson(t *testing.T) {
	for _, c := range []struct {
		r    cursor.Reading
		now  time.Duration
		want string
	}{
		{with(quietSince(hour), func(r *cursor.Reading) { r.Rows, r.Failed = 1500, 5 }), hour + 17*minute,
			"no advance for 17m after step 7 of 20; 1,500 rows since, 5 attempts failed; looping"},
		{quietSince(hour), hour + 17*minute + 12*time.Second, "no advance for 17m12s after step 7 of 20; quiet"},
		{with(quietSince(hour), func(r *cursor.Reading) { r.Frontier = 5; r.Growth = 9 }), hour + 26*hour + 31*minute,
			"no advance for 1d2h at 7 of 20; its log grew at 9 looks; looping"},
		{with(quietSince(hour), func(r *cursor.Reading) { r.Presence = cursor.Stopped }), 2 * hour,
			"no advance for 1h after step 7 of 20; the process is stopped (SIGSTOP)"},
		{unstarted(), minute, "no advance yet in epoch 1, 14m of grace left"},
		{unstarted(), hour, "no advance for 1h at 0 of 20; epoch 1 never advanced"},
		{with(quietSince(hour), func(r *cursor.Reading) { r.Unsure = true }), 2 * hour,
			"no advance for 1h after step 7 of 20; quiet; since when is not certain"},
		{quietSince(hour), hour + 30*time.Second, "after step 7 of 20; last advance 30s ago"},
		{with(quietSince(hour), func(r *cursor.Reading) { r.Total = cursor.Total{N: 12, Known: true, Open: true} }), hour, "after step 7 of 12 so far; last advance 0s ago"},
		{with(quietSince(hour), func(r *cursor.Reading) { r.Total = cursor.Total{} }), hour, "after step 7; last advance 0s ago"},
		{with(quietSince(hour), func(r *cursor.Reading) {
			r.Budgets = []cursor.Span{{Event: 16, At: at(hour), Until: at(hour + 40*minute)}}
		}), hour + 10*minute, "after step 7 of 20; a step declared 30m more"},
		{with(quietSince(hour), func(r *cursor.Reading) {
			r.Hold = cursor.Span{Event: 16, At: at(hour), Until: at(2 * hour), Why: "rate\x1b[2J limit"}
		}), hour + 48*minute, `on hold for at most 12m more: rate\x1b[2J limit; after step 7 of 20`},
		{exited(cursor.Exit{Code: 3}), hour, "exited with code 3 after step 7 of 20"},
		{exited(cursor.Exit{}), hour, "exit 0 with 13 steps left after step 7 of 20"},
		{exited(cursor.Exit{Signal: 15, AskedBy: "user"}), hour, "ended on request, signal 15, after step 7 of 20"},
		{with(exited(cursor.Exit{Code: 3, AskedBy: "worker"}), func(r *cursor.Reading) { r.Cancelled = true }), hour,
			"cancelled after step 7 of 20; its end was exit 3"},
		{full(func(*cursor.Reading) {}), 2 * hour, "all of 20 steps done 1h ago, and the process has not exited"},
		{full(func(r *cursor.Reading) { r.Exit.Known = true }), hour, "all of 20 steps done"},
		{full(func(r *cursor.Reading) { r.Exit.Known, r.HasObserved, r.Observed, r.Position = true, true, 27, 27 }), hour,
			"the observed cursor is at 27 of 20"},
		{with(unstarted(), func(r *cursor.Reading) {
			r.Hold = cursor.Span{Event: 16, At: at(hour), Until: at(2 * hour)}
		}), 2*hour + minute, "at 0 of 20; no advance yet"},
		{with(quietSince(hour), func(r *cursor.Reading) { r.HasObserved, r.Observed = true, 3 }), hour,
			"the observed cursor fell back to 3 from 7; after step 7 of 20"},
		{cursor.Reading{Blind: cursor.Blindness{Reason: "replaced", Detail: "another\nfile"}}, 0,
			`nothing is known: replaced; another\nfile`},
	} {
		if got := Default().Judge(c.r, at(c.now)).Detail; got != c.want {
			t.Errorf("got  %q\nwant %q", got, c.want)
		}
	}
}

func TestQuoteLetsNothingThroughThatATerminalObeys(t *testing.T) {
	for _, s := range []string{
		"plain text, with a comma", "\x1b[2J\x1b]0;title\a", "a\r\nverdict: DONE", "\u202edone\u202c", "caf\u00e9", "\xff\xfe", "\u009b31m",
		strings.Repeat("long ", 100), `quo"ted \ text`, "",
	} {
		got := Quote(s, 60)
		if n := utf8.RuneCountInString(got); n > 60*10+1 {
			t.Errorf("Quote(%q) has %d characters", s, n)
		}
		for _, r := range got {
			if !unicode.IsGraphic(r) {
				t.Errorf("Quote(%q) = %q lets %q through", s, got, r)
			}
		}
	}
	if got := Quote("plain, text", 60); got != "plain, text" {
		t.Errorf("Quote = %q, want it as it is", got)
	}
}

func TestValidate(t *testing.T) {
	if err := Default().Validate(); err != nil {
		t.Errorf("Default: %v", err)
	}
	bad := Policy{IdleWindow: -1, WrapupFraction: 2, MaxRespawns: -1}
	err := bad.Validate()
	for _, want := range []string{"idle_window is negative", "stall_after is zero", "max_respawns is negative", "wrapup_fraction is 2", "retry_limit is 0", "mode is"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Validate = %v\nwant %q in it", err, want)
		}
	}
}

func TestTheRecordHasEveryKey(t *testing.T) {
	p := Default()
	record := string(p.AppendRecord(nil))
	for _, key := range Keys() {
		if p.Field(key) == nil {
			t.Errorf("Field(%q) = nil", key)
		}
		if !strings.Contains(record, `"`+key+`":`) {
			t.Errorf("the record lacks %s: %s", key, record)
		}
	}
	if !strings.Contains(record, `"stall_after":"15m0s"`) || !strings.Contains(record, `"max_runtime":null`) || !strings.Contains(record, `"wrapup_fraction":0.8`) {
		t.Errorf("record = %s", record)
	}
	if p.Field("from") != nil {
		t.Error("from is no key")
	}
}
