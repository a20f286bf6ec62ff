package supervise

import (
	"fmt"
	"sync"
)

// teller says things to people, one at a time.
type teller struct {
	mu   sync.Mutex
	tell func(string)
	said map[string]bool
}

func (t *teller) say(format string, args ...any) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tell != nil {
		t.tell(fmt.Sprintf(format, args...))
	}
}

// once says something the first time that it comes up.
func (t *teller) once(about, format string, args ...any) {
	t.mu.Lock()
	told := t.said[about]
	if t.said == nil {
		t.said = map[string]bool{}
	}
	t.said[about] = true
	t.mu.Unlock()
	if !told {
		t.say(format, args...)
	}
}

// again makes once say it again.
func (t *teller) again(about string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.said, about)
}
