package docs_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// bin has progmon as a user builds it.
var bin string

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	dir, err := os.MkdirTemp("", "progmon-docs-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	bin = dir
	build := exec.Command("go", "build", "-o", dir+string(filepath.Separator), "./cmd/progmon")
	build.Dir = ".."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %v\n%s", build, err, out)
		return 1
	}
	return m.Run()
}

// TestCommandsOfThePagesRun runs what the pages tell their reader to type, as
// it stands and in its order, in one shell a page. A watch that would go on for
// ever is given a second; what make does is tested elsewhere.
func TestCommandsOfThePagesRun(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Log("there is no bash here")
		return
	}
	makefile := read(t, "../Makefile")
	for _, page := range []string{"../README.md", "WORKERS.md", "POLICY.md", "WRAPPER.md", "SINKS.md"} {
		script := "set -euo pipefail\ntrap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
		for _, block := range fenced(read(t, page), "sh") {
			for line := range strings.Lines(block + "\n") {
				if target, ok := strings.CutPrefix(line, "make "); ok {
					name := strings.Fields(target)[0]
					if !strings.Contains(makefile, "\n"+name+":") {
						t.Errorf("%s: the Makefile has no target %s", page, name)
					}
					continue
				}
				script += regexp.MustCompile(`^progmon watch(\s+#|$)`).ReplaceAllString(line, "progmon watch --for 1s $1")
			}
		}
		cmd := exec.Command(bash, "-c", script)
		cmd.Dir = world(t)
		cmd.Env = environ(cmd.Dir)
		cmd.WaitDelay = 10 * time.Second // for what the page leaves in the background
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", page, err, out, script)
		}
	}
}

// TestCommandsOfThePagesExist: no page speaks of a command or a flag that this
// build has not.
func TestCommandsOfThePagesExist(t *testing.T) {
	for _, page := range pages(t) {
		for _, found := range regexp.MustCompile("progmon ([a-z]+)((?: [a-z]+){0,2})([^`\n#|]*)").FindAllStringSubmatch(code(read(t, page)), -1) {
			help, err := exec.Command(filepath.Join(bin, "progmon"), found[1], "--help").Output()
			if err != nil {
				t.Errorf("%s: there is no progmon %s", page, found[1])
				continue
			}
			path := found[1:2]
			for _, sub := range strings.Fields(found[2]) {
				if !strings.Contains(string(help), "COMMAND") {
					break // it is an argument
				}
				path = append(path[:len(path):len(path)], sub)
				deeper, err := exec.Command(filepath.Join(bin, "progmon"), append(path, "--help")...).Output()
				if err != nil {
					t.Errorf("%s: there is no progmon %s", page, strings.Join(path, " "))
					break
				}
				help = deeper
			}
			for _, flag := range regexp.MustCompile(`--[a-z-]+`).FindAllString(found[3], -1) {
				if !regexp.MustCompile(flag + `\b`).Match(help) {
					t.Errorf("%s: progmon %s%s has no flag %s", page, found[1], found[2], flag)
				}
			}
		}
	}
}

// code is what a page has in backquotes and fences.
func code(page string) string {
	var all []string
	for i, piece := range strings.Split(page, "`") {
		if i%2 == 1 {
			all = append(all, piece)
		}
	}
	return strings.Join(append(all, fenced(page, "sh")...), "`\n")
}

// pages are the pages of the repository, by their path from here.
func pages(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(found, "../README.md")
}

// TestGoOfThePagesRuns: the three lines in Go are a program but for its frame.
func TestGoOfThePagesRuns(t *testing.T) {
	for _, page := range []string{"../README.md", "WORKERS.md"} {
		file := filepath.Join(t.TempDir(), "main.go")
		program := `package main

import (
	"context"

	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/store"
)

func main() {
	ctx := context.Background()
` + fenced(read(t, page), "go")[0] + `
	if err != nil || ack.Position != 1 {
		panic(err)
	}
}
`
		program = strings.ReplaceAll(program, `"trail.db"`, fmt.Sprintf("%q", filepath.Join(filepath.Dir(file), "trail.db")))
		if err := os.WriteFile(file, []byte(program), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("go", "run", file)
		cmd.Dir = ".."
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s\n%s", page, err, out, program)
		}
	}
}

// TestReadmeSQLRuns: the lines in SQL, on an empty trail.
func TestReadmeSQLRuns(t *testing.T) {
	db := open(t, schema(t))
	for _, block := range fenced(read(t, "../README.md"), "sql") {
		if _, err := db.Exec(block); err != nil {
			t.Errorf("%v\n%s", err, block)
		}
	}
	if got := column(t, db, `SELECT position || '/' || total FROM v_run`); strings.Join(got, ",") != "1/1" {
		t.Errorf("the README leaves %v, want 1/1", got)
	}
}

// TestPoliciesOfThePagesAreGood: policy check has nothing to say against them.
func TestPoliciesOfThePagesAreGood(t *testing.T) {
	for _, page := range []string{"../README.md", "POLICY.md", "WRAPPER.md", "SINKS.md"} {
		for _, block := range fenced(read(t, page), "toml") {
			file := filepath.Join(t.TempDir(), "policy.toml")
			if err := os.WriteFile(file, []byte(block), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(filepath.Join(bin, "progmon"), "policy", "check", file).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s\n%s", page, err, out, block)
			}
		}
	}
}

// TestRefusedPolicyIsRefusedInThoseWords: the example of a bad file, and what
// is said of it.
func TestRefusedPolicyIsRefusedInThoseWords(t *testing.T) {
	page := read(t, "POLICY.md")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "policy.toml"), []byte(fenced(page, "toml refused")[0]), 0o600); err != nil {
		t.Fatal(err)
	}
	check := exec.Command(filepath.Join(bin, "progmon"), "policy", "check", "policy.toml")
	check.Dir = dir
	out, err := check.CombinedOutput()
	if check.ProcessState == nil {
		t.Fatal(err)
	}
	if want := fenced(page, "text")[0]; check.ProcessState.ExitCode() != 78 || strings.TrimSpace(string(out)) != want {
		t.Errorf("policy check exits %d and says\n%s, want 78 and\n%s", check.ProcessState.ExitCode(), out, want)
	}
}

// TestLinksOfThePagesLead: a link into the repository leads to a file.
func TestLinksOfThePagesLead(t *testing.T) {
	for _, page := range pages(t) {
		for _, link := range regexp.MustCompile(`\]\(([^)#]+)(#[^)]*)?\)`).FindAllStringSubmatch(read(t, page), -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), link[1])); err != nil {
				t.Errorf("%s: %v", page, err)
			}
		}
	}
}

// world is a directory with what the pages take for granted.
func world(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"policy.toml": fenced(read(t, "POLICY.md"), "toml")[0],
		"tape.jsonl":  `{"at":0,"run":"r","kind":"run.started","total":1}` + "\n" + `{"at":1,"run":"r","kind":"step.done","step":1}` + "\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	start := exec.Command(filepath.Join(bin, "progmon"), "start", "first", "--total", "1")
	start.Env = environ(dir)
	if out, err := start.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", start, err, out)
	}
	return dir
}

// environ is a shell's environment with nothing of ours in it but the trail.
func environ(dir string) []string {
	return []string{
		"PATH=" + bin + string(filepath.ListSeparator) + os.Getenv("PATH"),
		"HOME=" + dir, "PROGMON_DB=" + filepath.Join(dir, "trail.db"),
	}
}
