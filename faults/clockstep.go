package faults

import (
	"fmt"
	"math"
	"time"
)

// ClockStep moves a wall clock at once, and moves it back when the fault ends. A
// time server that is wrong for a while does this, and so does an operator's mistake.
type ClockStep struct {
	OnNode
	// By is the distance that the clock moves; below 0 it moves back.
	By time.Duration `yaml:"by" doc:"how far the clock steps forward, or back if negative"`
}

// Info implements Fault.
func (*ClockStep) Info() Info {
	return kind[ClockStep](Info{
		Kind: "clock-step", Effect: Steps, Schema: eitherWay(),
		Doc: "moves the wall clock of a worker or a server forward or back at once, and back again after the time given",
	})
}

func (f *ClockStep) check(s Spec, workers, nodes []string) error {
	if f.By == 0 {
		return &ParamError{"by", "is missing: how far the clock moves, such as 30s or -5s"}
	}
	return f.OnNode.check(s, workers, nodes)
}

func (f *ClockStep) words() []string { return append(f.OnNode.words(), "by", f.By.String()) }

func (f *ClockStep) read(r *reader) {
	f.OnNode.read(r)
	r.expect("by")
	if f.By = r.duration(math.MinInt64); f.By == 0 {
		r.fail("a clock-step by 0s is none")
	}
}

// Apply implements Fault.
func (f *ClockStep) Apply(on any, d time.Duration) error {
	type stepper interface {
		StepClock(target string, by, d time.Duration) error
	}
	return ask(on, f, func(t stepper) error { return t.StepClock(f.Target, f.By, d) })
}

// Begins implements Fault.
func (f *ClockStep) Begins(Scene) string { return stepped(f.By) }

// Ends implements Fault.
func (f *ClockStep) Ends(Scene) (text string, turning bool) { return stepped(-f.By), false }

// stepped returns the sentence for a step of a clock.
func stepped(by time.Duration) string {
	if by < 0 {
		return fmt.Sprintf("has its wall clock set back by %v", -by)
	}
	return fmt.Sprintf("has its wall clock set forward by %v", by)
}
