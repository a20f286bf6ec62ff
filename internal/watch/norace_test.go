//go:build !race

package watch_test

// raceDetector says that everything takes ten times as long.
const raceDetector = false
