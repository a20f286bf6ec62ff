// Package demo sets small real workers to real work, side by side with a real
// progmon watch, lets most of them misbehave, and compares what was said of
// each with what each was told to do. What a person should see in it is which
// worker moves, which is only busy and which is silent, and that a monitor
// which cannot read says that.
//
// The workers are those of testdata/workers. They are given a copy of
// testdata/corpus to count, and short thresholds. All lengths of time are
// multiples of one unit, a fortieth of the demo.
package demo
