package report

// Lane is the course of one run over the period, for a picture. Its clock runs
// from From to To, which lie in the period; every instant in it does. It is
// bounded: however many rows the run has, Points and Activity have at most
// LanePoints each.
type Lane struct {
	From Instant `json:"from"` // the start of the run, or of the period
	To   Instant `json:"to"`   // the end of the run, or of the period, or of the report
	// Total is the bound at To; nil when none is known. Open says that it may
	// honestly grow.
	Total *int64 `json:"total"`
	Open  bool   `json:"open"`

	// Points is where the run stood, the oldest first: from At on it stood at
	// Position. The first is at From; between two points it does not move, and
	// it never falls.
	Points []Point `json:"points"`
	// Activity is how much was written, the oldest first, in stretches of one
	// length, Bucket; those in which nothing was are left out. Unit is what is
	// counted: "rows" of the run in the log.
	Activity []Activity `json:"activity"`
	Bucket   Length     `json:"bucket_s"`
	Unit     string     `json:"unit"`

	Holds    []Stretch `json:"holds"`    // declared waits; Kind is empty, Note why
	Silences []Stretch `json:"silences"` // Kind is stalled or stuck; from the last advance on
	Signals  []Mark    `json:"signals"`  // what was told of the run
}

// LanePoints is how many points a lane has at most, and how many stretches of
// activity.
const LanePoints = 400

// Point is where a run stood from an instant on.
type Point struct {
	At       Instant `json:"at"`
	Position int64   `json:"position"`
}

// Activity is how much was written from At on, for the Bucket of the lane.
type Activity struct {
	At     Instant `json:"at"`
	Amount int64   `json:"amount"`
}

// Stretch is a part of the clock of a lane, cut to it.
type Stretch struct {
	From Instant `json:"from"`
	To   Instant `json:"to"`
	Open bool    `json:"open"` // it had not ended at the end of the lane
	Kind string  `json:"kind"`
	Note string  `json:"note"` // untrusted text
}

// Mark is an instant at which something was told of the run.
type Mark struct {
	At   Instant `json:"at"`
	Kind string  `json:"kind"` // stalled, escalated, recovered, …, or pinged
	Note string  `json:"note"` // the reason
}
