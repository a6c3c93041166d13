package faults

import (
	"fmt"
	"time"
)

// Jolt stops a process, and its wall clock is wrong when it wakes: a virtual machine that
// is moved to another host.
type Jolt struct {
	OnNode
	// By is how far the clock is wrong.
	By time.Duration `yaml:"by" doc:"how far the wall clock is wrong after the move"`
}

// Info implements Fault.
func (*Jolt) Info() Info {
	return kind[Jolt](Info{Kind: "jolt", Effect: Stops, Doc: "stops a worker or a server, whose wall clock is wrong until it goes on"})
}

func (*Jolt) places() []Place {
	return []Place{{Name: "jolt", Letter: "j", Order: 200, Fault: &Jolt{By: time.Second}, Doc: "the worker's machine is moved"}}
}

func (f *Jolt) check(s Spec, workers, nodes []string) error {
	if err := checkBy(f.By, "how far the clock is wrong, such as 2s"); err != nil {
		return err
	}
	return f.OnNode.check(s, workers, nodes)
}

func (f *Jolt) words() []string { return append(f.OnNode.words(), "by", f.By.String()) }

func (f *Jolt) read(r *reader) {
	f.OnNode.read(r)
	r.expect("by")
	f.By = r.duration(1)
}

// Apply implements Fault.
func (f *Jolt) Apply(on any, d time.Duration) error {
	type mover interface {
		Pause(target string, d time.Duration) error
		StepClock(target string, by, d time.Duration) error
	}
	return ask(on, f, func(t mover) error {
		if err := t.StepClock(f.Target, f.By, d); err != nil {
			return err
		}
		return t.Pause(f.Target, d)
	})
}

// Begins implements Fault.
func (f *Jolt) Begins(s Scene) string {
	return s.stops(fmt.Sprintf("is moved to a host that is %s ahead, for", s.Short(f.By)))
}

// Ends implements Fault.
func (*Jolt) Ends(s Scene) (text string, turning bool) { return s.wakes() }
