package docs_test

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/progmon/progmon/policy"
)

// TestVerdictsPageKnowsEveryState: every state and every reason that the
// source has a name for is on the page.
func TestVerdictsPageKnowsEveryState(t *testing.T) {
	page := read(t, "VERDICTS.md")
	for _, state := range policy.States() {
		if !strings.Contains(page, "| `"+string(state)+"` |") {
			t.Errorf("VERDICTS.md does not explain %s", state)
		}
	}
	reasons := constants(t, "../policy/verdict.go", `(?:Reason\w+|Regressed|Receding)`)
	if len(reasons) < 10 {
		t.Fatalf("found %v in policy, want the reasons", reasons)
	}
	for _, reason := range reasons {
		if !regexp.MustCompile("`(?:\\w+: )?" + regexp.QuoteMeta(reason) + "`").MatchString(page) {
			t.Errorf("VERDICTS.md does not explain the reason %s", reason)
		}
	}
	blind := constants(t, "../store/errors.go", `Blind\w+`)
	if len(blind) < 10 {
		t.Fatalf("found %v in store, want the reasons to be blind", blind)
	}
	for _, reason := range blind {
		if !strings.Contains(page, "| `blind: "+reason+"` |") {
			t.Errorf("VERDICTS.md does not explain blind: %s", reason)
		}
	}
}

// TestVerdictsPageNamesFieldsThatAre: what the page calls evidence is in the
// JSON of status.
func TestVerdictsPageNamesFieldsThatAre(t *testing.T) {
	dir := world(t)
	status := exec.Command(filepath.Join(bin, "progmon"), "status", "--json")
	status.Env = environ(dir)
	out, err := status.Output()
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Runs []map[string]any }
	if err := json.Unmarshal(out, &answer); err != nil || len(answer.Runs) != 1 {
		t.Fatalf("status --json = %s (%v), want one run", out, err)
	}
	fields := columnsOf(sections(read(t, "VERDICTS.md"))["The evidence"])
	if len(fields) < 10 {
		t.Fatalf("the page names the fields %v, want at least 10", fields)
	}
	for _, field := range fields {
		if _, ok := answer.Runs[0][field]; !ok {
			t.Errorf("VERDICTS.md speaks of %s, which status --json has not", field)
		}
	}
}

// constants are the texts of a file's string constants with such names.
func constants(t *testing.T, file, names string) []string {
	t.Helper()
	var texts []string
	for _, found := range regexp.MustCompile(`(?m)^\s`+names+`\s+= "([^"]+)"`).FindAllStringSubmatch(read(t, file), -1) {
		texts = append(texts, found[1])
	}
	return texts
}
