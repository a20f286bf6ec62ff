package policy

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/progmon/progmon/cursor"
)

// look is what one look found, shortened: the epoch, the row of the last
// advance, and the verdict.
type look struct {
	epoch, since int64
	says         string
	silence      time.Duration
	takeovers    int64 // since the last advance
	fresh        bool  // its worker has just taken the run over
}

func (l look) verdict() Verdict {
	state, reason, _ := strings.Cut(l.says, ": ")
	own := State(state)
	if l.fresh {
		own = Starting
	}
	return Verdict{own: own,
		State: State(state), Reason: reason, Silence: l.silence, OwnSilence: l.silence, Since: l.since, Policy: Default(),
		Reading: cursor.Reading{Epoch: l.epoch, AdvanceEvent: l.since, Takeovers: l.takeovers},
	}
}

func TestEdges(t *testing.T) {
	relayed := func(epoch int64, l look) look {
		l.epoch, l.takeovers = epoch, epoch-1
		return l
	}
	at := func(says string, since ...int64) look {
		l := look{epoch: 1, since: 5, says: says}
		if len(since) > 0 {
			l.since = since[0]
		}
		return l
	}
	in := func(epoch int64, l look) look { l.epoch = epoch; return l }
	fresh := func(l look) look { l.fresh = true; return l }
	silent := func(d time.Duration, l look) look { l.silence = d; return l }
	for _, c := range []struct {
		claim string
		looks []look
		want  string // kind@epoch/since, without pings
	}{
		{"an honest run says only how it ended", []look{at("starting"), at("advancing"), at("done")}, "done@1/5"},
		{"degraded says nothing but a ping", []look{at("degraded: quiet"), at("degraded: quiet"), at("advancing", 6)}, ""},
		{"stalled once, however often it is found", []look{at("stalled: quiet"), at("stalled: quiet"), at("stalled: quiet")}, "stalled@1/5"},
		{"bad at first sight is said", []look{at("stuck: looping")}, "stalled@1/5"},
		{"stalled to stuck says nothing new", []look{at("stalled: quiet"), at("stuck: looping"), at("stalled: stopped")}, "stalled@1/5"},
		{"an advance answers it", []look{at("stalled: quiet"), at("advancing", 6)}, "stalled@1/5 recovered@1/5"},
		{"an advance that nobody saw answers it, whatever came after", []look{at("stalled: quiet"), at("degraded: quiet", 6)}, "stalled@1/5 recovered@1/5"},
		{"the next episode is another", []look{at("stalled: quiet"), at("advancing", 6), at("stalled: quiet", 6), at("advancing", 9)},
			"stalled@1/5 recovered@1/5 stalled@1/6 recovered@1/6"},
		{"two episodes between two looks", []look{at("stalled: quiet"), at("stalled: quiet", 6)}, "stalled@1/5 recovered@1/5 stalled@1/6"},
		{"a stalled that came and went unseen is nothing", []look{at("advancing"), at("advancing", 9)}, ""},
		{"the end closes an episode by itself", []look{at("stalled: quiet"), at("failed: exit 3")}, "stalled@1/5 failed@1/5"},
		{"also when an advance came with it", []look{at("stalled: quiet"), at("done", 9)}, "stalled@1/5 done@1/9"},
		{"the end is said once", []look{at("done"), at("done"), at("done")}, "done@1/5"},
		{"an exit record may still decide", []look{at("failed: vanished"), at("failed: exit 2"), at("done")}, "failed@1/5 done@1/5"},
		{"a hold answers nothing", []look{at("stalled: quiet"), at("waiting: hold"), at("stalled: quiet")}, "stalled@1/5"},
		{"blindness opens and closes nothing", []look{at("stalled: quiet"), at("blind: missing"), at("stalled: quiet"), at("blind: missing", 6), at("advancing", 6)},
			"stalled@1/5 recovered@1/5"},
		{"escalated, after stalled", []look{at("stalled: quiet"), silent(hour, at("stalled: quiet")), silent(2*hour, at("stalled: quiet"))}, "stalled@1/5 escalated@1/5"},
		{"no single look both accuses and escalates", []look{silent(9*hour, at("stalled: quiet"))}, "stalled@1/5"},
		{"the second does", []look{silent(9*hour, at("stalled: quiet")), silent(9*hour, at("stalled: quiet"))}, "stalled@1/5 escalated@1/5"},
		{"not while it waits", []look{at("stalled: quiet"), silent(9*hour, at("waiting: hold"))}, "stalled@1/5"},
		{"a takeover answers nothing", []look{at("stalled: quiet"), in(2, at("starting"))}, "stalled@1/5"},
		{"the new worker's advance does", []look{at("stalled: quiet"), in(2, at("starting")), in(2, at("advancing", 9))}, "stalled@1/5 recovered@1/5"},
		{"the new worker's silence is another", []look{at("stalled: quiet"), in(2, at("stalled: never-started")), in(2, at("advancing", 9))},
			"stalled@1/5 stalled@2/5 recovered@2/5"},
		{"the new worker is not accused of the old one's", []look{at("stalled: quiet"), in(2, fresh(at("stalled: never-started"))), in(2, at("advancing", 9))},
			"stalled@1/5 recovered@1/5"},
		{"nor escalated for it", []look{at("stalled: quiet"), in(2, fresh(silent(9*hour, at("stalled: quiet")))), in(2, fresh(silent(9*hour, at("stalled: quiet"))))},
			"stalled@1/5"},
		{"of many workers in a row one silence is told", []look{relayed(6, fresh(at("stuck: looping"))), relayed(7, fresh(at("stuck: looping"))),
			relayed(8, fresh(at("stuck: looping"))), in(8, at("advancing", 9))}, "stalled@6/5 recovered@6/5"},
		{"unless one of them stays", []look{relayed(6, fresh(at("stuck: looping"))), relayed(7, fresh(at("stuck: looping"))), relayed(7, at("stuck: looping")),
			relayed(7, silent(hour, at("stuck: looping")))}, "stalled@6/5 stalled@7/5 escalated@7/5"},
		{"each epoch ends", []look{at("failed: exit 1"), in(2, at("starting")), in(2, at("failed: exit 1"))}, "failed@1/5 failed@2/5"},
		{"a timeout closes nothing", []look{at("stalled: quiet"), at("timeout: max_runtime"), at("timeout: max_runtime", 6), at("failed: exit 1", 6)},
			"stalled@1/5 timeout@1/5 recovered@1/5 failed@1/6"},
		{"an end that is taken back leaves the episode open", []look{at("stalled: quiet"), at("failed: vanished"), at("stalled: quiet"), at("advancing", 9)},
			"stalled@1/5 failed@1/5 recovered@1/5"},
		{"a run that was done and went on is done again", []look{at("done"), at("advancing"), at("done", 9)}, "done@1/5 done@1/9"},
		{"also when it stalled meanwhile", []look{at("done"), at("stalled: quiet"), at("done", 9)}, "done@1/5 stalled@1/5 done@1/9"},
		{"not without an advance", []look{at("done"), at("advancing"), at("done")}, "done@1/5"},
		{"it failed, and is done after all", []look{at("done"), at("advancing"), at("failed: short"), at("done", 9)}, "done@1/5 failed@1/5 done@1/9"},
		{"rows that come after an end are no other end", []look{at("failed: exit 1"), at("failed: exit 1", 9)}, "failed@1/5"},
		{"nor does blindness make one", []look{at("failed: exit 1"), at("blind: missing"), at("failed: exit 1", 9)}, "failed@1/5"},
		{"a person's end", []look{at("stalled: quiet"), at("cancelled")}, "stalled@1/5 cancelled@1/5"},
	} {
		t.Run(c.claim, func(t *testing.T) {
			var m Memory
			var got []string
			for _, l := range c.looks {
				var signals []Signal
				v := l.verdict()
				v.Reading.Carried = m.Carried(v.Reading)
				signals, m = Edges(m, v, nil)
				for _, s := range signals {
					if s.Kind != Pinged {
						got = append(got, s.Kind+"@"+count(s.Epoch)+"/"+count(s.Since))
					}
				}
			}
			if got := strings.Join(got, " "); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestPings(t *testing.T) {
	for _, c := range []struct {
		claim string
		looks []look
		want  int
	}{
		{"once an episode", []look{{1, 5, "degraded: quiet", 0, 0, false}, {1, 5, "degraded: looping", 0, 0, false}, {1, 5, "stalled: quiet", 0, 0, false}}, 1},
		{"the next episode", []look{{1, 5, "degraded: quiet", 0, 0, false}, {1, 6, "advancing", 0, 0, false}, {1, 6, "degraded: quiet", 0, 0, false}}, 2},
		{"a run that recedes step by step", []look{{1, 5, "degraded: receding", 0, 0, false}, {1, 6, "degraded: receding", 0, 0, false}, {1, 7, "degraded: receding", 0, 0, false}}, 1},
		{"and then goes quiet", []look{{1, 5, "degraded: receding", 0, 0, false}, {1, 6, "degraded: receding", 0, 0, false}, {1, 6, "degraded: quiet", 0, 0, false}}, 2},
	} {
		t.Run(c.claim, func(t *testing.T) {
			var m Memory
			got := 0
			for _, l := range c.looks {
				var signals []Signal
				signals, m = Edges(m, l.verdict(), nil)
				for _, s := range signals {
					if s.Kind == Pinged {
						got++
					}
				}
			}
			if got != c.want {
				t.Errorf("%d pings, want %d", got, c.want)
			}
		})
	}
}

func TestWrapUp(t *testing.T) {
	p := Default()
	p.MaxRuntime = 100 * minute
	r := quietSince(79 * minute)
	v := p.Judge(r, at(79*minute))
	if want := at(80 * minute); v.Due != want {
		t.Errorf("Due = %v, want %v, when the worker is told to wrap up", v.Due, want)
	}
	signals, m := Edges(Memory{}, p.Judge(r, at(80*minute)), nil)
	if len(signals) != 1 || signals[0].Kind != SignalWrapUp {
		t.Errorf("at 80m: %v, want wrap-up", signals)
	}
	if signals, _ = Edges(m, p.Judge(r, at(81*minute)), nil); len(signals) != 0 {
		t.Errorf("at 81m: %v, want nothing", signals)
	}
	if signals, _ = Edges(Memory{}, p.Judge(r, at(100*minute)), nil); len(signals) != 1 || signals[0].Kind != SignalTimeout {
		t.Errorf("first seen at 100m: %v, want timeout alone", signals)
	}
}

// TestEdgesAlternate: over any looks, within an epoch stalled and recovered take
// turns, each is said once a (epoch, since), and escalated only in between.
func TestEdgesAlternate(t *testing.T) {
	says := []string{"starting", "advancing", "degraded: quiet", "stalled: quiet", "stuck: looping", "waiting: hold",
		"blind: missing", "timeout: max_runtime", "failed: exit 1", "done"}
	rapid.Check(t, func(t *rapid.T) {
		var m Memory
		told := map[Signal]bool{}
		l := look{epoch: 1, since: 1}
		open := Episode{}
		for range rapid.IntRange(1, 40).Draw(t, "looks") {
			l.says = rapid.SampledFrom(says).Draw(t, "says")
			l.silence = rapid.SampledFrom([]time.Duration{0, 2 * hour}).Draw(t, "silence")
			l.fresh = rapid.Bool().Draw(t, "fresh")
			switch rapid.IntRange(0, 5).Draw(t, "then") {
			case 0:
				l.since += 3
			case 1:
				l.epoch++
			}
			var signals []Signal
			v := l.verdict()
			v.Reading.Carried = m.Carried(v.Reading)
			signals, m = Edges(m, v, nil)
			for _, s := range signals {
				if told[s] {
					t.Fatalf("%+v is said twice", s)
				}
				told[s] = true
				e := Episode{s.Epoch, s.Since}
				switch s.Kind {
				case SignalStalled:
					if open.Epoch == s.Epoch {
						t.Fatalf("%+v while %+v is open", s, open)
					}
					open = e
				case SignalRecovered:
					if open != e {
						t.Fatalf("%+v while %+v is open", s, open)
					}
					open = Episode{}
				case SignalEscalated:
					if open != e {
						t.Fatalf("%+v while %+v is open", s, open)
					}
				case SignalDone, SignalFailed, SignalCancelled:
					open = Episode{}
				}
			}
			if l.verdict().State.Ended() {
				open = Episode{}
				l.epoch++ // what follows an end is another worker
			}
		}
	})
}

// TestAMemoryIsHadFromTheLog: what Note makes of the signals that were recorded
// is what the monitor remembers that recorded them.
func TestAMemoryIsHadFromTheLog(t *testing.T) {
	says := []string{"advancing", "degraded: quiet", "stalled: quiet", "stuck: looping", "failed: exit 1"}
	rapid.Check(t, func(t *rapid.T) {
		var m, again Memory
		l := look{epoch: 1, since: 1}
		for range rapid.IntRange(1, 40).Draw(t, "looks") {
			l.says = rapid.SampledFrom(says).Draw(t, "says")
			if rapid.Bool().Draw(t, "advance") {
				l.since += 3
			}
			var signals []Signal
			signals, m = Edges(m, l.verdict(), nil)
			for _, s := range signals {
				again = again.Note(s)
			}
			if strings.HasPrefix(l.says, "failed") {
				return // the end of an epoch is the end of this story
			}
			again.State, again.Reason = m.State, m.Reason
			if again != m {
				t.Fatalf("from the log %+v, want %+v", again, m)
			}
		}
	})
}

// A last verdict that no ping stands behind is none: it is kept where anybody
// may write.
func TestARunThatRecedesIsPingedThoughItIsSaidToHaveReceded(t *testing.T) {
	signals, m := Edges(Memory{State: Degraded, Reason: ReasonReceding}, look{1, 5, "degraded: receding", 0, 0, false}.verdict(), nil)
	if len(signals) != 1 || signals[0].Kind != Pinged || m.Pinged != (Episode{1, 5}) {
		t.Errorf("Edges = %+v, want a ping", signals)
	}
}
