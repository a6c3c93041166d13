package scenarios

import (
	"errors"
	"fmt"
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
		{Name: "delete", Letter: "k", kind: faults.Delete, target: lockNode, Doc: "a third party deletes every lock"},
	}
}

// spot is one fault of a search: a kind at a visit.
type spot struct {
	kind  PlacedKind
	visit arrival
}

// arrival is a worker's coming to a point.
type arrival struct {
	worker, point string
	nth           int // from 1, of this worker at this point
	at            time.Duration
}

func (v arrival) same(w arrival) bool {
	return v.worker == w.worker && v.point == w.point && v.nth == w.nth
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
		Params: faults.Params{Data: p.kind.data},
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

// fixed makes an entry of a scenario's faults of one step of a plan, so that
// every seed has this step and no other. From is the entry that it came from.
func fixed(step faults.Step, from faults.Params) faults.Spec {
	a := step.Action
	spec := faults.Spec{Kind: a.Kind, Params: faults.Params{
		Task: a.Task, By: a.By, Clock: a.Clock, PPM: a.PPM, Percent: a.Percent, Data: a.Data, Key: a.Key, Text: a.Text,
		From: a.From, To: a.To, Mode: a.Mode, Add: from.Add, Service: from.Service,
	}}
	if info := kindInfo(a.Kind); slices.Contains(info.Params, "target") {
		spec.Params.Target = a.Target
	}
	if a.For > 0 {
		spec.Params.For = draw.Fixed(a.For)
	}
	if step.When != nil {
		when := *step.When
		spec.When = &when
	} else {
		at := step.At
		spec.At = &at
	}
	return spec
}

// ParsePlacement reads faults as lines of a plan without their last word, such
// as "when worker-1 lease-checked 1 pause worker-1 for 15s".
func ParsePlacement(lines ...string) ([]faults.Spec, error) {
	var specs []faults.Spec
	for _, line := range lines {
		plan, err := faults.ParsePlan(line + " #1")
		if err == nil && len(plan.Steps) != 1 {
			err = errors.New("it is not one line")
		}
		if err != nil {
			return nil, fmt.Errorf("%q is no fault such as %q: %w", line, "when worker-1 lease-checked 1 pause worker-1 for 15s", err)
		}
		specs = append(specs, fixed(plan.Steps[0], faults.Params{}))
	}
	return specs, nil
}

// lineOf is the fault of a fixed entry as ParsePlacement reads it.
func lineOf(spec faults.Spec, workers []string) string {
	steps := faults.Generate([]faults.Spec{spec}, 0, workers, longestTime).Steps
	return strings.TrimSuffix(steps[0].String(), " #1")
}

// arrivals notes every point that a worker of a run comes to, in order.
type arrivals struct {
	all    []arrival
	counts map[arrival]int
}

func (v *arrivals) note(at time.Duration, worker, point string) {
	if v.counts == nil {
		v.counts = map[arrival]int{}
	}
	key := arrival{worker: worker, point: point}
	v.counts[key]++
	key.nth, key.at = v.counts[arrival{worker: worker, point: point}], at
	v.all = append(v.all, key)
}
