package scenarios

import "time"

// arrival is a worker's coming to a point.
type arrival struct {
	worker, point string
	nth           int // from 1, of this worker at this point
	at            time.Duration
}

func (v arrival) same(w arrival) bool {
	return v.worker == w.worker && v.point == w.point && v.nth == w.nth
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
