package policyfile

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// families is a policy file with a table for each of n families.
func families(n int) []byte {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "[family.f%d]\nidle_window = \"1m\"\nstall_after = \"9m\"\n", i)
	}
	return []byte(b.String())
}

// Each key's line was counted from the top of the file.
func TestALongFileIsReadInOnePass(t *testing.T) {
	took := func(src []byte) time.Duration {
		start := time.Now()
		settingsOf(src)
		return time.Since(start)
	}
	short, long := families(1000), families(8000)
	var ratio float64
	for range 5 {
		if ratio = float64(took(long)) / float64(took(short)); ratio < 24 {
			return
		}
	}
	t.Errorf("eight times the families take %.0f times as long", ratio)
}

func TestLinesAreThoseOfTheirKeys(t *testing.T) {
	src := "# a file\r\n[default]\nidle_window = '''\n1m'''\n\n[family.a]\nstall_after = \"9m\"\n" +
		"[sink]\nb = { type = \"exec\", argv = [\n  \"x\",\n], deadline = \"1s\" }\n[monitor]\ninterval = \"1s\""
	var got []string
	for _, s := range settingsOf([]byte(src)) {
		got = append(got, fmt.Sprintf("%d %s", s.line, strings.Join(s.path, ".")))
	}
	want := "2 default,3 default.idle_window,6 family.a,7 family.a.stall_after,8 sink,9 sink.b,9 sink.b.type,9 sink.b.argv,11 sink.b.deadline,12 monitor,13 monitor.interval"
	if got := strings.Join(got, ","); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
