package run_test

import (
	"math"
	"testing"
	"time"

	"lockquake/checker"
	"lockquake/internal/draw"
	"lockquake/scenarios"
	"lockquake/scenarios/internal/runtest"
	"lockquake/scenarios/run"
)

// The times of calibration-pause, worked out by hand. L is the latency of a
// message and s the cost of a point. Taking a reply is a point too.
const (
	calL    = time.Millisecond
	calS    = 10 * time.Microsecond
	calHold = 50 * time.Millisecond
	calTTL  = 500 * time.Millisecond
	// Dialling Redis is a round trip for TCP and one for HELLO.
	calDial = 2 * (2*calL + calS)
	// From a worker's start to its first SET at the server: acquire-called,
	// the dial, half a round trip.
	calFirstSet = calS + calDial + calL
	// From there to its read at the resource: the reply taken, acquired,
	// read-called, the dial of the resource, half a round trip.
	calSetToRead = calL + 3*calS + (2*calL + calS) + calL
	// Worker 1 comes to lease-checked when its read was answered, and it has
	// held.
	calLeaseChecked = calFirstSet + calSetToRead + calL + calS + calS + calHold
	// Redis sees its key gone as soon as its clock shows more milliseconds than
	// the SET's plus the TTL.
	calGone = 506 * time.Millisecond
	// Between two polls of worker 2, beside the delay that it draws: the reply
	// of the one, taken, and the way of the other.
	calPoll      = 2*calL + calS
	calDelay     = 100 * time.Millisecond
	calJitter    = 50 * time.Millisecond
	calFirstPoll = 50*time.Millisecond + calFirstSet
	// From worker 1's write at the resource to the deletion of its key: the
	// reply taken, write-replied, release-called, EVALSHA and NOSCRIPT, and half
	// a round trip of the EVAL.
	calWriteToRelease = calL + 3*calS + (2*calL + calS) + calL
)

// overtaken works out, from the drawn times alone, whether worker 2's read
// comes before worker 1's write.
func overtaken(seed uint64, pause time.Duration) bool {
	write := calLeaseChecked + pause + calS + calL // the step is done after waking
	released := write + calWriteToRelease
	random := draw.New(seed).Stream("lock", "worker-2").Rand()
	for poll := calFirstPoll; ; {
		random.Uint64() // the owner's value,
		random.Uint64() // of 128 bits
		free := poll >= calGone || (released < calGone && poll > released)
		if free {
			return poll+calSetToRead < write
		}
		poll += calPoll + calDelay + time.Duration(random.Int64N(int64(calJitter)))
	}
}

// overtakenRate is the closed form of the rate: the pause is exponential, so
// the chance that it outlasts worker 2's way is exp(-way/mean), whose mean over
// worker 2's polls is taken by quadrature, from the last poll that can fail
// back to the first.
func overtakenRate() float64 {
	const grid = 5 * time.Microsecond
	mean := float64(calTTL)
	// chance(p): worker 2 is let in at its poll at p.
	chance := func(p time.Duration) float64 {
		return math.Exp(-float64(p+calSetToRead-calL-calS-calLeaseChecked) / mean)
	}
	n := int((calGone - calFirstPoll) / grid)
	top := n + int((calPoll+calDelay+calJitter)/grid) + 2
	value := make([]float64, top+1)     // by the time of a poll
	area := make([]float64, top+2)      // integral of value from there to the top
	jitter := int(calJitter / grid)     // grid steps
	step := (calPoll + calDelay) / grid // its remainder is below the grid
	for i := top; i >= 0; i-- {
		at := calFirstPoll + time.Duration(i)*grid
		if at >= calGone {
			value[i] = chance(at)
		} else {
			from := i + int(step)
			value[i] = (area[from] - area[from+jitter]) / float64(jitter)
		}
		area[i] = area[i+1] + value[i]
	}
	return value[0]
}

// This is how we know that time is modelled right: 10,000 runs end exactly as
// their drawn times say, and as often as the closed form says.
func TestCalibrationPause(t *testing.T) {
	s := runtest.Load(t, "calibration-pause")
	runs := uint64(10_000)
	if testing.Short() {
		runs = 500
	}
	r := &run.Runner{Scenario: s, Caches: scenarios.Caches()}
	lost := 0
	for seed := uint64(1); seed <= runs; seed++ {
		trial, err := r.Once(s.Strategies[0], seed)
		if err != nil {
			t.Fatal(err)
		}
		want := overtaken(seed, trial.Plan.Steps[0].For)
		if want {
			lost++
		}
		for _, result := range trial.Results {
			if got := result.Verdict == checker.Invalid; got != want {
				t.Errorf("seed %d, pause %v: %s is %s, and the drawn times say overtaken = %v",
					seed, trial.Plan.Steps[0].For, result.Check, result.Verdict, want)
			}
		}
	}
	rate, want := float64(lost)/float64(runs), overtakenRate()
	deviation := math.Sqrt(want * (1 - want) / float64(runs))
	t.Logf("rate %.4f, closed form %.4f, standard error %.4f", rate, want, deviation)
	if math.Abs(rate-want) > 4*deviation {
		t.Errorf("rate %.4f is more than 4 standard errors (%.4f) from the closed form %.4f", rate, deviation, want)
	}
}
