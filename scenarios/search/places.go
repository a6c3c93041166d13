package search

import (
	"slices"
	"strings"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/scenarios/run"
)

// PlacedKind is a kind of fault with all its parameters, which a search places at points.
type PlacedKind = faults.Place

// PlacedKinds lists the faults that a search can place.
func PlacedKinds() []PlacedKind { return faults.Places() }

// spot is one fault of a search: a kind at a visit.
type spot struct {
	kind  PlacedKind
	visit run.Arrival
}

// fitsPoint reports whether a fault of the kind can fall at the point.
func fitsPoint(k PlacedKind, point string) bool {
	op, event, message := strings.Cut(point, ".")
	switch k.Fault.Info().Point {
	case faults.MessagePoint:
		return message && (event == "sent" || event == "replied")
	case faults.RequestPoint:
		return message && event == "sent" && !slices.Contains(k.Except, op)
	}
	return true
}

// caught reports whether the kind catches the one message of its point.
func caught(k PlacedKind) bool { return k.Fault.Info().Point != faults.AnyPoint }

// spec returns the fault as an entry of a scenario, with its duration if it has one.
func (q ExploreRequest) spec(p spot) faults.Spec {
	spec := faults.Spec{
		When: &faults.When{Worker: p.visit.Worker, Point: p.visit.Point, Nth: p.visit.Nth},
		Fault: faults.Rename(p.kind.Fault, func(name string) string {
			if name == "" {
				return p.visit.Worker
			}
			return name
		}),
	}
	d := q.For
	switch {
	case p.kind.For > 0:
		d = p.kind.For
	case q.Pauses != nil && isPause(p.kind):
		d = q.Pauses.Longest
	}
	if !p.kind.Fault.Info().Instant {
		spec.For = draw.Fixed(d)
	}
	return spec
}

// isPause reports whether the kind is a pause of a worker.
func isPause(k PlacedKind) bool {
	_, ok := k.Fault.(*faults.Pause)
	return ok
}
