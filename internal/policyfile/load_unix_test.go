//go:build unix

package policyfile

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAFIFOIsRefusedWithoutWaitingForAWriter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path); err == nil || !strings.Contains(err.Error(), "no regular file") {
		t.Errorf("Load(fifo) = %v", err)
	}
}
