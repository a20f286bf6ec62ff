package policyfile

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/progmon/progmon/policy"
)

func wants(key, what string, v value) error {
	return fmt.Errorf("%s wants %s, not %s", key, what, v.kind)
}

// duration reads a length of time. A bare number is the mistake that is worth
// its own sentence: nobody remembers its unit.
func duration(key string, v value) (time.Duration, error) {
	switch v.kind {
	case text:
		d, err := policy.ParseDuration(v.text)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", key, err)
		}
		return d, nil
	case integer, float:
		return 0, fmt.Errorf("%s is a bare number: a length of time has a unit, such as \"%ss\" or \"5m\"", key, quote(v.text))
	}
	return 0, wants(key, `a length of time such as "5m"`, v)
}

func whole(key string, v value) (int64, error) {
	if v.kind != integer {
		return 0, wants(key, "a whole number", v)
	}
	n, err := strconv.ParseInt(strings.TrimPrefix(v.text, "+"), 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %s is too large", key, quote(v.text))
	}
	return n, nil
}

func number(key string, v value) (float64, error) {
	if v.kind != integer && v.kind != float {
		return 0, wants(key, "a number", v)
	}
	f, err := strconv.ParseFloat(strings.ReplaceAll(v.text, "_", ""), 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return 0, fmt.Errorf("%s: %s is no number to count with", key, quote(v.text))
	}
	return f, nil
}

func words(key string, v value) ([]string, error) {
	if v.kind != list {
		return nil, wants(key, `a list of texts, such as ["a", "b"]`, v)
	}
	all := make([]string, 0, len(v.items))
	for _, item := range v.items {
		if item.kind != text {
			return nil, fmt.Errorf("%s wants a list of texts, and %s is in it", key, item.kind)
		}
		all = append(all, item.text)
	}
	return all, nil
}

// address checks that v is one that can be called.
func address(key string, v value) (string, error) {
	if v.kind != text {
		return "", wants(key, `an address such as "https://example.org/hook"`, v)
	}
	u, err := url.Parse(v.text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%s is no http or https address", key)
	}
	return v.text, nil
}
