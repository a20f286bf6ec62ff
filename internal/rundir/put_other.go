//go:build !unix

package rundir

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
)

const nonblock = 0

// put writes a file whole. This platform has no directories to sync.
func put(dir *os.Root, name string, content []byte) (err error) {
	temp := "." + name + strconv.FormatInt(rand.Int64(), 10)
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		err = errors.Join(err, dir.Remove(temp))
	}
	return err
}

func syncDir(*os.Root) error { return nil }
func syncPath(string) error  { return nil }

// settle closes a directory that was just made; modes mean little here.
func settle(f *os.File) error { return f.Close() }

// ours cannot tell the owner of a file on this platform.
func ours(fs.FileInfo) error { return nil }

func lock(*os.File) error { return errors.ErrUnsupported }

func isQuota(error) bool { return false }
