package main

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestAWatchBeats: the program tells the heartbeat's service and the service
// manager of looks that saw, in a loop and from cron.
func TestAWatchBeats(t *testing.T) {
	dir := t.TempDir()
	var mu sync.Mutex
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.URL.Path)
	}))
	defer server.Close()
	policy, db := filepath.Join(dir, "policy.toml"), filepath.Join(dir, "trail.db")
	if err := os.WriteFile(policy, fmt.Appendf(nil, "[monitor]\nheartbeat_url = %q\n", server.URL+"/ping"), 0o600); err != nil {
		t.Fatal(err)
	}
	manager, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: filepath.Join(dir, "notify"), Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer manager.Close()
	if err := manager.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	heard := make(chan string, 1)
	go func() {
		var text strings.Builder
		for buffer := make([]byte, 4096); !strings.Contains(text.String(), "STOPPING=1"); {
			n, err := manager.Read(buffer)
			if err != nil {
				break // the test ended
			}
			text.Write(append(buffer[:n], '\n'))
		}
		heard <- text.String()
	}()
	t.Setenv("NOTIFY_SOCKET", filepath.Join(dir, "notify"))
	watch := func(args ...string) {
		program(t, append([]string{"--db", db, "--policy", policy, "watch"}, args...)...)
	}
	watch("--once") // there is no trail
	if _, code := program(t, "--db", db, "start", "nightly"); code != 0 {
		t.Fatalf("start exits %d", code)
	}
	watch("--once")
	watch("--interval", "100ms", "--for", "1s")
	mu.Lock()
	defer mu.Unlock()
	if want := []string{"/ping/fail", "/ping", "/ping/start", "/ping"}; !slices.Equal(got, want) {
		t.Errorf("the service heard %q, want %q", got, want)
	}
	if text := <-heard; !strings.HasPrefix(text, "STATUS=BLIND: missing\nREADY=1\nWATCHDOG=1\nSTATUS=looking\n") {
		t.Errorf("the service manager heard %q", text)
	}
}
