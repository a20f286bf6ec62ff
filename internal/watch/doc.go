// Package watch is the loop: it looks at a trail at slots of an interval, has
// policy judge what changed or is due, records what changed, and reports it.
// It also says, at every look, when it cannot see.
//
// A look costs in proportion to the runs that changed or whose verdict time
// alone can change now; the others are not read. What a look must remember is
// in the trail, so that a monitor may be killed between any two statements and
// another goes on where it stopped.
package watch
