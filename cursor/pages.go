package cursor

// pages is a set of step numbers, a bit each, in pages of 4096 steps: steps are
// mostly dense, but one far out must not cost the memory of all before it.
type pages struct {
	page map[int64]*[64]uint64
	last *[64]uint64 // the page looked at last, and its number
	at   int64
}

func (p *pages) find(step int64) *[64]uint64 {
	if n := step >> 12; p.last == nil || n != p.at {
		p.at, p.last = n, p.page[n]
	}
	return p.last
}

func (p *pages) has(step int64) bool {
	page := p.find(step)
	return page != nil && page[step>>6&63]&(1<<(step&63)) != 0
}

func (p *pages) add(step int64) {
	page := p.find(step)
	if page == nil {
		page = new([64]uint64)
		if p.page == nil {
			p.page = map[int64]*[64]uint64{}
		}
		p.page[step>>12], p.last = page, page
	}
	page[step>>6&63] |= 1 << (step & 63)
}
