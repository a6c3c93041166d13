package run

import "time"

// Arrival records that a worker reached a point.
type Arrival struct {
	Worker, Point string
	Nth           int // from 1, of this worker at this point
	At            time.Duration
}

// Same reports whether both are the same worker's n-th arrival at the same point. The time does not
// matter.
func (v Arrival) Same(w Arrival) bool {
	return v.Worker == w.Worker && v.Point == w.Point && v.Nth == w.Nth
}

// Arrivals lists every point that a worker of a run reaches, in order.
type Arrivals struct {
	All    []Arrival
	counts map[Arrival]int
}

// Note adds an arrival. It is a Visit of a [Runner].
func (v *Arrivals) Note(at time.Duration, worker, point string) {
	if v.counts == nil {
		v.counts = map[Arrival]int{}
	}
	key := Arrival{Worker: worker, Point: point}
	v.counts[key]++
	key.Nth, key.At = v.counts[Arrival{Worker: worker, Point: point}], at
	v.All = append(v.All, key)
}
