package watch

import (
	"encoding/json"
	"math"

	"github.com/progmon/progmon/store"
)

// noise is what was seen of a run's log since its last advance. It is kept
// with the verdict, so that the next monitor goes on counting.
type noise struct {
	Epoch int64 `json:"epoch"`
	Since int64 `json:"since"` // the episode
	Looks int64 `json:"looks"` // at which it had grown
	Bytes int64 `json:"bytes"` // by which it had
	Size  int64 `json:"size"`  // of the log then

	heard bool // it had grown at this look
}

// hear counts the growth of a log. What was written in the same look as an
// advance may have come before it, and does not count.
func (d *Roots) hear(s *store.Sighting, v *visit) {
	r, e := &s.Reading, &v.evidence
	n := d.noise[r.Run]
	grown := e.Grown
	if n == nil {
		n = noiseOf(s)
		if n != nil {
			grown = max(e.LogSize-n.Size, 0)
		}
	}
	switch {
	case n == nil || n.Epoch != r.Epoch || n.Since != r.Since():
		n = &noise{Epoch: r.Epoch, Since: r.Since()}
	case grown > 0:
		n.Looks++
		n.Bytes += grown
	}
	n.Size, n.heard = e.LogSize, grown > 0 && n.Looks > 0
	d.noise[r.Run] = n
}

// worthARow says whether the noise must go on record though the verdict is as
// it was: when it makes a trail busy, and for one who looks a single time.
func (n *noise) worthARow(loopRows int64, once bool) bool {
	return n != nil && n.heard && (once || n.Looks == loopRows)
}

// noiseOf is the noise on record, nil when there is none.
func noiseOf(s *store.Sighting) *noise {
	var kept struct {
		Log *noise `json:"log"`
	}
	if !s.Memory.Known || json.Unmarshal(s.Memory.Data, &kept) != nil || kept.Log == nil {
		return nil
	}
	// What nobody can have counted must not overflow either.
	for _, n := range []*int64{&kept.Log.Looks, &kept.Log.Bytes, &kept.Log.Size} {
		*n = min(max(*n, 0), math.MaxInt64/2)
	}
	return kept.Log
}
