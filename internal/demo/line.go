package demo

import (
	"encoding/json"
	"fmt"
	"strings"
)

// line is what the demo reads of a line of watch --json.
type line struct {
	Type     string `json:"type"` // verdict, signal, blind, sighted, monitor
	Run      string `json:"run"`
	State    string `json:"state"`
	Reason   string `json:"reason"`
	Detail   string `json:"detail"`
	Signal   string `json:"signal"`
	Position int64  `json:"position"`
	Total    *int64 `json:"total"`
	Looks    int64  `json:"looks"` // blind ones, when sighted

	told []string // signals of the same look: see fold
}

func parseLine(text []byte) (line, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return l, fmt.Errorf("read a line of watch --json: %w", err)
	}
	return l, nil
}

// fold puts a signal to the verdict of the same look that it is about, so that
// a person reads them at once.
func fold(batch []line) []line {
	var told []line
	verdict := map[string]int{} // where in told
	for _, l := range batch {
		i, ok := verdict[l.Run]
		switch {
		case l.Type == "signal" && ok:
			told[i].told = append(told[i].told, l.Signal)
			continue
		case l.Type == "signal":
			l.told = []string{l.Signal}
		case l.Type == "verdict":
			verdict[l.Run] = len(told)
		}
		told = append(told, l)
	}
	return told
}

// verdict is the state, and the reason when there is one.
func (l line) verdict() string {
	switch {
	case l.Type == "blind":
		return l.Reason
	case l.Type == "sighted":
		return fmt.Sprintf("after %d blind looks", l.Looks)
	case l.Reason == "":
		return l.State
	}
	return l.State + ": " + l.Reason
}

// at is where the run stands.
func (l line) at() string {
	switch {
	case l.Type == "blind" || l.Type == "sighted":
		return ""
	case l.Total == nil:
		return fmt.Sprint(l.Position)
	}
	return fmt.Sprintf("%d/%d", l.Position, *l.Total)
}

// word is the line in a word: what a tired person wants to know.
func (l line) word() string {
	switch {
	case l.Type == "blind" || l.Type == "sighted":
		return l.Type
	case l.State == "advancing":
		return "moving"
	case l.State == "starting" || l.State == "waiting" || l.State == "blind":
		return l.State
	case l.Reason == "looping" || l.Reason == "receding" || l.Reason == "regressed":
		return "busy"
	case l.State == "degraded" || l.State == "stalled" || l.State == "stuck":
		return "silent"
	}
	return "ended"
}

// paint gives a word its colour on a terminal.
func paint(word string) string {
	colour, ok := map[string]string{
		"moving": "32", "busy": "33", "silent": "31", "blind": "1;35", "waiting": "36",
	}[strings.TrimSpace(word)]
	if !ok {
		return word
	}
	return "\x1b[" + colour + "m" + word + "\x1b[0m"
}

// story is a list of verdicts in which a reason is not said twice running:
// "advancing, degraded, stalled: quiet".
func story(verdicts []string) string {
	var told []string
	for i, v := range verdicts {
		state, reason, has := strings.Cut(v, ": ")
		if has && i+1 < len(verdicts) && strings.HasSuffix(verdicts[i+1], ": "+reason) {
			v = state
		}
		told = append(told, v)
	}
	return list(told)
}
