package faults

import (
	"slices"
	"strings"
	"time"

	"lockquake/internal/draw"
)

// EachWorker as a target, or as one end of a link, stands for every worker: the rule
// makes one fault for each.
const EachWorker = "each worker"

// lockServers stands for every server of the lock.
const lockServers = "lock"

// Fault is one fault with its parameters: a pointer to the struct of its kind. In a
// [Spec] its target may be EachWorker or empty; in a [Step] the target is one worker
// or server. A Fault is immutable once it is in a Spec or a Step; [Rename] returns a
// changed copy.
//
// A kind embeds one of [OnWorker], [OnNode], [OnServer], [OnKeys], [OnLink], [OnMessage]
// and [OnRequest], which implement the unexported methods. A kind with parameters of its
// own extends these methods.
type Fault interface {
	// Info describes the kind.
	Info() Info
	// Apply begins the fault now, for d, by a method of on. It returns an error if
	// on does not have that method.
	Apply(on any, d time.Duration) error
	// Begins returns the sentence of a story for the begin of the fault, without the
	// subject. It is "" if another event has the sentence, or if the fault hit nothing.
	Begins(s Scene) string
	// Ends returns the sentence for the end of the fault, "" for an instant kind or if another
	// event has the sentence. Turning reports whether the end is a turning point, which the story
	// marks.
	Ends(s Scene) (text string, turning bool)

	// names returns the fields that name a worker or a server: one for a target, two
	// for a link, none for a message.
	names() []*string
	// describe sets the fields of the Info that follow from the sort of target.
	describe(info *Info)
	// check returns the first error in the parameters, a *ParamError.
	check(s Spec, workers, nodes []string) error
	// words returns the words between the kind and the length in the line of a plan.
	// read parses these words.
	words() []string
	read(r *reader)
}

// completer is a fault with parameters that have a default. complete sets those that
// are missing.
type completer interface{ complete() }

// Names returns the workers and servers that a fault names: its target, or the two
// ends of its link. A fault of a message names none.
func Names(f Fault) []string {
	var names []string
	for _, name := range f.names() {
		names = append(names, *name)
	}
	return names
}

// Rename returns a copy of the fault with each name replaced by to(name).
func Rename(f Fault, to func(name string) string) Fault {
	other := f.Info().copy(f)
	for _, name := range other.names() {
		*name = to(*name)
	}
	return other
}

// Named returns a fault of a kind for the target of an event: a worker, a server, or a
// link as from->to. Its other parameters have no values. It is nil if there is no such
// kind.
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

// Supported reports whether the servers of a lock have the method that the fault needs. A
// fault that the simulation injects into any machine needs no method of them.
func Supported(f Fault, servers any) bool {
	special, ok := f.(interface{ supported(servers any) bool })
	return !ok || special.supported(servers)
}

// Spec is one entry of a scenario's faults: a rule from which Generate makes
// the steps of a plan.
type Spec struct {
	// Exactly one of At, When and Every is set.
	At   *time.Duration `yaml:"at" doc:"time of a single fault"`
	When *When          `yaml:"when" doc:"point in a worker's work at which a single fault happens"`
	Timing
	Optional bool `yaml:"optional" doc:"the scenario does not fail if this fault never hits anything"`
	// Case is "" for a fault of all runs.
	Case string `yaml:"case" doc:"the case that the fault belongs to; every strategy runs once for each case"`
	// Class is the letter of the fault's class, "" for none.
	Class string `yaml:"class" doc:"the class of faults of the case; strategies make their claims by class"`
	Fault Fault
}

// Timing holds how often a fault begins and how long it lasts. In a scenario file its
// fields are among the parameters of the kind.
type Timing struct {
	Every *draw.Dist `yaml:"every" doc:"time from the end of one fault to the start of the next, drawn for each target"`
	// Info.Length explains For if a kind does not use it as the length of the fault.
	For draw.Dist `yaml:"for" doc:"how long it lasts"`
}

// Kind returns the kind of the fault.
func (s Spec) Kind() Kind { return s.Fault.Info().Kind }

// When ties a fault to a worker's work: it begins when Worker reaches the point called Point for
// the Nth time, from 1. In a Spec an Nth of 0 stands for 1.
type When struct {
	Worker string `yaml:"worker" doc:"which worker"`
	Point  string `yaml:"point" doc:"a named step of the worker or a message"`
	Nth    int    `yaml:"nth" doc:"the number of the visit of the worker to the point, from 1"`
}

// Plan lists all faults of one run, in order. It is data: it can be printed, edited,
// parsed and run again.
type Plan struct {
	Steps []Step
}

// Step is one fault of a plan, with its begin and its length.
type Step struct {
	// Spec is the index of the step's rule among the scenario's faults, from 0.
	Spec int
	// At is the moment at which it begins, if When is nil.
	At time.Duration
	// When ties the step to a point of a worker instead of a moment.
	When *When
	// For is how long it lasts, 0 for an instant kind.
	For   time.Duration
	Fault Fault
}

// Kind returns the kind of the fault.
func (s Step) Kind() Kind { return s.Fault.Info().Kind }

// Target names the fault's target as the events of a history do: a worker, a server, or
// a link as from->to. The target of a fault of one message is the worker that comes to
// the point.
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

// targets returns a fault for each worker, server or link that the rule names, with
// the defaults of its parameters. The default target is the worker that comes to the
// point, or all servers of the lock if the kind hits servers only.
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
		return perWorker(base, 0, workers)
	case 2:
		var links []Fault
		for _, from := range perWorker(base, 0, workers) {
			links = append(links, perWorker(from, 1, workers)...)
		}
		return slices.DeleteFunc(links, func(f Fault) bool { return *f.names()[0] == *f.names()[1] })
	}
	return []Fault{base}
}

// perWorker returns a copy of the fault for each worker if the name with this index is
// EachWorker, else the fault alone.
func perWorker(f Fault, name int, workers []string) []Fault {
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
