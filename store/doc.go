// Package store keeps the trail: the rows that finished work leaves in an
// SQLite database, and where each run stands by them. It is the only room that
// speaks SQL, and the Go API for workers.
//
// # The protocol
//
// A worker flips the row of a step. The database does the rest, in the same
// transaction, whoever the client is:
//
//	worker          step                  event                cursor
//	Complete(7) ──▶ UPDATE … 'done' ──▶   INSERT step.done ──▶ UPDATE position
//	                └──────────── one transaction, by triggers ────────────┘
//	          ◀──── Ack{Event, Position}, when it is on the disk
//
// There is no other way to move a cursor, so nothing is a sign of life but
// finished work; and no work is recorded without a row of the log that says so.
//
// # Who may write
//
// A run is held by one epoch, a number that the worker is given by Start or
// Takeover and names in every write:
//
//	Start ──▶ epoch 1 ──▶ Complete, Mark, Hold, Finish …
//	                 ╲
//	Takeover ─────────▶ epoch 2 ──▶ Complete, Mark, Hold, Finish …
//	                 ╲
//	                  epoch 1, late ──▶ ErrFenced, and nothing has changed
//
// A late writer learns by ErrFenced that it was replaced. It must stop. What it
// was refused leaves a row of kind refused, at most one a minute for each step,
// so that somebody can count, and cannot flood the log. Cancel alone is not
// fenced: a person means whoever holds the run.
//
// # What is durable when
//
// Every call that writes returns when its transaction is on the disk
// (synchronous=FULL): it then survives kill -9 and power loss. A call that
// returned an error has changed nothing, with two exceptions: when its context
// ended, or when the file went away under it (a BlindError that says replaced),
// what it asked for may still have landed. Every write may be repeated.
//
// # How writers share the file
//
//	goroutines    one Store                 processes          the file
//	  ○ ○ ○ ──▶ queue, the first leads ─┐
//	                                    ├──▶ flock on   ──▶ BEGIN IMMEDIATE
//	  ○ ○ ○ ──▶ queue, the first leads ─┘    FILE-lock      … all that is queued
//	                                                        COMMIT
//
// In a process, calls that come while a transaction is on its way to the disk
// share the next one. Nobody waits for company; each call is accepted or
// refused alone. Between processes, writers stand in line at a lock file,
// because SQLite's own way of waiting starves all but one. The line is a
// courtesy: who does not stand in it, or is stopped in it, holds up nobody for
// longer than the busy timeout.
//
// # What a reader sees
//
// A Reader creates, migrates and repairs nothing. What it cannot read is a
// BlindError with one of a closed set of reasons; Check says at every look
// whether the file is still the one that was opened.
package store
