package faults

import (
	"fmt"
	"time"
)

// Overrun makes the work of sections take longer than planned.
type Overrun struct {
	OnWorker
	// By is the additional time.
	By time.Duration `yaml:"by" doc:"how much longer the work takes"`
}

// Info implements Fault.
func (*Overrun) Info() Info {
	return kind[Overrun](Info{
		Kind: "overrun", Schema: eitherWay(), Hits: HitsNewSections, // sections that have begun go on as they are
		Doc: "makes the work longer in the sections that the worker starts during the fault",
	})
}

func (f *Overrun) check(s Spec, workers, nodes []string) error {
	if err := checkBy(f.By, "how much longer the work takes, such as 30s"); err != nil {
		return err
	}
	return f.OnWorker.check(s, workers, nodes)
}

func (f *Overrun) words() []string { return append(f.OnWorker.words(), "by", f.By.String()) }

func (f *Overrun) read(r *reader) {
	f.OnWorker.read(r)
	r.expect("by")
	f.By = r.duration(1)
}

// Apply implements Fault.
func (f *Overrun) Apply(on any, d time.Duration) error {
	type overrunner interface {
		Overrun(worker string, by, d time.Duration) error
	}
	return ask(on, f, func(t overrunner) error { return t.Overrun(f.Target, f.By, d) })
}

// Begins implements Fault.
func (f *Overrun) Begins(s Scene) string {
	return fmt.Sprintf("begins sections whose work takes %s longer, for %s", s.Short(f.By), s.Length)
}
