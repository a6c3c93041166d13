package faults

import (
	"time"

	"lockquake/internal/draw"
)

// EachWorker stands for every worker in turn, where a target or one end of a
// link is named.
const EachWorker = "each worker"

// Spec is one entry of a scenario's faults: a rule from which Generate makes
// the steps of a plan.
type Spec struct {
	// At is the moment of a single fault. At, When and Params.Every exclude
	// each other, and one of them is there.
	At *time.Duration
	// When ties a single fault to a point.
	When *When
	// Optional: the scenario stands even if this fault never met anything.
	Optional bool
	Kind     Kind
	Params   Params
}

// Params are the parameters of all kinds of faults; which of them a kind
// takes stands in the catalogue, Kinds.
type Params struct {
	// Target is a worker's name, or EachWorker; of a suspend or a clock it may be
	// a server too. With When, the default is the
	// worker that comes to the point.
	Target string `yaml:"target"`
	// From and To name the ends of a link: workers, or servers such as "lock"
	// and "resource". One of them may be EachWorker.
	From string `yaml:"from"`
	To   string `yaml:"to"`
	// Mode of a partition; the default is ModeHold.
	Mode Mode `yaml:"mode"`
	// Task is the task of the target that a stall stops, by its name.
	Task string `yaml:"task"`
	// By is how far a clock-step moves a wall clock; it may be negative.
	By time.Duration `yaml:"by"`
	// Clock is the clock that a clock-rate changes; the default is ClockWall.
	Clock Clock `yaml:"clock"`
	// PPM is how much faster than true time the clock runs, in parts per
	// million; negative for slower.
	PPM int64 `yaml:"ppm"`
	// Every is the time from the end of one fault to the begin of the next, for
	// each target by itself.
	Every *draw.Dist `yaml:"every"`
	// For is how long each lasts. Of a drop it is how long after the loss the
	// connection is reset.
	For draw.Dist `yaml:"for"`
}

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
// comes to the point called Point. In a Spec, an Nth of 0 stands for 1.
type When struct {
	Worker string `yaml:"worker"`
	Point  string `yaml:"point"`
	Nth    int    `yaml:"nth"`
}

// Kind names a kind of fault.
type Kind string

// The kinds of faults, each told of in Kinds.
const (
	Pause     Kind = "pause"
	Stall     Kind = "stall"
	Suspend   Kind = "suspend"
	Crash     Kind = "crash"
	ClockStep Kind = "clock-step"
	ClockRate Kind = "clock-rate"
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

// Clock names one of the two clocks of a node.
type Clock string

// The two clocks.
const (
	ClockWall      Clock = "wall"
	ClockMonotonic Clock = "monotonic"
)

// Action is one fault taking hold of something. Which fields count depends
// on Kind.
type Action struct {
	Kind Kind
	// Target is the worker or, of a suspend or a clock, the server that the
	// fault takes hold of. Of a hold or a drop it is the worker whose message
	// is caught: the one that is under way at the point of the step.
	Target string
	// Task, By, Clock and PPM are as in Params.
	Task  string
	By    time.Duration
	Clock Clock
	PPM   int64
	// From and To are the two ends of the link that a partition cuts, in one
	// direction.
	From, To string
	Mode     Mode
	// For is how long it lasts. Of a drop it is how long after the loss the
	// connection is reset.
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
	// Action.For, or when the run's faults end. Of actions that overlap on one
	// worker or link, each lasts until its own end.
	Apply(step int, a Action) error
}
