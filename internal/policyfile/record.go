package policyfile

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/progmon/progmon/policy"
)

// ParseRecord reads thresholds that were recorded, by policy.AppendRecord of
// this version or another: a key that it does not know is passed over, and one
// that is not there, or null, has its default. From is policy.FromRun. A record that is
// no such thing, or contradicts itself, is an error.
func ParseRecord(body []byte) (policy.Policy, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(body, &fields); err != nil {
		return policy.Policy{}, fmt.Errorf("read a recorded policy: %w", err)
	}
	p := policy.Default()
	p.From = policy.FromRun
	for _, key := range policy.Keys() {
		raw, has := fields[key]
		if !has || string(raw) == "null" {
			continue
		}
		var err error
		switch field := p.Field(key).(type) {
		case *time.Duration:
			var written string
			if err = json.Unmarshal(raw, &written); err == nil {
				if *field, err = time.ParseDuration(written); err != nil {
					*field, err = policy.ParseDuration(written)
				}
			}
		default:
			err = json.Unmarshal(raw, field)
		}
		if err != nil {
			return policy.Policy{}, fmt.Errorf("read %s of a recorded policy: %w", key, err)
		}
	}
	if fields["checkpoint_interval"] == nil {
		fitCheckpoint(&p)
	}
	if err := p.Validate(); err != nil {
		return policy.Policy{}, fmt.Errorf("a recorded policy contradicts itself: %w", err)
	}
	return p, nil
}
