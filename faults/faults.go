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
	// Optional: the scenario is fine even if this fault never met anything.
	Optional bool
	// Case names the runs in which the fault falls; "" is in all of them. Class is
	// the letter of the class of faults that it belongs to, as strategies make
	// their claims by; "" for none.
	Case, Class string
	Kind        Kind
	Params      Params
}

// Params are the parameters of all kinds of faults; which of them a kind
// takes is in the catalogue, Kinds.
type Params struct {
	// Target is a worker's name, EachWorker, or for the kinds that can take hold
	// of one a server: "lock" for every server of the lock, "lock-2" or
	// "lock-replica" for one of them, "resource". With When, the default is the
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
	// Add is what a latency adds to each message.
	Add draw.Dist `yaml:"add"`
	// Percent is the share of messages that a loss loses.
	Percent int `yaml:"percent"`
	// Service is how long an overloaded server takes for one request.
	Service draw.Dist `yaml:"service"`
	// Data says what a server still knows after a crash; the default follows
	// from its persistence.
	Data Data `yaml:"data"`
	// Key is the pattern of the keys that a delete or an evict may take; the
	// default is every lock of the scenario, or every key.
	Key string `yaml:"key"`
	// Text is the error that a request is answered with.
	Text string `yaml:"text"`
	// With is the error that a server answers with for a while.
	With Code `yaml:"with"`
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
	Reset     Kind = "reset"
	Latency   Kind = "latency"
	Loss      Kind = "loss"
	Duplicate Kind = "duplicate"
	Reorder   Kind = "reorder"
	Error     Kind = "error"
	Overload  Kind = "overload"
	Failover  Kind = "failover"
	Delete    Kind = "delete"
	Evict     Kind = "evict"
	Stale     Kind = "stale"
	Overrun   Kind = "overrun"
	Cancel    Kind = "cancel"
	// AnswerErrors is a server that refuses commands for a while.
	AnswerErrors Kind = "answer-errors"
)

// Mode says what a partition does with the messages that it catches.
type Mode string

// The modes of a partition.
const (
	// ModeHold keeps them and delivers them in order when the link heals.
	ModeHold Mode = "hold"
	// ModeDrop loses them.
	ModeDrop Mode = "drop"
	// ModeReset breaks the connections on the link at once, and loses what is
	// sent on new ones.
	ModeReset Mode = "reset"
)

// Modes lists them.
func Modes() []Mode { return []Mode{ModeHold, ModeDrop, ModeReset} }

// Data is what a server still knows after a crash.
type Data string

// The ways.
const (
	DataByPersistence Data = ""     // what its persistence has saved
	DataKept          Data = "kept" // everything
	DataLost          Data = "lost" // nothing
	// DataWritten: the process was killed and its machine lives on, so what the
	// server had written to a file is there, synchronised or not: everything,
	// unless its persistence is none.
	DataWritten Data = "written"
)

// Datas lists those that have a word.
func Datas() []Data { return []Data{DataKept, DataLost, DataWritten} }

// Clock names one of the two clocks of a node.
type Clock string

// The two clocks.
const (
	ClockWall      Clock = "wall"
	ClockMonotonic Clock = "monotonic"
)

// Clocks lists them.
func Clocks() []Clock { return []Clock{ClockWall, ClockMonotonic} }

// Action is one fault taking hold of something. Which fields count depends
// on Kind.
type Action struct {
	Kind Kind
	// Target is the worker or the server that the fault takes hold of. Of a fault
	// of one message it is the worker whose message is caught: the one that is
	// under way at the point of the step.
	Target string
	// Task, By, Clock, PPM, Percent, Data, Key, Text and With are as in Params. The
	// distributions Add and Service stand in the entry that the step came from.
	Task    string
	By      time.Duration
	Clock   Clock
	PPM     int64
	Percent int
	Data    Data
	Key     string
	Text    string
	With    Code
	// From and To are the two ends of a link, in one direction.
	From, To string
	Mode     Mode
	// For is how long it lasts, 0 for a kind that takes no time. Of a drop it is
	// how long after the loss the connection is reset.
	For time.Duration
}

// Target is the system that a plan is carried out on: the simulation, or real
// servers and processes.
type Target interface {
	// At calls do when the run has come to the moment.
	At(moment time.Duration, do func())
	// OnPoint calls do when worker comes to the point for the nth time, while
	// the worker is there.
	OnPoint(worker, point string, nth int, do func()) error
	// Apply lets the fault take hold, now. The target ends it by itself after
	// Action.For. Of actions that overlap on one
	// worker or link, each lasts until its own end.
	Apply(step int, a Action) error
}
