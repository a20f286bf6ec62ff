package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/watch"
	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// shownFailures is how many runs that ended badly are listed unasked.
const shownFailures = 5

// text is the picture for a person: the line that matters, then a table, worst
// first. Runs that ended are only counted unless ended is true.
func (p *picture) text(s screen, ended bool) string {
	var b strings.Builder
	b.WriteString(s.paint(p.worst(), s.line(p.headline())) + "\n")
	rows, hidden := p.rows, map[policy.State]int{}
	if !ended {
		rows, hidden = p.standing()
	}
	if len(rows) > 0 {
		b.WriteString("\n")
		table(rows).write(&b, s)
	}
	if note := hiddenNote(hidden); note != "" {
		b.WriteString("\n" + note + "\n")
	}
	return b.String()
}

// standing are the runs that have not ended and the last few that failed, and
// how many others there are.
func (p *picture) standing() (rows []watch.Row, hidden map[policy.State]int) {
	hidden = map[policy.State]int{}
	var failed []watch.Row
	for _, row := range p.rows {
		switch state := row.Verdict.State; {
		case state == policy.Failed:
			failed = append(failed, row)
		case state.Ended():
			hidden[state]++
		default:
			rows = append(rows, row)
		}
	}
	slices.SortFunc(failed, func(a, b watch.Row) int { return b.LastRow.Compare(a.LastRow) })
	shown := min(len(failed), shownFailures)
	if more := len(failed) - shown; more > 0 {
		hidden[policy.Failed] = more
	}
	rows = append(rows, failed[:shown]...)
	watch.SortWorst(rows)
	return rows, hidden
}

func hiddenNote(hidden map[policy.State]int) string {
	n := 0
	var parts []string
	for _, state := range []policy.State{policy.Failed, policy.Cancelled, policy.Done} {
		if hidden[state] > 0 {
			n += hidden[state]
			parts = append(parts, grouped(int64(hidden[state]))+" "+string(state))
		}
	}
	switch n {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("1 run that ended is not shown (%s): --all shows it", parts[0])
	}
	return fmt.Sprintf("%s that ended are not shown (%s): --all shows them", plural(n, "run"), strings.Join(parts, ", "))
}

// headline is the one thing that matters.
func (p *picture) headline() string {
	worst, monitor := headline(p.rows), monitorWords(p.watched, wrappersAt(p.rows))
	if p.noTrail {
		return worst + " · no trail here, judged by the directories"
	}
	if p.watched.State == store.MonitorLive {
		return worst + " · " + monitor
	}
	return monitor + " · " + worst
}

// wrappersAt is how many wrappers are there, each of which watches and signals
// the run of its own child.
func wrappersAt(rows []watch.Row) (n int) {
	for i := range rows {
		f := rows[i].Files
		if f != nil && f.Wrapper == cursor.Alive && !f.Beat.IsZero() && !rows[i].Verdict.Reading.Activity && !rows[i].Verdict.State.Ended() {
			n++
		}
	}
	return n
}

// monitorWords says in words who watches, where so many wrappers are there.
func monitorWords(w store.Watched, wrappers int) string {
	switch {
	case w.State == store.MonitorNever && wrappers == 1:
		return "NO MONITOR ever looked, only a wrapper at its own run"
	case w.State == store.MonitorNever && wrappers > 1:
		return "NO MONITOR ever looked, only " + plural(wrappers, "wrapper") + " at their own runs"
	case w.State == store.MonitorNever:
		return "NO MONITOR ever looked"
	case w.State == store.MonitorLive && !w.Best.Blind.IsZero():
		return "monitor looked " + policy.About(w.Age) + " ago and is partly blind"
	case w.State == store.MonitorLive:
		return "monitor looked " + policy.About(w.Age) + " ago"
	case w.Stopped:
		return "MONITOR STOPPED, last looked " + policy.About(w.Age) + " ago"
	}
	return "MONITOR LATE, last looked " + policy.About(w.Age) + " ago"
}

// headline is the worst verdict in one word, how many share it, and what the
// others are.
func headline(rows []watch.Row) string {
	if len(rows) == 0 {
		return "NO RUNS are recorded here"
	}
	count := map[policy.State]int{}
	live := 0
	worst := rows[0].Verdict.State
	for _, row := range rows {
		state := row.Verdict.State
		count[state]++
		worst = policy.Worst(worst, state)
		if !state.Ended() {
			live++
		}
	}
	still := count[policy.Stuck] + count[policy.Stalled]
	told := []policy.State{worst}
	var says string
	switch worst {
	case policy.Blind:
		says = fmt.Sprintf("%d of %s cannot be read", count[worst], plural(len(rows), "run"))
	case policy.Stuck, policy.Stalled:
		says = fmt.Sprintf("%d of %s %s not moving", still, plural(live, "run"), areIs(still))
		told = []policy.State{policy.Stuck, policy.Stalled}
	case policy.Timeout:
		says = fmt.Sprintf("%d of %s out of time", count[worst], plural(live, "run"))
	case policy.Failed:
		says = fmt.Sprintf("%d of %s failed", count[worst], plural(len(rows), "run"))
	case policy.Degraded:
		says = fmt.Sprintf("%d of %s %s slow to move or only busy", count[worst], plural(live, "run"), areIs(count[worst]))
	default:
		says = fmt.Sprintf("%d of %s", count[worst], plural(len(rows), "run"))
		if count[worst] == len(rows) {
			says = "all " + plural(len(rows), "run")
		}
		if len(rows) == 1 {
			says = "1 run"
		}
	}
	var others []string
	for _, state := range policy.States() {
		if count[state] > 0 && !slices.Contains(told, state) {
			others = append(others, grouped(int64(count[state]))+" "+string(state))
		}
	}
	if len(others) > 0 {
		says += ", " + strings.Join(others, ", ")
	}
	return strings.ToUpper(string(worst)) + "  " + says
}

func areIs(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// table is runs for a person, in their order.
func table(rows []watch.Row) grid {
	g := grid{heads: []string{"STATE", "RUN", "AT", "SILENT", "WHY"}}
	for i := range rows {
		v := &rows[i].Verdict
		silent := policy.About(v.Silence)
		if v.State.Ended() || v.State == policy.Blind {
			silent = "-"
		}
		g.rows = append(g.rows, gridRow{v.State, []string{
			strings.ToUpper(string(v.State)), printable(v.Reading.Run), at(v), silent, detailOf(&rows[i])}})
	}
	return g
}

// detailOf is the sentence of a verdict with what must be known beside it.
func detailOf(row *watch.Row) string {
	says := printable(row.Verdict.Detail)
	if f := row.Files; f != nil && len(f.Notes) > 0 && !row.Verdict.State.Ended() {
		says += "; " + printable(f.Notes[0])
	}
	return says
}

// at is where a run stands: 7/20, 7/20+ where the total may grow, 7 where
// there is none.
func at(v *policy.Verdict) string {
	r := &v.Reading
	if v.State == policy.Blind && r.Epoch == 0 || r.Activity {
		return "-"
	}
	b := r.Bound()
	switch {
	case !b.Known:
		return grouped(r.Position)
	case b.Open:
		return grouped(r.Position) + "/" + grouped(b.N) + "+"
	}
	return grouped(r.Position) + "/" + grouped(b.N)
}
