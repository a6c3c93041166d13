package faults

import (
	"slices"
	"strings"
	"time"

	"lockquake/internal/draw"
)

// EachWorker stands for every worker in turn, where a target or one end of a
// link is named.
const EachWorker = "each worker"

// lockServers stands for every server of the lock.
const lockServers = "lock"

// Fault is one thing that goes wrong, with its parameters: a pointer to the struct
// of its kind. In a [Spec] a name may stand for several (EachWorker) or be left out;
// in a [Step] it names one worker or server. Nobody changes a Fault once it is in one
// of these; [Rename] makes another one.
//
// A kind embeds one of [OnWorker], [OnNode], [OnServer], [OnLink], [OnMessage] and
// [OnRequest], which have the methods that are not exported. A kind with
// parameters of its own adds to them.
type Fault interface {
	// Info tells of the kind.
	Info() Info
	// Apply lets the fault take hold, now and for d. It asks on for the method that
	// it needs, and returns an error if on does not have it.
	Apply(on any, d time.Duration) error
	// Begins is the sentence of a story about a fault that takes hold, without its
	// subject. It is "" where another event tells of it, or where it hit nothing.
	Begins(s Scene) string
	// Ends is the sentence about a fault that lets go, likewise. A sentence is turning
	// if the story turns on it.
	Ends(s Scene) (text string, turning bool)

	// names are the fields that name a worker or a server: one for a target, two for
	// a link, none for a message.
	names() []*string
	// describe fills in what the Info of its kind has from what it takes hold of.
	describe(info *Info)
	// check returns the first thing that is wrong with the parameters, a *ParamError.
	check(s Spec, workers, nodes []string) error
	// words are what the line of a plan has between the kind and the length, and read
	// takes them.
	words() []string
	read(r *reader)
}

// completer is a fault with parameters that have a default.
type completer interface{ complete() }

// Names returns the workers and servers that a fault names: its target, or the two
// ends of a link, or none if it is one of a message.
func Names(f Fault) []string {
	var names []string
	for _, name := range f.names() {
		names = append(names, *name)
	}
	return names
}

// Rename returns the fault with other names, those that to returns.
func Rename(f Fault, to func(name string) string) Fault {
	other := f.Info().copy(f)
	for _, name := range other.names() {
		*name = to(*name)
	}
	return other
}

// Named returns a fault of a kind that names what the target of an event does: a
// worker, a server, or a link as from->to. Its other parameters are not known. It is nil
// if there is no such kind.
func Named(kind Kind, target string) Fault {
	info, known := Lookup(kind)
	if !known {
		return nil
	}
	f := info.New()
	switch names := f.names(); len(names) {
	case 1:
		*names[0] = target
	case 2:
		*names[0], *names[1], _ = strings.Cut(target, "->")
	}
	return f
}

// CarriedOut reports whether servers of a lock have the method that the fault needs of
// them. What the simulation does to any machine needs nothing of them.
func CarriedOut(f Fault, servers any) bool {
	special, ok := f.(interface{ carriedOut(servers any) bool })
	return !ok || special.carriedOut(servers)
}

// Spec is one entry of a scenario's faults: a rule from which Generate makes
// the steps of a plan.
type Spec struct {
	// At, When and Every exclude each other, and one of them is there.
	At   *time.Duration `yaml:"at" doc:"the moment of a single fault"`
	When *When          `yaml:"when" doc:"the point in a worker's work at which a single fault falls"`
	Timing
	Optional bool `yaml:"optional" doc:"the scenario is fine even if this fault never met anything"`
	// Case is "" for a fault that falls in all runs.
	Case string `yaml:"case" doc:"the runs in which it falls: every strategy is run once for each case that there is"`
	// Class is the letter of one, "" for none.
	Class string `yaml:"class" doc:"the class of faults that the case belongs to, by which strategies make their claims"`
	// Fault is what goes wrong.
	Fault Fault
}

// Timing is how often a fault falls and how long it lasts. In a scenario file it is among
// the parameters of the kind.
type Timing struct {
	Every *draw.Dist `yaml:"every" doc:"from the end of one fault to the begin of the next, for each target by itself"`
	// For is more exact in the Info of some kinds.
	For draw.Dist `yaml:"for" doc:"how long it lasts"`
}

// Kind returns the kind of the fault.
func (s Spec) Kind() Kind { return s.Fault.Info().Kind }

// When is a point in a worker's work: the Nth time (from 1) that Worker
// comes to the point called Point. In a Spec, an Nth of 0 stands for 1.
type When struct {
	Worker string `yaml:"worker" doc:"which worker"`
	Point  string `yaml:"point" doc:"a named step of the worker or a message"`
	Nth    int    `yaml:"nth" doc:"which time the worker comes to the point, from 1"`
}

// Plan is everything that will go wrong in one run, in order. It is data: it
// can be printed, edited, parsed and run again.
type Plan struct {
	Steps []Step
}

// Step is one fault: when it falls, how long it lasts, and what it does.
type Step struct {
	// Spec is the entry of the scenario's faults that it came from, from 0.
	Spec int
	// At is the moment, if When is nil.
	At time.Duration
	// When ties the step to a point of a worker instead of a moment.
	When *When
	// For is how long it lasts, 0 for a kind that takes no time.
	For   time.Duration
	Fault Fault
}

// Kind returns the kind of the fault.
func (s Step) Kind() Kind { return s.Fault.Info().Kind }

// Target names what the fault takes hold of, as the events of a history do: a worker, a
// server, or a link as from->to. A fault of one message is one of the worker that comes
// to the point.
func (s Step) Target() string { return target(s.Fault, s.When) }

func target(f Fault, when *When) string {
	switch names := f.names(); len(names) {
	case 1:
		return *names[0]
	case 2:
		return *names[0] + "->" + *names[1]
	}
	return when.Worker
}

// targets returns a fault for each worker, server or link that the rule takes hold
// of, with the defaults of its parameters. Without a target it is the worker
// that comes to the point, or for a kind that only servers have the lock.
func (s Spec) targets(workers []string) []Fault {
	base := s.Fault.Info().copy(s.Fault)
	if c, ok := base.(completer); ok {
		c.complete()
	}
	switch names := base.names(); len(names) {
	case 1:
		switch {
		case *names[0] != "":
		case base.Info().OnlyServer:
			*names[0] = lockServers
		default:
			*names[0] = s.When.Worker
		}
		return spread(base, 0, workers)
	case 2:
		var links []Fault
		for _, from := range spread(base, 0, workers) {
			links = append(links, spread(from, 1, workers)...)
		}
		return slices.DeleteFunc(links, func(f Fault) bool { return *f.names()[0] == *f.names()[1] })
	}
	return []Fault{base}
}

// spread returns a copy of the fault for each worker if its name is EachWorker, else the
// fault alone.
func spread(f Fault, name int, workers []string) []Fault {
	if *f.names()[name] != EachWorker {
		return []Fault{f}
	}
	var all []Fault
	for _, worker := range workers {
		one := f.Info().copy(f)
		*one.names()[name] = worker
		all = append(all, one)
	}
	return all
}
