// Package cursor says what a trail says: where a run stands, whether it moved,
// and how long it has been silent. It is pure: no I/O, no clocks of its own, no
// goroutines. What to think of a Reading is said by package policy.
package cursor
