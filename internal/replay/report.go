package replay

import (
	"encoding/json"
	"strconv"
	"time"

	"github.com/progmon/progmon/policy"
)

// seconds is a length of time as a JSON number: 900, 0.5.
type seconds time.Duration

// MarshalJSON implements json.Marshaler.
func (s seconds) MarshalJSON() ([]byte, error) {
	ms := time.Duration(s).Round(time.Millisecond).Milliseconds()
	return []byte(strconv.FormatFloat(float64(ms)/1000, 'f', -1, 64)), nil
}

// MarshalJSON is the line of a verdict.
func (j Judgement) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		At       seconds `json:"at"`
		Run      string  `json:"run"`
		State    string  `json:"state"`
		Reason   string  `json:"reason"`
		Position int64   `json:"position"`
		Total    *int64  `json:"total"`
	}{seconds(j.At), j.Verdict.Reading.Run, string(j.Verdict.State), j.Verdict.Reason,
		j.Verdict.Reading.Position, total(j.Verdict)})
}

// MarshalJSON is the line of a signal.
func (s Signal) MarshalJSON() ([]byte, error) {
	r := s.Verdict.Reading
	return json.Marshal(struct {
		At       seconds `json:"at"`
		Run      string  `json:"run"`
		Signal   string  `json:"signal"`
		Since    int64   `json:"since"`
		Epoch    int64   `json:"epoch"`
		State    string  `json:"state"`
		Reason   string  `json:"reason"`
		Detail   string  `json:"detail"`
		Position int64   `json:"position"`
		Total    *int64  `json:"total"`
		Silence  seconds `json:"silence_s"`
		Rows     int64   `json:"rows_since_advance"`
		Failed   int64   `json:"failed_since_advance"`
	}{seconds(s.At), r.Run, s.Kind, s.Since, s.Epoch, string(s.Verdict.State), s.Verdict.Reason, s.Verdict.Detail,
		r.Position, total(s.Verdict), seconds(s.Verdict.Silence), r.Rows, r.Failed})
}

func total(v policy.Verdict) *int64 {
	b := v.Reading.Bound()
	if !b.Known {
		return nil
	}
	return &b.N
}

// MarshalJSON is the line of a summary.
func (s Summary) MarshalJSON() ([]byte, error) {
	type plain struct {
		Length   seconds                `json:"seconds"`
		Runs     int                    `json:"runs"`
		Rows     int64                  `json:"rows"`
		Refused  int64                  `json:"rows_refused"`
		Looks    int64                  `json:"looks"`
		Blind    int64                  `json:"looks_blind"`
		Missed   int64                  `json:"looks_missed"`
		Verdicts int64                  `json:"verdicts"`
		Signals  map[string]int64       `json:"signals"`
		Pings    int64                  `json:"pings"`
		States   map[policy.State]int64 `json:"states"`
	}
	return json.Marshal(struct {
		Summary plain `json:"summary"`
	}{plain{seconds(s.Length), s.Runs, s.Rows, s.Refused, s.Looks, s.BlindLooks, s.Missed, s.Verdicts,
		s.told(), s.Signals[policy.Pinged], s.States}})
}

// told is the signals that are delivered: all but the pings.
func (s Summary) told() map[string]int64 {
	told := map[string]int64{}
	for kind, n := range s.Signals {
		if kind != policy.Pinged {
			told[kind] = n
		}
	}
	return told
}
