package store

import "fmt"

// sealCheck follows the seals while the log goes by.
type sealCheck struct {
	v    *Verification
	all  []seal
	at   int // the seal that covers the row in hand
	sum  *sum
	rows int64
	from string // what the first stands on
}

// seals reads the chain and finds seals that do not follow one another.
func (k *verifier) seals() (*sealCheck, error) {
	s := &sealCheck{v: k.v}
	last := int64(0)
	var err error
	if s.from, err = k.c.genesis(); err != nil {
		return s, err
	}
	err = k.read("verify_seals", func(row []value) error {
		one := seal{first: whole(row[0]), last: whole(row[1]), rows: whole(row[2]), hash: fmt.Sprint(row[3])}
		if one.first != last+1 || one.last < one.first {
			k.v.add(Finding{Rule: RuleSeal, FirstEvent: last + 1, LastEvent: one.first - 1, Detail: "a seal does not begin where the last one ended"})
		}
		last = one.last
		s.all = append(s.all, one)
		return nil
	})
	s.v.Seals, s.v.Sealed = int64(len(s.all)), last
	return s, err
}

// take hashes one row into its seal.
func (s *sealCheck) take(id int64, row []value) {
	for s.at < len(s.all) && id > s.all[s.at].last {
		s.close()
	}
	if s.at == len(s.all) || id < s.all[s.at].first {
		return
	}
	if s.sum == nil {
		s.begin()
	}
	s.sum.row(row)
	s.rows++
	if id == s.all[s.at].last {
		s.close()
	}
}

// begin stands on the hash that the seal before recorded, so that what was
// tampered with under one seal is found under that one alone.
func (s *sealCheck) begin() {
	before := s.from
	if s.at > 0 {
		before = s.all[s.at-1].hash
	}
	s.sum, s.rows = newSum(before), 0
}

// close compares a seal whose rows have gone by.
func (s *sealCheck) close() {
	if s.sum == nil {
		s.begin()
	}
	one := s.all[s.at]
	if got := s.sum.hex(); got != one.hash || s.rows != one.rows {
		s.v.add(Finding{Rule: RuleSeal, FirstEvent: one.first, LastEvent: one.last,
			Detail: fmt.Sprintf("these rows are not the %d that were sealed, or the names, notes and epochs of the steps that they ended are others", one.rows)})
	}
	s.at++
	s.sum = nil
}

// end closes the seals over rows that are not there any more.
func (s *sealCheck) end() {
	for s.at < len(s.all) {
		s.close()
	}
}
