package supervise

import (
	"bytes"
	"context"
	"os/exec"
	"sync"
	"time"
)

// helpers are children of the wrapper that somebody else waits for: they are
// neither the command's descendants nor orphans.
type helpers struct {
	mu   sync.Mutex
	pids map[int]bool
}

func (h *helpers) has(pid int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.pids[pid]
}

// output runs a program in dir and gives what it prints, limit bytes at most.
func (h *helpers) output(ctx context.Context, dir string, limit int, argv ...string) ([]byte, error) {
	out := &bounded{limit: limit}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	cmd.WaitDelay = 100 * time.Millisecond
	h.mu.Lock()
	err := cmd.Start()
	if err == nil {
		if h.pids == nil {
			h.pids = map[int]bool{}
		}
		h.pids[cmd.Process.Pid] = true
	}
	h.mu.Unlock()
	if err != nil {
		return nil, err
	}
	err = cmd.Wait()
	h.mu.Lock()
	delete(h.pids, cmd.Process.Pid)
	h.mu.Unlock()
	return out.Bytes(), err
}

// bounded keeps the first limit bytes and drops the rest.
type bounded struct {
	bytes.Buffer
	limit int
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if room := b.limit - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
