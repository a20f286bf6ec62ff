package docs_test

import (
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

// constants are the texts of a file's string constants with such names.
func constants(t *testing.T, file, names string) []string {
	t.Helper()
	var texts []string
	for _, found := range regexp.MustCompile(`(?m)^\s`+names+`\s+= "([^"]+)"`).FindAllStringSubmatch(read(t, file), -1) {
		texts = append(texts, found[1])
	}
	return texts
}
