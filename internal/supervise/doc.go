// Package supervise is the wrapper of progmon run: the parent of one worker at
// a time, from before its first instruction until its status is taken.
//
//	run directory    what must survive: written first, and alone when the
//	                 trail cannot be written
//	trail            told as soon as it can be, by the clerk, beside the loop
//	worker           in a group of its own, its output a file, no shell
//
// A child is forked, held at the gate until worker.pid and worker.cmd are
// durable and the trail has the run, let go, and then left alone: the loop
// sleeps until a signal, a request, the child's end, a heartbeat or a look. It
// never polls the child and never sees its output.
//
// # The ladder
//
// The wrapper looks at its own run as a monitor would, so that it needs none:
// it nudges at idle_window, keeps evidence when an episode opens, says when to
// wrap up, and, in enforce, ends what has been silent for escalate_after. Only
// the parent of a child that has not been reaped signals it or its group, so
// no recycled number is ever hit. See ladder.
//
// # Continuation
//
// An end with work left is followed by another epoch, so often as the policy
// allows without a new position. The end of the one and the takeover by the
// next are one transaction. Before the next begins, nobody of the last one's
// group lives; where that cannot be reached, it does not begin.
//
// Goroutines: the clerk, who writes rows and looks; one that writes worker.cmd
// beside worker.pid; one that hears the run's directory; one that copies the
// log for --tee; one for each capture. The loop waits for all of them before it
// returns.
package supervise
