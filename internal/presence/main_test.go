package presence

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

// TestMain lets the test binary be the process that looks from elsewhere.
func TestMain(m *testing.M) {
	if _, isHelper := os.LookupEnv("PRESENCE_LOOK"); isHelper {
		if err := lookFromElsewhere(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// answer is what a helper process tells its test.
type answer struct {
	Self, Of Identity
	Err      string
	Seen     string // Look at the identity given
	Number   string // Look at its number alone
	Signal   string // what Open and Signal said
}

// lookFromElsewhere looks at the identity in the environment and prints what
// it sees.
func lookFromElsewhere() error {
	var id Identity
	if err := json.Unmarshal([]byte(os.Getenv("PRESENCE_LOOK")), &id); err != nil {
		return err
	}
	if err := hideProcesses(); err != nil {
		return err
	}
	var a answer
	var err error
	if a.Self, err = Self(); err != nil {
		a.Err = err.Error()
	}
	if a.Of, err = Of(id.PID); err != nil {
		a.Err = err.Error()
	}
	a.Seen = string(Look(id))
	a.Number = string(Look(Identity{PID: id.PID}))
	if h, err := Open(id); err != nil {
		a.Signal = err.Error()
	} else {
		a.Signal = fmt.Sprint(h.Signal(0))
		if err := h.Close(); err != nil {
			return err
		}
	}
	return json.NewEncoder(os.Stdout).Encode(a)
}
