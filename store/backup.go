package store

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// digestSuffix is what the name of the digest beside a copy ends in.
const digestSuffix = ".sha256"

// Copy is a backup that was made.
type Copy struct {
	Path   string `json:"path"` // absolute
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"` // of the file, in hex; sha256sum -c reads it in Path.sha256
}

// Backup copies the trail as it is at one instant into the new file out, while
// others go on writing, and lays its SHA-256 beside it in out.sha256. What is
// named out is whole and durable: the copy is made under another name, in the
// same directory, and gets its own when it is finished. A file that is there is
// never written over: that is ErrCannotCreate. It returns a *BlindError for a
// trail that cannot be read, and ErrNoSpace on a full disk.
//
// The copy is compact, and begins without a write-ahead log; the first who
// writes to it makes one. Its instance is that of the trail.
func (r *Reader) Backup(ctx context.Context, out string) (Copy, error) {
	c, err := r.backup(ctx, out)
	if err != nil {
		return Copy{}, fmt.Errorf("copy the trail to %q: %w", out, err)
	}
	return c, nil
}

func (r *Reader) backup(ctx context.Context, out string) (c Copy, err error) {
	abs, err := filepath.Abs(out)
	if err != nil {
		return Copy{}, cannotCreate(err)
	}
	for _, name := range [...]string{abs, abs + digestSuffix} {
		if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
			return Copy{}, cannotCreate(or(err, fmt.Errorf("%s is there already", name)))
		}
	}
	s, err := r.sight(ctx)
	if err != nil {
		return Copy{}, err
	}
	// SQLite takes an empty file for a new one, and this name is nobody else's.
	half, err := os.CreateTemp(filepath.Dir(abs), "."+filepath.Base(abs)+"-*")
	if err != nil {
		return Copy{}, cannotCreate(err)
	}
	defer func() { err = or(err, half.Close()) }()
	defer func() { _ = os.Remove(half.Name()) }() // of a copy that has its name there is none
	if err := r.copyInto(half.Name(), s); err != nil {
		return Copy{}, err
	}
	if err := ctx.Err(); err != nil {
		return Copy{}, err
	}
	c = Copy{Path: abs}
	if c.Bytes, c.SHA256, err = digest(half); err != nil {
		return Copy{}, err
	}
	if err := half.Sync(); err != nil {
		return Copy{}, cannotCreate(err)
	}
	// A link takes no name that is taken.
	if err := os.Link(half.Name(), abs); err != nil {
		return Copy{}, cannotCreate(err)
	}
	return c, cannotCreateIf(layDigest(abs, c.SHA256))
}

// layDigest writes the line that sha256sum -c reads, and makes both names
// durable.
func layDigest(abs, sum string) error {
	f, err := os.OpenFile(abs+digestSuffix, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(sum + "  " + filepath.Base(abs) + "\n")
	if err := or(or(err, f.Sync()), f.Close()); err != nil {
		return err
	}
	dir, err := os.Open(filepath.Dir(abs))
	if err != nil {
		return err
	}
	err = dir.Sync()
	if runtime.GOOS == "windows" {
		err = nil // which cannot sync a directory, and need not
	}
	return or(err, dir.Close())
}

func cannotCreateIf(err error) error {
	if err == nil {
		return nil
	}
	return cannotCreate(err)
}

// copyInto has SQLite copy what one snapshot holds.
func (r *Reader) copyInto(name string, s *sight) error {
	from, err := connect(r.path, dataSource(r.path, "ro", "temp_store(MEMORY)",
		"busy_timeout("+strconv.FormatInt(r.opt.busy.Milliseconds(), 10)+")"))
	if err != nil {
		return blindly(r.path, r.opt, err)
	}
	err = sameFile(r.opt.find, r.path, s.file)
	if err == nil {
		var st *stmt
		if st, err = from.prepare(query("vacuum_into")); err == nil {
			_, err = st.exec([]arg{{"name", name}})
			err = or(err, translate(st.prepared.Close()))
		}
	}
	return locked(or(err, from.close()))
}

// digest reads the file from its start.
func digest(f *os.File) (int64, string, error) {
	sum := sha256.New()
	n, err := io.Copy(sum, io.NewSectionReader(f, 0, 1<<62))
	if err != nil {
		return 0, "", fmt.Errorf("%w: read the copy: %w", ErrUnavailable, err)
	}
	return n, hex.EncodeToString(sum.Sum(nil)), nil
}

// AddDigest adds the finding that the file at path is not the one that the
// digest beside it is of.
func (v *Verification) AddDigest(path string) {
	v.add(Finding{Rule: RuleDigest, Detail: "the file differs from the digest in " + path + digestSuffix})
}

// CheckDigest compares the file at path with the digest beside it. ok is false
// when they differ; checked is false when there is no digest.
func CheckDigest(path string) (ok, checked bool, err error) {
	text, err := os.Open(path + digestSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return false, false, nil
	}
	if err != nil {
		return false, false, fmt.Errorf("check the digest of %q: %w", path, err)
	}
	defer text.Close()
	line, err := bufio.NewReader(io.LimitReader(text, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return false, false, fmt.Errorf("check the digest of %q: %w", path, err)
	}
	want, _, _ := strings.Cut(line, " ")
	f, err := os.Open(path)
	if err != nil {
		return false, false, fmt.Errorf("check the digest of %q: %w", path, err)
	}
	defer f.Close()
	_, got, err := digest(f)
	return strings.EqualFold(strings.TrimSpace(want), got), true, err
}
