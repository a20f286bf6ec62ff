package store

import (
	"context"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestLooksAndStepsScanNothing: what runs at every look and at every step finds
// its rows by a key, and not by going through all steps or events of a run.
// A look at which 1,000 runs had changed cost 125 ms of CPU and not 38 with ten
// million rows, because the planner took the primary key of step for a budget.
func TestLooksAndStepsScanNothing(t *testing.T) {
	ctx := context.Background()
	s, err := Open(ctx, filepath.Join(t.TempDir(), "trail.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	db := s.w.conn
	slow := regexp.MustCompile(`^SCAN (step|event|cursor|run)\b|^SEARCH \S+ USING (PRIMARY KEY|(COVERING )?INDEX event_of_run) \(run_id=\?\)$`)
	// A cursor, a run and a verdict have one row a run.
	single := regexp.MustCompile(`^SEARCH (c|cursor|r|v|verdict) USING PRIMARY KEY`)
	check := func(name, text string) {
		st, err := db.prepare("EXPLAIN QUERY PLAN " + text)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		args := make([]arg, len(st.names))
		for i, each := range st.names {
			args[i] = arg{each, "[]"}
		}
		var plan []string
		if err := st.each(func(row []value) error { plan = append(plan, row[3].(string)); return nil }, args); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		for _, line := range plan {
			if slow.MatchString(line) && !single.MatchString(line) {
				t.Errorf("%s: %s\n%s", name, line, strings.Join(plan, "\n"))
			}
		}
		if err := st.prepared.Close(); err != nil {
			t.Error(err)
		}
	}
	for _, name := range []string{
		"begin_step", "complete_step", "complete_steps", "completed_since", "fail_step", "mark_step", "end_step", "step_state",
		"newest_event", "recall", "clock", "changed_since", "readings", "budgets", "landmarks", "record_clock", "record_monitor",
		"record_verdict", "record_landmarks", "drop_landmarks", "record_signal", "wrapper_signal", "signals_of_run",
	} {
		check(name, query(name))
	}
	// The questions that the triggers of a step and of a landmark ask.
	for _, trigger := range []string{"a_landmark_that_is_counted_from_stays", "a_step_is_stamped_by_the_database", "a_step_is_updated_by_the_rules"} {
		text := ""
		st, err := db.prepare("SELECT sql FROM sqlite_schema WHERE name = :name")
		if err != nil {
			t.Fatal(err)
		}
		if err := st.each(func(row []value) error { text = row[0].(string); return nil }, []arg{{"name", trigger}}); err != nil {
			t.Fatal(err)
		}
		if err := st.prepared.Close(); err != nil {
			t.Error(err)
		}
		asked := regexp.MustCompile(`(?s)SELECT 1 FROM.*?\)`).FindAllString(text, -1)
		if len(asked) == 0 && trigger != "a_step_is_stamped_by_the_database" {
			t.Errorf("%s asks nothing", trigger)
		}
		for _, q := range asked {
			q = strings.TrimSuffix(regexp.MustCompile(`\b(OLD|NEW)\.\w+`).ReplaceAllString(q, "'x'"), ")")
			if strings.Count(q, "(") == strings.Count(q, ")") && !slices.Contains(strings.Fields(q), "IN") {
				check(trigger, q)
			}
		}
	}
}
