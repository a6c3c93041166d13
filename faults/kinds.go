package faults

import (
	"cmp"
	"reflect"
	"slices"
	"time"
)

// Kinds is the catalogue. A kind is all in its own file.
func Kinds() []Info {
	var kinds []Info
	for _, f := range []Fault{
		&Pause{},
		&Stall{},
		&Suspend{},
		&Crash{},
		&ClockStep{},
		&ClockRate{},
		&Overrun{},
		&Cancel{},
		&Hold{},
		&Drop{},
		&Duplicate{},
		&Reorder{},
		&Error{},
		&Partition{},
		&Reset{},
		&Latency{},
		&Loss{},
		&Overload{},
		&Failover{},
		&Delete{},
		&Evict{},
		&Stale{},
		&AnswerErrors{},
	} {
		kinds = append(kinds, f.Info())
	}
	return kinds
}

// Lookup finds a kind in the catalogue.
func Lookup(kind Kind) (Info, bool) {
	kinds := Kinds()
	i := slices.IndexFunc(kinds, func(k Info) bool { return k.Kind == kind })
	if i < 0 {
		return Info{}, false
	}
	return kinds[i], true
}

// Kind names a kind of fault, as in a scenario file.
type Kind string

// The points that a kind of fault may be tied to, for Info.Point.
const (
	// AnyPoint: a moment or any point.
	AnyPoint = "any"
	// MessagePoint: only a point at which a message begins its way, named
	// <operation>.sent for a request and <operation>.replied for a reply.
	MessagePoint = "message"
	// RequestPoint: only <operation>.sent.
	RequestPoint = "request"
)

// Effect names the change that a fault makes to its target while it lasts, as the
// events of a history name it. A fault that makes none of these changes has none.
type Effect string

// The effects.
const (
	Stops   Effect = "stops"   // the target, or one of its tasks, stands still
	Skews   Effect = "skews"   // its clock goes at a rate of its own
	Steps   Effect = "steps"   // its clock is moved at once
	Catches Effect = "catches" // one message is late, lost or there twice
	Fails   Effect = "fails"   // one request is answered with an error
	Cancels Effect = "cancels" // the context of one section ends
)

// Hits says what a fault must meet for it to count as a hit.
type Hits int

// The ways.
const (
	// HitsSections: a section of its target while the fault lasts, or any worker's if the
	// target is a server.
	HitsSections Hits = iota
	// HitsNewSections: such a section that begins while it lasts.
	HitsNewSections
	// HitsGrants: a grant that was live on the servers that it took keys from.
	HitsGrants
	// HitsMessage: it has caught a message, so somebody waits for it.
	HitsMessage
	// HitsTold: the target tells so while the run goes on.
	HitsTold
)

// Info is what the catalogue says of a kind of fault.
type Info struct {
	Kind Kind
	// Doc is one line for a list.
	Doc string
	// Length says what the parameter for means, "" for how long the fault lasts.
	Length string
	// Instant: it takes no time.
	Instant bool
	// Effect is for the checks, which tell faults apart by it.
	Effect Effect
	// Hits is what it must meet.
	Hits Hits
	// Kills: the process that it takes hold of is down while it lasts.
	Kills bool
	// Copies: the request that it takes hold of arrives a second time, after its length.
	Copies bool
	// Schema is the JSON Schema of the parameters that are more than the type of their field
	// says.
	Schema map[string]map[string]any
	// OnNetwork: a timeline draws it on the lane of the network.
	OnNetwork bool

	// Point is AnyPoint, MessagePoint or RequestPoint.
	Point string
	// Server: it can take hold of a server. OnlyServer: of nothing else.
	Server, OnlyServer bool

	// New returns a fault of the kind without parameters.
	New  func() Fault
	copy func(Fault) Fault
}

// kind completes the Info of a kind by its type.
func kind[P any, F interface {
	*P
	Fault
}](info Info,
) Info {
	F(new(P)).describe(&info)
	info.New = func() Fault { return F(new(P)) }
	info.copy = func(f Fault) Fault {
		other := *f.(F)
		return F(&other)
	}
	return info
}

// Params lists the parameters that the kind takes, by their names in a scenario
// file.
func (info Info) Params() []string {
	var params []string
	for _, field := range reflect.VisibleFields(reflect.TypeOf(info.New()).Elem()) {
		if name := field.Tag.Get("yaml"); name != "" {
			params = append(params, name)
		}
	}
	if info.Point == AnyPoint {
		params = append(params, "every")
	}
	if !info.Instant {
		params = append(params, "for")
	}
	return params
}

// Defaults returns a fault of the kind with the defaults of its parameters.
func (info Info) Defaults() Fault {
	f := info.New()
	if c, ok := f.(completer); ok {
		c.complete()
	}
	return f
}

// Word is a parameter that is one of a few words.
type Word interface {
	// Sort is what such a word is called, such as mode.
	Sort() string
	// Words are those that there are.
	Words() []string
}

// Need is one thing that a fault needs in the scenario that it is part of, or it hits
// nothing.
type Need struct {
	What Needed
	// Param is the parameter that says so, "" for the kind itself.
	Param string
	// Name is the value of the parameter.
	Name string
}

// Needed is what a fault may need.
type Needed int

// The needs.
const (
	NeedsTask    Needed = iota // a task of a strategy, by its name
	NeedsKey                   // keys of locks, by a pattern
	NeedsReplica               // a replica of the lock's server
	NeedsProcess               // a process of its own for the worker that is its target
)

// Needs returns what a fault needs.
func Needs(f Fault) []Need {
	if n, ok := f.(interface{ needs() []Need }); ok {
		return n.needs()
	}
	return nil
}

// Asks reports whether a fault needs something of that sort.
func Asks(f Fault, what Needed) bool {
	return slices.ContainsFunc(Needs(f), func(n Need) bool { return n.What == what })
}

// Place is one way in which a search places faults of a kind: with everything decided
// but the point.
type Place struct {
	Name    string // as a search chooses it
	Doc     string // one line
	Letter  string // that stands for it in a map, unlike that of any other
	Default bool   // it is placed unless a search names others
	// Order is where it comes in the list of all.
	Order int
	// Fault is what is placed. Without a target it takes hold of the worker that comes to
	// the point.
	Fault Fault
	// For is how long it lasts, 0 for as long as the search says.
	For time.Duration
	// Except are the operations whose messages it cannot take hold of.
	Except []string
}

// briefly is how long a server is away that comes back at once: leases are still
// alive then.
const briefly = 10 * time.Millisecond

// Places lists what a search can place, of all kinds.
func Places() []Place {
	var all []Place
	for _, info := range Kinds() {
		if p, ok := info.New().(interface{ places() []Place }); ok {
			all = append(all, p.places()...)
		}
	}
	slices.SortStableFunc(all, func(a, b Place) int { return cmp.Compare(a.Order, b.Order) })
	return all
}
