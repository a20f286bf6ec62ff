// Package report looks back: at what the recorded work of a family was like,
// and at what other thresholds would have said of it. It reads and computes;
// what it is printed as is the command's.
package report
