package scenarios

import (
	"cmp"
	"context"
	"time"
)

// Heeds says how far the work under a lock looks at its context. A lock that
// renews its lease ends the context when the lease is lost: that stops only work
// that looks.
type Heeds string

// The ways, the most careful first.
const (
	// HeedsAlways: the hold sleeps and ends with the context, and a request is
	// refused if the context has ended.
	HeedsAlways Heeds = "always"
	// HeedsBeforeWrite: the hold computes, and does not look; a request is refused
	// if the context has ended.
	HeedsBeforeWrite Heeds = "before-write"
	// HeedsNever: the hold computes, and neither it nor a request looks.
	HeedsNever Heeds = "never"
)

func heedings() []Heeds { return []Heeds{HeedsAlways, HeedsBeforeWrite, HeedsNever} }

// heedsOf is how far the work of a worker looks at its context.
func (s *Scenario) heedsOf(w Workload, worker string) Heeds {
	return cmp.Or(s.eachOf(worker).Heeds, w.Heeds)
}

// heedsOfWorkers are the workers whose work does otherwise than that of the
// others under a use, nil if there are none.
func (s *Scenario) heedsOfWorkers(use Strategy) map[string]Heeds {
	var differ map[string]Heeds
	for _, e := range s.Each {
		if e.Heeds != "" && e.Heeds != s.WorkloadOf(use).Heeds {
			if differ == nil {
				differ = map[string]Heeds{}
			}
			differ[e.Worker] = e.Heeds
		}
	}
	return differ
}

// spend is the hold: it sleeps, or computes if nobody is to look at the context
// meanwhile.
func (w *work) spend(ctx context.Context, d time.Duration) error {
	if w.heeds == HeedsAlways {
		return w.env.Sleep(ctx, d)
	}
	return w.recorder.worker.Compute(d)
}
