package store

import (
	"context"
	"testing"
)

// CountLandmarks says how many landmarks are on record.
func CountLandmarks(t testing.TB, s *Store) (n int) {
	t.Helper()
	err := s.view(context.Background(), func(c *conn) error {
		return c.peek("landmarks_all", func([]value) error { n++; return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
