package scenarios

import (
	"slices"
	"strings"
	"time"

	"lockquake/faults"
	"lockquake/internal/draw"
)

// PlacedKind is a kind of fault as a search places it: with everything decided
// but the point.
type PlacedKind struct {
	Name    string
	Doc     string // one line
	Letter  string // that stands for it in a map, unlike that of any other
	Default bool   // it is placed unless a search names its kinds

	kind   faults.Kind
	target string // "" for the worker that comes to the point
	data   faults.Data
	with   faults.Code
	short  bool // it lasts for a moment only, since a long one does less harm
}

// moment is how long a server is away that comes back at once: leases are still
// alive then.
const moment = 10 * time.Millisecond

// PlacedKinds lists what a search can place.
func PlacedKinds() []PlacedKind {
	const lost, kept = faults.DataLost, faults.DataKept
	return []PlacedKind{
		{Name: "pause", Letter: "p", Default: true, kind: faults.Pause, Doc: "the worker's process stops, and goes on later"},
		{Name: "hold", Letter: "h", Default: true, kind: faults.Hold, Doc: "the message that leaves here is late"},
		{Name: "drop", Letter: "d", Default: true, kind: faults.Drop, Doc: "the message that leaves here is lost, and later its connection"},
		{Name: "crash", Letter: "c", Default: true, kind: faults.Crash, Doc: "the worker's process ends, and is started again later"},
		{Name: "server-crash", Letter: "s", Default: true, kind: faults.Crash, target: lockNode, data: lost, short: true, Doc: "the lock's server crashes, and is back at once without its data"},
		{Name: "server-restart", Letter: "r", kind: faults.Crash, target: lockNode, data: kept, short: true, Doc: "the lock's server is started anew, with its data"},
		{Name: "server-pause", Letter: "z", kind: faults.Pause, target: lockNode, Doc: "the lock's server stops, and goes on later"},
		{Name: "suspend", Letter: "u", kind: faults.Suspend, Doc: "the worker's machine sleeps, and its monotonic clock with it"},
		{Name: "duplicate", Letter: "t", kind: faults.Duplicate, Doc: "the request that leaves here arrives once more, later"},
		{Name: "reorder", Letter: "o", kind: faults.Reorder, Doc: "the request that leaves here is overtaken by the next on another connection"},
		{Name: "error", Letter: "e", kind: faults.Error, Doc: "the lock's server answers the request that leaves here with an error"},
		{Name: "cancel", Letter: "n", kind: faults.Cancel, Doc: "the context of the worker's section is cancelled"},
		{Name: "failover", Letter: "f", kind: faults.Failover, target: lockNode, Doc: "the replica takes the place of the lock's server"},
		{Name: "readonly", Letter: "w", kind: faults.AnswerErrors, target: lockNode, with: faults.CodeReadOnly, Doc: "the lock's server refuses writes for a while"},
		{Name: "loading", Letter: "l", kind: faults.AnswerErrors, target: lockNode, with: faults.CodeLoading, Doc: "the lock's server refuses all commands for a while"},
		{Name: "oom", Letter: "m", kind: faults.AnswerErrors, target: lockNode, with: faults.CodeMemory, Doc: "the lock's server refuses what may need memory for a while"},
		{Name: "delete", Letter: "k", kind: faults.Delete, target: lockNode, Doc: "a third party deletes every lock"},
	}
}

// spot is one fault of a search: a kind at a visit.
type spot struct {
	kind  PlacedKind
	visit arrival
}

// fits reports whether a fault of the kind can fall at the point.
func (k PlacedKind) fits(point string) bool {
	op, event, message := strings.Cut(point, ".")
	info := kindInfo(k.kind)
	switch {
	case info.Point == faults.AnyPoint:
		return true
	case !message || event != "sent" && event != "replied":
		return false
	case info.Point == faults.MessagePoint:
		return true
	case event != "sent" || op == "dial": // it needs a request to a server
		return false
	}
	// The resource has no errors to answer with.
	return k.kind != faults.Error || op != "read" && op != "write"
}

// message reports whether the kind catches the one message of its point.
func (k PlacedKind) message() bool { return kindInfo(k.kind).Point != faults.AnyPoint }

// spec is the fault as an entry of a scenario, lasting for d if it lasts.
func (p spot) spec(d time.Duration) faults.Spec {
	info := kindInfo(p.kind.kind)
	spec := faults.Spec{
		Kind: p.kind.kind, When: &faults.When{Worker: p.visit.worker, Point: p.visit.point, Nth: p.visit.nth},
		Params: faults.Params{Data: p.kind.data, With: p.kind.with},
	}
	if slices.Contains(info.Params, "target") {
		if spec.Params.Target = p.kind.target; spec.Params.Target == "" {
			spec.Params.Target = p.visit.worker
		}
	}
	if p.kind.short {
		d = moment
	}
	if !info.Instant {
		spec.Params.For = draw.Fixed(d)
	}
	return spec
}
