package rundir

import (
	"fmt"
	"path/filepath"

	"github.com/progmon/progmon/cursor"
)

// maxID is the longest run id, in bytes.
const maxID = 64

// ValidID returns nil for a run id: ^[a-z0-9][a-z0-9._-]{0,63}$. Anything else
// is an ErrID that quotes it. Nothing may be made of an id before it was
// checked.
func ValidID(id string) error {
	if cursor.ValidName(id) {
		return nil
	}
	shown := id
	if len(shown) > maxID {
		shown = shown[:maxID] + "…"
	}
	return fmt.Errorf("%w: %q", ErrID, shown)
}

// longestName is the longest name that is ever made inside a run directory: a
// temporary file of the exit record of the last epoch there can be.
const longestName = len(".") + len(ExitFile) + len(".9223372036854775807") + len("9223372036854775807")

// fits returns an ErrCannotCreate when a name that will be made later, when it
// is too late to refuse, would not fit into what the file system allows.
func fits(root, id string) error {
	abs, err := filepath.Abs(root)
	if err != nil {
		return classify("find", root, err)
	}
	names, paths := limits(abs)
	if longest := max(len(id), longestName); longest > names {
		return fmt.Errorf("%w: a name of %d bytes is needed under %s, which allows %d", ErrCannotCreate, longest, abs, names)
	}
	deepest := len(filepath.Join(abs, id, capturePrefix+"9999", "x")) + longestName
	if deepest >= paths {
		return fmt.Errorf("%w: paths under %s would have %d bytes, and %d is the limit", ErrCannotCreate, abs, deepest, paths-1)
	}
	return nil
}
