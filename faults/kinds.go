package faults

import (
	"cmp"
	"reflect"
	"slices"
	"time"
)

// Kinds is the catalogue. Everything else about a kind is in its own file.
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
		&LeaderChange{},
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
	// MessagePoint: only a point at which a message is sent, named <operation>.sent
	// for a request and <operation>.replied for a reply.
	MessagePoint = "message"
	// RequestPoint: only <operation>.sent.
	RequestPoint = "request"
)

// Effect names the change that a fault makes to its target while it lasts, as the
// events of a history do. It is "" for a fault that makes none of these changes.
type Effect string

// The effects.
const (
	Stops   Effect = "stops"   // the target, or one of its tasks, stops
	Skews   Effect = "skews"   // its clock runs too fast or too slow
	Steps   Effect = "steps"   // its clock jumps
	Catches Effect = "catches" // one message is late, lost or delivered twice
	Fails   Effect = "fails"   // one request is answered with an error
	Cancels Effect = "cancels" // the context of one section ends
)

// Hits selects the rule by which a fault counts as a hit.
type Hits int

// The rules.
const (
	// HitsSections: its target was in a section while the fault lasted. If the target
	// is a server, a section of any worker counts.
	HitsSections Hits = iota
	// HitsNewSections: such a section began while the fault lasted.
	HitsNewSections
	// HitsGrants: it removed keys from servers, and one of them held a live grant.
	HitsGrants
	// HitsMessage: it caught a message.
	HitsMessage
	// HitsReported: the target reported a hit during the run.
	HitsReported
)

// Info describes a kind of fault in the catalogue.
type Info struct {
	Kind Kind
	// Doc is one line for a list.
	Doc string
	// Length explains the parameter "for" of the kind; "" if it is how long the fault
	// lasts.
	Length string
	// Instant: it has no length.
	Instant bool
	// Effect is its effect on the target, by which checks tell faults apart.
	Effect Effect
	// Hits is the rule by which it counts as a hit.
	Hits Hits
	// Kills: the target's process is down while the fault lasts.
	Kills bool
	// Copies: its request arrives a second time when the length of the fault is over.
	Copies bool
	// Schema has the JSON Schema of those parameters for which the type of the field is
	// not precise enough.
	Schema map[string]map[string]any
	// OnNetwork: a timeline draws it on the lane of the network.
	OnNetwork bool

	// Point is AnyPoint, MessagePoint or RequestPoint.
	Point string
	// Server: its target can be a server. OnlyServer: its target must be a server.
	Server, OnlyServer bool

	// New returns a fault of the kind with zero parameters.
	New  func() Fault
	copy func(Fault) Fault
}

// kind completes the Info of the kind that the type P implements.
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

// Params lists the parameters of the kind, by their keys in a scenario file.
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

// Word is a parameter with a few possible words as values.
type Word interface {
	// Noun names such a word in a message, such as "mode".
	Noun() string
	// Words lists the possible words.
	Words() []string
}

// Need is one thing that the scenario must have, or the fault hits nothing.
type Need struct {
	What Needed
	// Param is the parameter that causes the need, "" for the kind itself.
	Param string
	// Name is the value of that parameter.
	Name string
}

// Needed is a thing that a fault can need.
type Needed int

// The needs.
const (
	NeedsTask     Needed = iota // a task of a strategy with this name
	NeedsKey                    // keys of locks that match this pattern
	NeedsReplica                // a replica of the lock's server
	NeedsEnsemble               // a replicated service with a leader
	NeedsProcess                // the worker that is its target has a process of its own
)

// Needs lists the needs of a fault.
func Needs(f Fault) []Need {
	if n, ok := f.(interface{ needs() []Need }); ok {
		return n.needs()
	}
	return nil
}

// Requires reports whether a fault has a need of this sort.
func Requires(f Fault, what Needed) bool {
	return slices.ContainsFunc(Needs(f), func(n Need) bool { return n.What == what })
}

// Place is a fault that a search can place, with all parameters set. Only its point is
// open.
type Place struct {
	Name    string // by which a search selects it
	Doc     string // one line
	Letter  string // for maps; unique
	Default bool   // a search places it if it names no others
	// Order is its rank in the list of all places.
	Order int
	// Fault is the fault to place. Its default target is the worker that comes to the
	// point.
	Fault Fault
	// For is how long it lasts; 0: as long as the search sets.
	For time.Duration
	// Except lists the operations whose messages it does not support.
	Except []string
}

// briefly is the time for which a restarting server is down. Leases are still alive
// after it.
const briefly = 10 * time.Millisecond

// Places lists the places of all kinds, in their order.
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
