package store

import (
	"testing"

	"github.com/progmon/progmon/cursor"
)

// TestLengthIsThatOfTheSchema: the longest that a CHECK takes reads back whole.
func TestLengthIsThatOfTheSchema(t *testing.T) {
	const most = 3155760000000
	for ms, want := range map[int64]int64{most: most, most + 1: most, 1<<63 - 1: most, -1: 0} {
		if got := (num{n: ms, set: true}).length(); got.Milliseconds() != want {
			t.Errorf("length of %d ms = %v, want %d ms", ms, got, want)
		}
	}
	if cursor.Longest.Milliseconds() != most {
		t.Errorf("cursor.Longest = %d ms, and the schema takes %d", cursor.Longest.Milliseconds(), int64(most))
	}
}
