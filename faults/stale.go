package faults

import (
	"fmt"
	"time"
)

// Stale makes a server answer reads with old data, as a replica that lags does.
type Stale struct {
	OnServer
	// By is the age of the answers.
	By time.Duration `yaml:"by" doc:"how stale the answers are"`
}

// Info implements Fault.
func (*Stale) Info() Info {
	return kind[Stale](Info{
		Kind: "stale", Schema: eitherWay(),
		Doc: "makes a server answer plain reads with old data, as a lagging replica does",
	})
}

func (f *Stale) check(s Spec, workers, nodes []string) error {
	if err := checkBy(f.By, "how old the answers are, such as 2s"); err != nil {
		return err
	}
	return f.OnServer.check(s, workers, nodes)
}

func (f *Stale) words() []string { return append(f.OnServer.words(), "by", f.By.String()) }

func (f *Stale) read(r *reader) {
	f.OnServer.read(r)
	r.expect("by")
	f.By = r.duration(1)
}

func (*Stale) supported(servers any) bool {
	_, can := servers.(interface {
		SetStale(node string, by time.Duration)
	})
	return can
}

// Apply implements Fault.
func (f *Stale) Apply(on any, d time.Duration) error {
	type staler interface {
		ReadStale(server string, by, d time.Duration) error
	}
	return ask(on, f, func(t staler) error { return t.ReadStale(f.Target, f.By, d) })
}

// Begins implements Fault.
func (f *Stale) Begins(s Scene) string {
	return fmt.Sprintf("answers plain reads with what was there up to %s ago, for %s", s.Short(f.By), s.Length)
}

// Ends implements Fault.
func (*Stale) Ends(Scene) (text string, turning bool) {
	return "answers reads with what is there again", false
}
