package policy

import "testing"

func BenchmarkJudge(b *testing.B) {
	p, r := Default(), quietSince(hour)
	r.Rows, r.Failed = 1500, 5
	b.ReportAllocs()
	for b.Loop() {
		if v := p.Judge(r, at(2*hour)); v.State != Stuck {
			b.Fatal(v.Says())
		}
	}
}

func BenchmarkEdges(b *testing.B) {
	p := Default()
	v := p.Judge(quietSince(hour), at(2*hour))
	_, m := Edges(Memory{}, v, nil)
	var signals []Signal
	b.ReportAllocs()
	for b.Loop() {
		signals, _ = Edges(m, v, signals[:0])
	}
}
