package faults

import (
	"time"
)

// Plan is everything that will go wrong in one run, in order. It is data: it
// can be printed, edited, parsed and run again.
type Plan struct {
	Steps []Step
}

// Step is one fault: when it falls, and what it does.
type Step struct {
	// Spec is the entry of the scenario's faults that it came from, from 0.
	Spec int
	// At is the moment, if When is nil.
	At time.Duration
	// When ties the step to a point of a worker instead of a moment.
	When *When
	// Action is what happens.
	Action Action
}

// When is a point in a worker's work: the Nth time (from 1) that Worker
// comes to the point called Point.
type When struct {
	Worker string
	Point  string
	Nth    int
}

// Kind names a kind of fault.
type Kind string

// The kinds of faults. Each stands in a file of its own.
const (
	Pause     Kind = "pause"
	Hold      Kind = "hold"
	Drop      Kind = "drop"
	Partition Kind = "partition"
)

// Mode says what a partition does with the messages that it catches.
type Mode string

// The modes of a partition.
const (
	// ModeHold keeps them and delivers them in order when the link heals.
	ModeHold Mode = "hold"
	// ModeDrop loses them.
	ModeDrop Mode = "drop"
)

// Action is one fault taking hold of something. Which fields count depends
// on Kind.
type Action struct {
	Kind Kind
	// Target is the worker that a pause stops.
	Target string
	// From and To are the two ends of the link that a partition cuts, in one
	// direction.
	From, To string
	Mode     Mode
	// For is how long it lasts.
	For time.Duration
}

// Target is the system that a plan is carried out on: the simulation, or real
// servers and processes.
type Target interface {
	// At calls do when the run has come to the moment.
	At(moment time.Duration, do func())
	// OnPoint calls do when worker comes to the point for the nth time, while
	// the worker stands there.
	OnPoint(worker, point string, nth int, do func()) error
	// Apply lets the fault take hold, now. The target ends it by itself after
	// Action.For.
	Apply(step int, a Action) error
}
