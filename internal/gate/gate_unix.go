//go:build unix

package gate

import (
	"encoding/binary"
	"errors"
	"os"
	"syscall"
)

func init() {
	if len(os.Args) > 2 && os.Args[0] == Name {
		os.Exit(wait(os.Args[1], os.Args[2:]))
	}
}

// wait executes the command once it is told to. It returns when it was not,
// or when that failed.
func wait(path string, argv []string) int {
	syscall.CloseOnExec(Word)
	syscall.CloseOnExec(Report)
	var word [1]byte
	for {
		n, err := syscall.Read(Word, word[:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if n != 1 || err != nil {
			return Abandoned
		}
		break
	}
	err := syscall.Exec(path, argv, os.Environ())
	errno, ok := errors.AsType[syscall.Errno](err)
	if !ok {
		errno = syscall.EIO
	}
	var report [4]byte
	binary.LittleEndian.PutUint32(report[:], uint32(errno))
	_, _ = syscall.Write(Report, report[:]) // nobody is left to be told
	return Abandoned
}
