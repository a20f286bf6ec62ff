package main

import (
	"github.com/progmon/progmon/internal/policyfile"
	"github.com/progmon/progmon/policy"
)

// thresholds are those that looking commands judge by: of the policy file if
// one is named, else those recorded with the run, else those built in.
type thresholds struct {
	file  *policyfile.File // nil when none is named
	known map[string]policy.Policy
}

// thresholds reads the policy file, if one is named.
func (e *env) thresholds() (*thresholds, error) {
	t := &thresholds{known: map[string]policy.Policy{}}
	if e.policy() == "" {
		return t, nil
	}
	var err error
	t.file, err = policyfile.Load(e.policy())
	return t, withCode(exitPolicy, err)
}

// of is the policy of a run. A record that cannot be read is none.
func (t *thresholds) of(family string, recorded []byte) policy.Policy {
	if t.file != nil {
		return t.file.For(family)
	}
	if len(recorded) == 0 {
		return policy.Default()
	}
	p, ok := t.known[string(recorded)]
	if !ok {
		var err error
		if p, err = policyfile.ParseRecord(recorded); err != nil {
			p = policy.Default()
		}
		t.known[string(recorded)] = p
	}
	return p
}

// monitor is how the watcher itself is to behave.
func (t *thresholds) monitor() policyfile.Monitor {
	if t.file != nil {
		return t.file.Monitor
	}
	return policyfile.Builtin().Monitor
}

// recordedPolicy is the JSON of the thresholds in force for a new run of the
// family: of the policy file, or those built in, which another version may
// have otherwise.
func (e *env) recordedPolicy(family string) ([]byte, error) {
	t, err := e.thresholds()
	if err != nil {
		return nil, err
	}
	return t.of(family, nil).AppendRecord(nil), nil
}
