package sim

import (
	"math"
	"math/bits"
	"time"
)

// clock converts true time to a reading. It is a straight line from a known pair of values, with a
// rate in parts per million faster than true time.
type clock struct {
	trueAt  int64
	reading int64
	ppm     int64
}

func (c clock) at(now int64) int64 {
	if c.ppm == 0 {
		return c.reading + (now - c.trueAt)
	}
	return c.reading + scale(now-c.trueAt, 1_000_000+c.ppm, 1_000_000)
}

// when returns the first true time at which the clock shows at least reading.
func (c clock) when(reading int64) int64 {
	if c.ppm == stoppedPPM {
		return never
	}
	if c.ppm == 0 {
		return c.trueAt + (reading - c.reading)
	}
	t := c.trueAt + scale(reading-c.reading, 1_000_000, 1_000_000+c.ppm)
	for c.at(t) < reading {
		t++
	}
	return t
}

// stoppedPPM is the rate of a clock that does not move. Such a clock never shows a later reading.
const (
	stoppedPPM = -1_000_000
	never      = math.MaxInt64
)

// moved returns the clock after a step and a change of rate at now.
func (c clock) moved(now, step, ppm int64) clock {
	return clock{trueAt: now, reading: c.at(now) + step, ppm: ppm}
}

// scale returns x*num/den, rounded towards zero, without intermediate overflow.
func scale(x, num, den int64) int64 {
	negative := x < 0
	if negative {
		x = -x
	}
	hi, lo := bits.Mul64(uint64(x), uint64(num))
	q, _ := bits.Div64(hi, lo, uint64(den))
	if negative {
		return -int64(q)
	}
	return int64(q)
}

// epoch is the time that every wall clock shows at the start of a run, before its offset.
func epoch() time.Time { return time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC) }
