// Package gate holds a command back between fork and exec, so that its number
// can be kept on disk before the command does anything.
//
// A wrapper forks a copy of its own program with the name Name, which waits
// here. It has the number that the command will have: what is written down
// about it stays true after the exec. When the wrapper gives the word the
// command takes its place; when the wrapper is gone first, nothing ever runs.
//
//	wrapper                      copy of the wrapper
//	fork ──────────────────────▶ read Word … waits
//	worker.pid written, synced
//	write a byte to Word ──────▶ exec COMMAND, the same process
//	read Report: end of file ◀── (closed by the exec)
//
// The wait is in the initialisation of this package, which imports next to
// nothing and so comes before that of the heavy ones: the copy never opens a
// database or reads a flag.
package gate

// Name is the argv[0] of a copy that is to wait. What follows it are the file
// to execute, then the arguments of the command, its own argv[0] first.
const Name = "progmon-gate"

// What a copy finds open: it reads one byte from Word before it executes the
// command, and writes the errno, four bytes with the lowest first, to Report
// when it cannot.
const (
	Word   = 3
	Report = 4
)

// Abandoned is the exit code of a copy whose wrapper was gone before it gave
// the word, and of one that could not execute its command.
const Abandoned = 125
