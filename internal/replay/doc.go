// Package replay judges a tape: it says what the monitor would have said, and
// when, of what a tape says has happened, by a clock of its own. Nothing waits
// and nothing is written. The same tape, policy and interval give the same
// answer for ever.
//
// # The tape
//
// A tape is JSON lines in the order of time, {"at":SECONDS,"run":ID,"kind":K,…}.
// An at that is earlier than the line before counts as that line's. Empty lines
// and lines that begin with # are passed over. The kinds, with their fields:
//
//	run.started     family, total, open, process (has it one: default false)
//	run.total       total (null: unknown), open; what is not named stays
//	run.takeover    the epoch rises; the lines after it are the new worker's
//	step.begun      step, expect_s (a budget)
//	step.done       step; a second done of a step is a row without an advance
//	step.failed, step.skipped, step.cancelled   step
//	step.marked     step, amount, of
//	cursor          position, total: an observed absolute reading
//	activity        bytes that the log of the run grew by
//	hold, resume    for_s, reason
//	run.exited      code, or signal, or spawn, or malformed; asked_by
//	run.vanished    the process is gone and left no record
//	run.stopped, run.continued   SIGSTOP, SIGCONT
//	run.cancelled
//	monitor.blind   reason: the trail cannot be read from here on
//	monitor.sighted
//	monitor.gap     for_s: the loop was not running
//	suspend         for_s: the machine slept
//	wall            step_s: the wall clock jumped
//	end             the tape goes on until here
//
// # Time
//
// Looks happen at whole multiples of the interval, from the first line on. A
// look sees every line whose at is not later than it. What lies in [at, at+for_s)
// of a gap or a suspend has no looks. A tape ends at the first look that sees
// its last line, or where the line end says: then looks happen until there, and
// one more at that very instant when rows are left that no look has seen.
//
// Silence is charged as the loop charges it: at most twice the interval from
// look to look, nothing for a suspend, nothing from look to look while blind.
// The first look of all charges in full. A worker's row inside a suspend says
// that the machine was awake, and ends it there. The wall clock stamps rows and
// decides nothing.
//
// # Since
//
// A signal names its episode by the row of the last advance: its number, from 1,
// among the lines of the tape that would be rows of the log: those of a run but
// for activity and run.vanished. A row that the rules of the trail refuse keeps
// its number, is counted in the summary, and changes nothing.
package replay
