package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/urfave/cli/v2"
)

// acting is a frame whose one command does act.
func acting(act func(*env, *cli.Context) error) *sample {
	s := newSample(nil)
	s.env.table = func() []section {
		return []section{{"Sample", []entry{{"act", "act", func(e *env) *cli.Command {
			return &cli.Command{Name: "act", UsageText: "progmon act", Action: func(c *cli.Context) error { return act(e, c) }}
		}}}}}
	}
	return s
}

func TestASignalEndsACommandAsItsVictim(t *testing.T) {
	for sig, want := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		s := acting(func(_ *env, c *cli.Context) error {
			ended := c.Context.Done() // signals are caught from here on
			self, err := os.FindProcess(os.Getpid())
			if err == nil {
				err = self.Signal(sig)
			}
			if err != nil {
				return err
			}
			<-ended
			return fmt.Errorf("look: %w", c.Context.Err())
		})
		if code := s.do("act"); code != want || s.errOut.Len() > 0 {
			t.Errorf("%v: exit %d, stderr %q, want %d and silence", sig, code, &s.errOut, want)
		}
	}
}

func TestACommandThatEndsWellAfterASignalIsFine(t *testing.T) {
	s := acting(func(_ *env, c *cli.Context) error {
		ended := c.Context.Done()
		self, err := os.FindProcess(os.Getpid())
		if err == nil {
			err = self.Signal(syscall.SIGTERM)
		}
		<-ended
		return err
	})
	if code := s.do("act"); code != 0 {
		t.Errorf("exit %d, want 0: %s", code, &s.errOut)
	}
}

// brokenWriter fails every write with err.
type brokenWriter struct{ err error }

func (b brokenWriter) Write([]byte) (int, error) { return 0, b.err }

func TestALostAnswerIsToldOnce(t *testing.T) {
	for _, row := range []struct {
		claim      string
		lost, then error
		want       int
		stderr     string
	}{
		{"full disk", syscall.ENOSPC, nil, exitTryAgain, "progmon: write the answer to stdout: no space left on device\n"},
		{"full disk after a verdict", syscall.ENOSPC, exitStatus(exitStalled), exitStalled, "progmon: write the answer to stdout: no space left on device\n"},
		{"reader gone", syscall.EPIPE, nil, 141, ""},
	} {
		s := acting(func(e *env, c *cli.Context) error {
			e.printf("one\n")
			e.printf("two\n")
			return row.then
		})
		s.env.stdout.w = brokenWriter{row.lost}
		if code := s.do("act"); code != row.want || s.errOut.String() != row.stderr {
			t.Errorf("%s: exit %d, stderr %q, want %d, %q", row.claim, code, &s.errOut, row.want, row.stderr)
		}
	}
}

func TestALoopStopsWhenItsReaderIsGone(t *testing.T) {
	s := acting(func(e *env, c *cli.Context) error {
		for c.Context.Err() == nil {
			e.printf("line\n")
		}
		return c.Context.Err()
	})
	s.env.stdout.w = brokenWriter{syscall.EPIPE}
	if code := s.do("act"); code != 141 || s.errOut.Len() > 0 {
		t.Errorf("exit %d, stderr %q, want 141 and silence", code, &s.errOut)
	}
}

func TestUsageErrorsOfAnActionGetItsExample(t *testing.T) {
	s := acting(func(*env, *cli.Context) error { return usagef("", "flag --for is missing") })
	want := "progmon: flag --for is missing\nprogmon: try: progmon act\n"
	if code := s.do("act"); code != exitUsage || s.errOut.String() != want {
		t.Errorf("exit %d, stderr %q, want %d, %q", code, &s.errOut, exitUsage, want)
	}
}

// TestAPanicIsNotAVerdict: the runtime would exit 2, which means stalled.
func TestAPanicIsNotAVerdict(t *testing.T) {
	s := acting(func(*env, *cli.Context) error { panic("a\x1b[2J") })
	code := s.env.guard(func() int { return s.do("act") })
	if code != exitBug || !strings.HasPrefix(s.errOut.String(), "progmon: this is a bug in progmon: a\\x1b[2J\n") {
		t.Errorf("exit %d, stderr %q", code, &s.errOut)
	}
}

func TestRunIsTheWholeProgram(t *testing.T) {
	var out, errOut bytes.Buffer
	if code := run([]string{"progmon", "version"}, strings.NewReader(""), &out, &errOut); code != 0 || !strings.HasPrefix(out.String(), "progmon ") {
		t.Errorf("run(version) = %d, %q, %q", code, &out, &errOut)
	}
}
