//go:build race

package main

// raceDetector says that everything takes ten times as long.
const raceDetector = true
