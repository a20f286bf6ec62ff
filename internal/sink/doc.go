// Package sink delivers signals to people and programs: from the outbox of the
// trail, outside of any look, at least once, in order within a run. Each sink
// has a courier of its own, a goroutine that claims a message, sends it and
// records how that went; a slow sink delays neither the others nor a look. A
// message has one name on every attempt, so that who gets it twice can tell.
//
// Blindness goes past the outbox, because the trail may be what cannot be
// written: it is said again and again, from memory, until sight returns.
package sink
