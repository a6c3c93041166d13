package advise

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

// world has the times of a scenario that no input gives. They follow from the inputs, so that a run has
// several jobs, and several faults of each kind.
type world struct {
	duration time.Duration
	think    time.Duration // between two jobs
	retry    time.Duration // between two attempts to get the lock
	pauses   time.Duration // mean time from one pause to the next
	faults   time.Duration // mean time from one other fault to the next
	away     time.Duration // longest absence of a crashed worker
	cutOff   time.Duration // longest time without the lock's servers
	failover time.Duration // from the crash of a primary to the promotion of its replica
}

// The shape of a run.
const (
	jobs        = 4                // that fit into the duration
	leases      = 8                // that fit into it
	pausesEach  = 8                // of each worker in a run, unless the input says how often they come
	faultsEach  = 4                // likewise, of other faults
	pollsEach   = 600              // attempts that fit into the duration
	shortest    = time.Minute      // of a run
	takeover    = 10 * time.Second // of a replica
	takeoverRun = 2 * time.Minute  // shortest run with a failover
	step        = 10 * time.Microsecond
	mostTurns   = 20_000 // in a run; an answer has some thousand runs
)

// world returns the times for the inputs.
func (in *Inputs) world() world {
	w := world{failover: takeover}
	ttl, work := in.ttl(), in.Work.long()
	w.duration = max(shortest, jobs*work, leases*ttl, 2*faultsEach*in.Pauses.long())
	if in.Topology == Failover {
		w.duration = max(w.duration, takeoverRun)
	}
	if in.Pauses.Every > 0 {
		w.duration = max(w.duration, min(faultsEach*in.Pauses.Every, 5*w.duration))
	}
	w.duration = ceiling(w.duration)
	w.pauses = in.Pauses.Every
	if w.pauses == 0 {
		w.pauses = round(w.duration / pausesEach)
	}
	w.faults = round(w.duration / faultsEach)
	w.away = round(w.duration / 20)
	w.cutOff = 2 * ttl
	if !in.leased() {
		w.cutOff = w.away
	}
	w.think = round(max(in.Work.typical()/60, w.duration/4000))
	w.retry = round(max(w.duration/pollsEach, 10*time.Millisecond))
	if ttl > 0 {
		w.retry = min(w.retry, round(ttl/5))
	}
	return w
}

// turns estimates the number of renewals, attempts to get the lock and pauses in a run. The time that a run takes
// grows with this number. Those of a more expensive family have a larger weight.
func (in *Inputs) turns() float64 {
	w := in.world()
	per := func(d, each time.Duration) float64 { return float64(d) / float64(max(1, each)) }
	job := float64(in.Work.typical())
	held := time.Duration(float64(w.duration) * min(1, workers*job/(job+float64(w.think))))
	turns := per(held, w.retry)
	if in.renews() {
		period := in.Renewal.Period
		if period == 0 {
			period = in.ttl() / 3
		}
		turns += per(held, period)
	}
	turns *= float64(weight(in.mine().Family))
	if in.Pauses.long() > 0 {
		turns += workers * per(w.duration, w.pauses)
	}
	return turns
}

// Fits returns an error if the runs of the inputs are so long that an answer would take more than some minutes.
func (in *Inputs) Fits() error {
	times := in.turns() / mostTurns
	if times <= 1 {
		return nil
	}
	return fmt.Errorf("a run of %s has %s times the renewals, attempts and pauses that an answer can have; shorten --work, or lengthen --ttl, --renew or the time between pauses",
		brief(in.world().duration), strconv.FormatFloat(math.Ceil(10*times)/10, 'f', -1, 64))
}

// round rounds a duration to two digits of its largest unit, so that a reader sees a round number.
func round(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for unit < time.Second && d/unit >= 100 {
		unit *= 10
	}
	if d >= 2*time.Minute {
		unit = 10 * time.Second
	} else if d >= 10*time.Second {
		unit = time.Second
	}
	return (d + unit/2) / unit * unit
}

// brief prints a duration without zero minutes and seconds: 10m, not 10m0s.
func brief(d time.Duration) string {
	text := d.String()
	if d%time.Minute == 0 && d >= time.Minute {
		text = strings.TrimSuffix(text, "0s")
	}
	if d%time.Hour == 0 && d >= time.Hour {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// ceiling rounds the duration of a run up: to whole minutes, or two digits of them.
func ceiling(d time.Duration) time.Duration {
	unit := time.Minute
	for d/unit >= 100 {
		unit *= 10
	}
	return time.Duration(math.Ceil(float64(d)/float64(unit))) * unit
}

// assumptions lists what no input says: the values that were not given, and the times of the scenario.
func (in *Inputs) assumptions(dir string) []string {
	w := in.world()
	all := append(slices.Clone(in.Assumed),
		fmt.Sprintf("%d workers; each begins its next job %s after the last", workers, brief(w.think)),
		fmt.Sprintf("a worker that is refused asks again every %s until it has the lock (lock: retry)", brief(w.retry)))
	for _, c := range used(in.causes(dir), in.candidates()) {
		if c.rate != "" {
			all = append(all, c.name+": "+c.rate)
		}
	}
	if in.Topology == Failover {
		all = append(all, fmt.Sprintf("the replica takes over %s after the crash; a write reaches it within the latency of a message (servers: failover, lag)", brief(w.failover)))
	}
	if slices.ContainsFunc(in.candidates(), in.onRedis) {
		all = append(all, "a Redis server keeps nothing through a crash (servers: persistence)")
	}
	return append(all, fmt.Sprintf("a step of a worker takes %v (step)", step))
}
