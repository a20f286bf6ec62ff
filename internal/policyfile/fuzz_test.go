package policyfile

import "testing"

// FuzzParse: whatever a file holds, it is read or refused, and what is refused
// has a reason.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "[default]\nidle_window = \"5m\"\n", "[family.x]\na.b = {c = [1, {d = 2}]}\n[[sink]]\n", "a = 1979-05-27\n\"\" = ''\n", "[sink.\"\"]\n[.]\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		file, err := Parse("p.toml", text)
		if (file == nil) == (err == nil) {
			t.Fatalf("Parse(%q) = %v, %v", text, file, err)
		}
		if err != nil && err.Error() == "" {
			t.Fatalf("Parse(%q): an error without words", text)
		}
	})
}
