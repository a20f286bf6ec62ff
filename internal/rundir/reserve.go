package rundir

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
)

// reserveSize is the room that is kept: a record, its copy, and what a file
// system needs around them.
const reserveSize = 16 << 10

// Reserve keeps room on the disk for the exit record. It returns ErrNoSpace
// when there is not even that much. It is not durable: where the power fails
// nobody is left to write the record.
func (d *Dir) Reserve() error {
	if err := ignoreAbsent(d.dir.Remove(reserveFile)); err != nil {
		return classify("write", d.File(reserveFile), err)
	}
	// Not zeros: a file system may keep those in no room at all.
	return d.lay(reserveFile, bytes.Repeat([]byte("room for the last word\n "), reserveSize/24+1)[:reserveSize])
}

// Release gives the room up. There need be none. It is not durable either:
// what a power cut brings back is given up by the next epoch.
func (d *Dir) Release() error {
	return classify("remove", d.File(reserveFile), ignoreAbsent(d.dir.Remove(reserveFile)))
}

// putInReserve writes a file into the room of the reserve and gives that the
// name: it takes nothing from a disk that is full, and nobody can take the
// room in between. Where the file system writes nothing in place, the room is
// given up first.
func (d *Dir) putInReserve(name string, content []byte) error {
	err := d.overwriteReserve(content)
	if err == nil {
		if err = d.dir.Rename(reserveFile, name); err == nil {
			return classify("sync", d.path, d.sync())
		}
	}
	if released := d.Release(); released != nil {
		return errors.Join(classify("write", d.File(name), err), released)
	}
	return d.put(name, content)
}

func (d *Dir) overwriteReserve(content []byte) error {
	f, info, err := d.open(reserveFile, os.O_WRONLY)
	if err != nil {
		return err
	}
	if info.Size() < int64(len(content)) {
		return errors.Join(fs.ErrInvalid, f.Close())
	}
	_, err = f.WriteAt(content, 0)
	if err == nil {
		err = f.Truncate(int64(len(content)))
	}
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
