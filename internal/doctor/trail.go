package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/progmon/progmon/policy"
	"github.com/progmon/progmon/store"
)

// cures says what to do about a trail that cannot be read, by the reason.
var cures = map[string]string{
	store.BlindMissing:    "progmon start or progmon run makes one; --db or PROGMON_DB names another",
	store.BlindEmpty:      "progmon start makes a trail of it",
	store.BlindNotATrail:  "--db or PROGMON_DB names something else: mend that",
	store.BlindCorrupt:    "copy the file and its -wal aside, and go back to a copy made by progmon db backup",
	store.BlindReplaced:   "put the right file back, or restart whoever has the old one open",
	store.BlindPermission: "run as the user who owns it, or change its mode",
	store.BlindLocked:     "find out who holds it: fuser FILE; an editor or a sqlite3 prompt in a transaction?",
	store.BlindNewer:      "use the newer progmon that wrote it",
	store.BlindOlder:      "any command that writes brings it forward: progmon start",
	store.BlindHung:       "the disk or the mount does not answer: that is the thing to mend",
}

// trail says whether the trail can be read, and how it is set.
func (v *Visit) trail(ctx context.Context, r *store.Reader, err error) {
	if blind, ok := errors.AsType[*store.BlindError](err); ok {
		level := Bad
		if blind.Reason == store.BlindMissing {
			level = Warn // nothing was recorded yet
		}
		v.add("trail", level, fmt.Sprintf("%s: %s, %s", v.Path, blind.Reason, blind.Detail), cures[blind.Reason])
		return
	}
	if err != nil {
		v.add("trail", Bad, v.Path+": "+err.Error(), "")
		return
	}
	s, err := r.Settings(ctx)
	if err != nil {
		v.add("trail", Bad, err.Error(), "progmon db verify says more")
		return
	}
	v.add("trail", Fine, fmt.Sprintf("%s, schema %d, newest event %d", v.Path, s.Schema, s.Newest), "")
	if s.Journal != "wal" {
		v.add("pragmas", Bad, "journal_mode is "+s.Journal+": a reader makes writers wait", "close everything that has it open; the next writer sets it to wal")
	} else {
		v.add("pragmas", Fine, "journal_mode is wal; progmon's own connections are synchronous = FULL", "")
	}
	if info, err := os.Stat(v.Path + "-wal"); err == nil && info.Size() > largeLog {
		v.add("log", Warn, fmt.Sprintf("the write-ahead log has %d MB: somebody reads in a transaction that does not end, so that it cannot be written back", info.Size()>>20),
			"end that reader (fuser "+v.Path+"), or close everything once")
	}
}

// largeLog is a write-ahead log that does not get that large by itself.
const largeLog = 64 << 20

// place says what the trail lies on.
func (v *Visit) place(ctx context.Context) {
	kind, network := "", false
	if !v.within(ctx, func() { kind, network = store.FileSystem(existing(v.Path)) }) {
		v.add("file system", Bad, "it does not answer", "the disk or the mount is the thing to mend")
		return
	}
	switch {
	case network:
		v.add("file system", Bad, kind+": a write-ahead log is not safe on a network file system", "put the trail on a local disk: --db or PROGMON_DB")
	case kind == "tmpfs" || kind == "ramfs":
		v.add("file system", Warn, kind+": the trail is gone when the machine is restarted", "put it on a disk: --db or PROGMON_DB")
	case kind == "":
		v.add("file system", Note, "of a kind that is not known here", "see that it is a local disk")
	default:
		v.add("file system", Fine, kind, "")
	}
}

// existing is path, or the nearest directory above it that is there.
func existing(path string) string {
	for {
		if _, err := os.Stat(path); err == nil || filepath.Dir(path) == path {
			return path
		}
		path = filepath.Dir(path)
	}
}

// permissions says who may do what to the trail.
func (v *Visit) permissions() {
	dir := filepath.Dir(v.Path)
	info, err := os.Stat(v.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		v.add("permissions", Bad, err.Error(), "")
		return
	case info.Mode().Perm()&0o022 != 0:
		v.add("permissions", Warn, fmt.Sprintf("others may write to the trail (mode %04o), and who can write it can forge it", info.Mode().Perm()), "chmod go-w "+v.Path)
	case info.Mode().Perm()&0o044 != 0:
		v.add("permissions", Note, fmt.Sprintf("others may read the trail (mode %04o)", info.Mode().Perm()), "chmod go-r "+v.Path+", unless that is meant")
	default:
		v.add("permissions", Fine, fmt.Sprintf("the trail has mode %04o", info.Mode().Perm()), "")
	}
	if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o002 != 0 && info.Mode()&fs.ModeSticky == 0 {
		v.add("permissions", Warn, "anybody may move files of "+dir+" away, the trail too", "chmod o-w "+dir)
	}
	if err == nil && !writable(v.Path) {
		v.add("permissions", Note, "this user may not write to the trail: a watch would record and signal nothing", "run the monitor as the user who owns it")
	} else if err == nil && !writable(dir) {
		v.add("permissions", Warn, "this user may not make files in "+dir+", where the write-ahead log belongs", "chmod or chown "+dir)
	}
}

// monitors says who watches.
func (v *Visit) monitors(ctx context.Context, r *store.Reader) {
	if r == nil {
		return
	}
	all, err := r.Monitors(ctx)
	if err != nil {
		v.add("monitor", Bad, err.Error(), "")
		return
	}
	now := store.Now()
	switch w := store.WatchedAt(all, now); {
	case w.State == store.MonitorNever:
		v.add("monitor", Warn, "nobody ever looked: no stall will be noticed", "progmon watch, or progmon watch --once from cron")
	case w.State == store.MonitorLate && w.Stopped:
		v.add("monitor", Warn, "the last one ended on purpose, "+policy.About(w.Age)+" ago", "progmon watch")
	case w.State == store.MonitorLate:
		v.add("monitor", Bad, fmt.Sprintf("%s last looked %s ago, and was to look every %s", w.Best.ID, policy.About(w.Age), policy.FormatDuration(w.Best.Interval)), "see whether it runs, and start it: progmon watch")
	default:
		v.add("monitor", Fine, fmt.Sprintf("%s looked %s ago", w.Best.ID, policy.About(w.Age)), "")
		if !w.Best.Blind.IsZero() {
			v.add("monitor", Bad, "it cannot read part of what it watches, since "+w.Best.Blind.UTC().Format(time.RFC3339), "progmon status says which")
		}
	}
	if v.file == nil || v.file.Monitor.HeartbeatURL == "" {
		v.add("monitor", Note, "nobody outside notices when the monitor is gone", "heartbeat_url in [monitor], or WatchdogSec= of its systemd unit")
	}
}
