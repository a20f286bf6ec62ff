// Package pipeline is progmon step -: a worker that lives long writes what it
// did as JSON lines, in the form of a tape, and reads an answer to each, in
// the same order, once it is durable.
//
// What the worker had ready when it was looked at shares a transaction, so a
// worker that waits for each answer pays for a commit a line, and one that
// runs ahead pays for a commit a batch. Nobody waits for more to come.
//
// A goroutine of this package reads ahead, because a read that waits for the
// worker cannot be told to end: it is left to the end of the process.
package pipeline
