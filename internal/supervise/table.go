package supervise

import (
	"cmp"
	"slices"
)

// Process is a line of the process table.
type Process struct {
	PID     int    `json:"pid"`
	Parent  int    `json:"ppid,omitempty"`
	Group   int    `json:"pgrp,omitempty"`
	Command string `json:"command"` // its name, untrusted bytes, never its arguments
	State   string `json:"state,omitempty"`
}

// dead says that nothing of the process is left but its status.
func (p Process) dead() bool { return p.State == "Z" || p.State == "X" }

// members are the processes of a group that live.
func members(table []Process, group int) []Process {
	return slices.DeleteFunc(slices.Clone(table), func(p Process) bool { return p.Group != group || p.dead() })
}

// offspring are the processes below ancestor that live, and those of the group
// wherever they hang, in the order of their numbers.
func offspring(table []Process, ancestor, group int) []Process {
	children := map[int][]Process{}
	for _, p := range table {
		children[p.Parent] = append(children[p.Parent], p)
	}
	found := map[int]Process{}
	var walk func(int)
	walk = func(pid int) {
		for _, p := range children[pid] {
			if _, met := found[p.PID]; !met {
				found[p.PID] = p
				walk(p.PID)
			}
		}
	}
	walk(ancestor)
	for _, p := range table {
		if p.Group == group && group > 0 {
			found[p.PID] = p
		}
	}
	var all []Process
	for _, p := range found {
		if !p.dead() {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b Process) int { return cmp.Compare(a.PID, b.PID) })
	return all
}
