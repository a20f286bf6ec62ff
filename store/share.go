package store

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/progmon/progmon/cursor"
)

// leastShared is from how many completions on a statement of their own pays.
const leastShared = 3

// completion is a Complete in its plainest form: a number and no remark. Those
// that meet in a transaction are done by one statement, since a statement that
// may be refused by a trigger costs about what the triggers do.
type completion struct {
	run *Run
	pos int64
	ack *Ack
}

// share does the plain completions among jobs by one statement, and marks
// those that it did. What it leaves is for each job to do alone: a step that
// is not there, is over already, or is asked for twice; and all of them when
// the statement is refused, because it is atomic. It returns an error only
// when the whole transaction is lost.
func (t *tx) share(jobs []*job) error {
	group := t.w.group[:0]
	for _, j := range jobs {
		if j.plain != nil && cursor.ValidName(j.plain.run.id) {
			group = append(group, j)
		}
	}
	t.w.group = group
	if len(group) < leastShared {
		return nil
	}
	slices.SortFunc(group, func(a, b *job) int {
		return cmp.Or(cmp.Compare(a.plain.run.id, b.plain.run.id), cmp.Compare(a.plain.pos, b.plain.pos))
	})
	newest := int64(0)
	if _, err := t.one("newest_event", func(row []value) { newest = whole(row[0]) }); err != nil {
		return err
	}
	t.w.text = appendStretches(t.w.text[:0], group)
	if _, err := t.exec("complete_steps", arg{"stretches", string(t.w.text)}); err != nil {
		if lost(err) {
			return err
		}
		return nil
	}
	next := 0
	return t.each("completed_since", func(row []value) error {
		run, _ := row[1].(string)
		pos := whole(row[2])
		for range group {
			j := group[next]
			next = (next + 1) % len(group)
			if !j.done && j.plain.pos == pos && j.plain.run.id == run {
				*j.plain.ack = Ack{Event: whole(row[0]), Position: whole(row[3])}
				j.done = true
				break
			}
		}
		return nil
	}, arg{"after", newest})
}

// appendStretches appends the group, which is in order, as a JSON array of
// [run, first step, last step, epoch]: steps that follow one another are cheaper
// to find together.
func appendStretches(text []byte, group []*job) []byte {
	text = append(text, '[')
	for i := 0; i < len(group); {
		first := group[i].plain
		n := 1
		for ; i+n < len(group); n++ {
			next := group[i+n].plain
			if next.run.id != first.run.id || next.run.epoch != first.run.epoch || next.pos != first.pos+int64(n) {
				break
			}
		}
		if i > 0 {
			text = append(text, ',')
		}
		text = append(append(text, `["`...), first.run.id...)
		text = strconv.AppendInt(append(text, `",`...), first.pos, 10)
		text = strconv.AppendInt(append(text, ','), first.pos+int64(n)-1, 10)
		text = append(strconv.AppendInt(append(text, ','), first.run.epoch, 10), ']')
		i += n
	}
	return append(text, ']')
}
