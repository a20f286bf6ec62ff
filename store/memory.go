package store

import "time"

// Memory is what monitors remember of a run between looks: the last verdict,
// and whatever their judge wants to find again. It is one row of the trail, so
// that any monitor goes on where another one stopped. The zero Memory is that
// of a run no monitor has looked at.
type Memory struct {
	Known  bool
	Epoch  int64
	State  string
	Reason string
	Since  int64     // the episode
	At     time.Time // when the verdict became this one: wall clock, UTC
	Data   []byte    // JSON of the judge's own; nil when there is none

	atMS, awakeMS, seen num // the row as it was read, to see whether it moved
}

// memory is what the row says of its last verdict. A row that breaks the rules
// is no memory.
func (w *row) memory() Memory {
	m := Memory{atMS: w.verdictAtMS, awakeMS: w.verdictAwakeMS, seen: w.seenBy}
	if !w.verdictEpoch.set || w.verdictState.bad || w.verdictReason.bad || w.verdictSince.bad {
		return m
	}
	m.Known = true
	m.Epoch, m.Since = w.verdictEpoch.n, w.verdictSince.n
	m.State, m.Reason = w.verdictState.s, w.verdictReason.s
	m.At = w.verdictAtMS.stamp()
	if w.verdictData.set && !w.verdictData.bad {
		m.Data = []byte(w.verdictData.s)
	}
	return m
}

// value is the cell as it was read.
func (c num) value() value {
	if !c.set {
		return nil
	}
	return c.n
}
