package demo

// part is one worker's part in the demo: what it is told to do, and what must
// and must not be said of it.
type part struct {
	run    string
	player string // who plays it if present: see players
	behave string // as the worker's --behave takes it
	files  int
	pace   float64 // units a file, or a line of it with marks
	pause  float64 // units that a wait lasts
	does   string  // for people

	says    []string // verdicts that must be said in this order; others may lie between
	never   []string // states that must not be said
	signals []string // signals, exactly these in this order
}

var (
	notMoving = []string{"degraded", "stalled", "stuck", "timeout", "failed"}

	// parts are in the order in which the demo lists them: first those that
	// move, then those that wait on purpose, then those that do not move.
	parts = []part{
		{run: "count", player: playGo, behave: "finish", files: 18, pace: 1.5,
			does:    "18 files, a step each",
			says:    []string{"advancing", "done"},
			never:   notMoving,
			signals: []string{"done"}},
		{run: "marks", player: playPython, behave: "marks:3", files: 5, pace: 1.4,
			does:    "one long step, marked line by line",
			says:    []string{"advancing", "done"},
			never:   notMoving,
			signals: []string{"done"}},
		{run: "budget", player: playGo, behave: "budget:3", files: 8, pace: 0.6, pause: 9,
			does:    "one long silent step, announced",
			says:    []string{"advancing", "done"},
			never:   notMoving,
			signals: []string{"done"}},
		{run: "hold", player: playBash, behave: "hold:3", files: 8, pace: 0.6, pause: 9,
			does:    "waits for a window, announced",
			says:    []string{"advancing", "waiting: hold", "advancing", "done"},
			never:   notMoving,
			signals: []string{"done"}},
		{run: "sleeper", player: playPython, behave: "recover:4", files: 12, pace: 0.6, pause: 11,
			does:    "goes silent, comes back by itself",
			says:    []string{"advancing", "degraded: quiet", "stalled: quiet", "advancing", "done"},
			never:   []string{"stuck", "failed"},
			signals: []string{"pinged", "stalled", "recovered", "done"}},
		{run: "retry", player: playStream, behave: "retry:3", files: 6, pace: 0.15,
			does:    "retries one step, over and over",
			says:    []string{"degraded: looping", "stuck: looping"},
			never:   []string{"stalled", "failed", "done"},
			signals: []string{"pinged", "stalled", "escalated"}},
		{run: "recede", player: playPython, behave: "recede", files: 6, pace: 0.7,
			does:    "finishes a step, adds two, for ever",
			says:    []string{"advancing", "degraded: receding"},
			never:   []string{"stalled", "stuck", "failed", "done"},
			signals: []string{"pinged"}},
		{run: "never", player: playGo, behave: "never", files: 6,
			does:    "starts, and does nothing",
			says:    []string{"starting", "stalled: never-started"},
			never:   []string{"advancing", "stuck", "failed", "done"},
			signals: []string{"pinged", "stalled", "escalated"}},
		{run: "crash", player: playStream, behave: "crash:3", files: 6, pace: 0.6,
			does:    "ends in step 3 with exit code 3",
			says:    []string{"failed: exit 3"},
			never:   []string{"stalled", "stuck", "done"},
			signals: []string{"failed"}},
	}
)

// finishes says that the part's work gets done.
func (p part) finishes() bool { return p.says[len(p.says)-1] == "done" }
