package faults

import (
	"time"

	"lockquake/internal/draw"
)

// Overload makes a server slow: each request takes a service time, and requests queue.
type Overload struct {
	OnServer
	// Service is the service time of one request.
	Service draw.Dist `yaml:"service" doc:"service time of a request; a server handles one request after another"`
}

// Info implements Fault.
func (*Overload) Info() Info {
	return kind[Overload](Info{Kind: "overload", Doc: "gives a server a service time, so that requests wait in a queue"})
}

func (f *Overload) complete() { f.Service.File = "" } // a plan has the samples

func (f *Overload) check(s Spec, workers, nodes []string) error {
	if f.Service.IsZero() {
		return &ParamError{"service", "is missing: how long the server takes for one request, such as 20ms"}
	}
	if _, err := median("service", f.Service); err != nil {
		return err
	}
	return f.OnServer.check(s, workers, nodes)
}

func (f *Overload) words() []string {
	return append(append(f.OnServer.words(), "service"), f.Service.Words()...)
}

func (f *Overload) read(r *reader) {
	f.OnServer.read(r)
	f.Service = r.dist("service")
}

// Apply implements Fault.
func (f *Overload) Apply(on any, d time.Duration) error {
	type overloader interface {
		Overload(server string, service draw.Dist, d time.Duration) error
	}
	return ask(on, f, func(t overloader) error { return t.Overload(f.Target, f.Service, d) })
}

// Begins implements Fault.
func (*Overload) Begins(s Scene) string { return "is overloaded for " + s.Length }

// Ends implements Fault.
func (*Overload) Ends(Scene) (text string, turning bool) { return "is no longer overloaded", false }
