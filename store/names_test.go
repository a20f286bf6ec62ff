package store_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/progmon/progmon/store"
)

func TestAStepIsANumberOrAName(t *testing.T) {
	for text, want := range map[string]store.StepRef{
		"1": store.Pos(1), "007": store.Pos(7), "+7": store.Pos(7), "9223372036854775807": store.Pos(1<<63 - 1),
		"deploy": store.Named("deploy"), "7a": store.Named("7a"), "build it": store.Named("build it"), "-v": store.Named("-v"),
		"1.5": store.Named("1.5"), "déploy": store.Named("déploy"), "-": store.Named("-"),
		strings.Repeat("x", 200): store.Named(strings.Repeat("x", 200)),
	} {
		if got, err := store.ParseStep(text); err != nil || got != want {
			t.Errorf("ParseStep(%q) = %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{
		"", "0", "-1", "+0", "--7", "9223372036854775808", "a\nb", "a\x00", "\xff", strings.Repeat("x", 201),
	} {
		if got, err := store.ParseStep(text); err == nil {
			t.Errorf("ParseStep(%q) = %+v, want an error", text, got)
		}
	}
	if store.CheckStepName("7") == nil || store.CheckStepName("") == nil || store.CheckStepName("7a") != nil {
		t.Error("a name of digits alone would be read as a number")
	}
}

func TestATextIsKeptAsItCanBe(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "as it is": "as it is", "a\xffb": "a\uFFFDb", "a\x00b": "a\uFFFDb", "two\nlines": "two\nlines",
		strings.Repeat("x", 4096):            strings.Repeat("x", 4096),
		strings.Repeat("x", 4097):            strings.Repeat("x", 4093) + "…",
		strings.Repeat("é", 2049):            strings.Repeat("é", 2046) + "…",
		"x" + strings.Repeat("é", 4<<10):     "x" + strings.Repeat("é", 2046) + "…",
		strings.Repeat("\U0001F600", 64<<10): strings.Repeat("\U0001F600", 1023) + "…",
	} {
		got := store.KeptText(text)
		if got != want || len(got) > 4096 || !utf8.ValidString(got) {
			t.Errorf("KeptText(%.20q…, %d bytes) has %d bytes and ends %q", text, len(text), len(got), got[max(0, len(got)-10):])
		}
	}
}
