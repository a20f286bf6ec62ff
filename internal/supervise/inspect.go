package supervise

import (
	"context"
	"time"
)

// sightJSON is processes.json: who works there, and what each of them does.
type sightJSON struct {
	Processes []seen `json:"processes"`
	// Apart is between the two samples of which the deltas are told.
	ApartMS int64  `json:"samples_apart_ms,omitempty"`
	Missing string `json:"missing,omitempty"` // what could not be seen, and why
}

// seen is one process. What this platform does not tell is left out.
type seen struct {
	Process
	Arguments []string `json:"arguments,omitempty"` // only when asked for in full
	WaitsIn   string   `json:"wchan,omitempty"`     // the kernel function that it sleeps in
	Terminal  bool     `json:"waits_on_terminal,omitempty"`
	Files     []string `json:"files,omitempty"`
	Sockets   []string `json:"sockets,omitempty"`
	CPUMS     *int64   `json:"cpu_ms,omitempty"`       // used in all
	CPUDelta  *int64   `json:"cpu_delta_ms,omitempty"` // between the samples
	ReadDelta *int64   `json:"read_delta_bytes,omitempty"`
	Written   *int64   `json:"written_delta_bytes,omitempty"`
}

// inspect looks at the worker and its descendants, twice.
func inspect(ctx context.Context, s Scene) sightJSON {
	table, err := processes()
	if err != nil {
		return sightJSON{Missing: "the process table: " + err.Error()}
	}
	var all []seen
	for _, p := range table {
		if p.PID == s.PID {
			all = append(all, seen{Process: p})
		}
	}
	for _, p := range offspring(table, s.PID, s.PID) {
		if p.PID != s.PID {
			all = append(all, seen{Process: p})
		}
	}
	before := make([]usage, len(all))
	for i, p := range all {
		before[i] = usageOf(p.PID)
	}
	started := time.Now()
	for i := range all {
		all[i].examine(s.Full)
	}
	t := time.NewTimer(sampleApart)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
	for i := range all {
		now := usageOf(all[i].PID)
		all[i].compare(before[i], now)
	}
	return sightJSON{Processes: all, ApartMS: time.Since(started).Milliseconds()}
}

// usage is what a process has used so far.
type usage struct {
	cpu           time.Duration
	read, written int64
	cpuKnown      bool
	ioKnown       bool
}

func (p *seen) compare(before, now usage) {
	if now.cpuKnown {
		total := now.cpu.Milliseconds()
		p.CPUMS = &total
		if before.cpuKnown {
			delta := (now.cpu - before.cpu).Milliseconds()
			p.CPUDelta = &delta
		}
	}
	if now.ioKnown && before.ioKnown {
		read, written := now.read-before.read, now.written-before.written
		p.ReadDelta, p.Written = &read, &written
	}
}
