//go:build unix && !linux

package supervise

import (
	"github.com/progmon/progmon/cursor"
	"github.com/progmon/progmon/internal/presence"
)

// adoptOrphans: this platform gives orphans to the first process.
func adoptOrphans() error { return nil }

// childless cannot be known where orphans are given away.
func childless() bool { return false }

func reapOrphans(func(pid int) bool) {}

// ended says that the child is over: a zombie counts as gone.
func (c *child) ended() bool { return presence.Look(c.id) == cursor.Gone }

func (c *child) stopped() bool { return presence.Look(c.id) == cursor.Stopped }
