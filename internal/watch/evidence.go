package watch

import (
	"encoding/json"

	"github.com/progmon/progmon/policy"
)

// Evidence is the JSON that is recorded with a signal: what the verdict rested
// on, and the thresholds in force.
func Evidence(v *policy.Verdict) []byte {
	r := &v.Reading
	e := evidence{
		State: string(v.State), Reason: v.Reason, Detail: v.Detail,
		Position: r.Position, SilenceS: v.Silence.Seconds(), Rows: r.Rows, Failed: r.Failed,
		Policy: v.Policy, From: v.Policy.From,
	}
	if b := r.Bound(); b.Known {
		e.Total = &b.N
	}
	data, err := json.Marshal(e)
	if err != nil {
		panic("watch: " + err.Error()) // numbers and words
	}
	return data
}

type evidence struct {
	State    string        `json:"state"`
	Reason   string        `json:"reason"`
	Detail   string        `json:"detail"`
	Position int64         `json:"position"`
	Total    *int64        `json:"total"`
	SilenceS float64       `json:"silence_s"`
	Rows     int64         `json:"rows_since_advance"`
	Failed   int64         `json:"failed_since_advance"`
	Policy   policy.Policy `json:"policy"`
	From     string        `json:"policy_from"`
}
