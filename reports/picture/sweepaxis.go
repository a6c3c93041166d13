package picture

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"gonum.org/v1/plot"

	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// sweepAxis is the axis of a parameter in a plot.
type sweepAxis struct {
	label  string
	at     []float64 // the position of each value, in the unit of the axis
	values []string
	words  bool // the values are words, at equal distances
	log    bool
	unit   float64 // of the axis, in nanoseconds if it is a duration
}

// position returns the place of a value on the axis, false if it has none.
func (a sweepAxis) position(value string) (float64, bool) {
	q, measured := results.ParseQuantity(value)
	return q.X / a.unit, measured && !a.words
}

func newSweepAxis(a results.Axis) sweepAxis {
	path := words.Plain(a.Path, 60)
	quantities, measured := a.Quantities()
	axis := sweepAxis{label: path, words: !measured, log: measured && a.Log}
	unit := 1.0
	if measured && quantities[0].Duration {
		largest := time.Duration(max(math.Abs(quantities[0].X), math.Abs(quantities[len(quantities)-1].X)))
		name := ""
		name, unit = unitOf(largest)
		axis.label = fmt.Sprintf("%s (%s)", path, name)
	}
	for i, value := range a.Values {
		axis.values = append(axis.values, words.Plain(value, 20))
		if measured {
			axis.at = append(axis.at, quantities[i].X/unit)
		} else {
			axis.at = append(axis.at, float64(i))
		}
	}
	axis.unit = unit
	return axis
}

// unitOf returns a unit in which a duration is a short number.
func unitOf(d time.Duration) (name string, unit float64) {
	switch {
	case d >= 3*time.Hour:
		return "h", float64(time.Hour)
	case d >= 10*time.Minute:
		return "min", float64(time.Minute)
	case d >= time.Second:
		return "s", float64(time.Second)
	case d >= time.Millisecond:
		return "ms", float64(time.Millisecond)
	}
	return "µs", float64(time.Microsecond)
}

// ticks labels round numbers, and marks every value of the sweep.
func (a sweepAxis) ticks() plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i, x := range a.at {
		tick := plot.Tick{Value: x}
		if a.words {
			tick.Label = a.values[i]
		}
		ticks = append(ticks, tick)
	}
	if a.words {
		return ticks
	}
	labelled := roundNumbers(a.at[0], a.at[len(a.at)-1], a.log)
	for _, end := range []float64{a.at[0], a.at[len(a.at)-1]} {
		if !slices.ContainsFunc(labelled, func(x float64) bool { return a.near(x, end) }) {
			labelled = append(labelled, end)
		}
	}
	for _, x := range labelled {
		ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x+0, 'g', 6, 64)}) // +0: a zero has no sign
	}
	return ticks
}

// near reports whether two values are too close for both labels.
func (a sweepAxis) near(x, y float64) bool {
	const room = 0.06 // of the axis
	first, last := a.at[0], a.at[len(a.at)-1]
	if a.log {
		x, y, first, last = math.Log(x), math.Log(y), math.Log(first), math.Log(last)
	}
	return math.Abs(x-y) < room*(last-first)
}

// roundNumbers returns round numbers between low and high. On a logarithmic axis they are
// 1, 2 and 5 times each power of ten, on a linear one up to ten multiples of such a number.
func roundNumbers(low, high float64, log bool) []float64 {
	const most = 10
	var numbers []float64
	if log {
		decades := math.Log10(high / low)
		for exponent := math.Floor(math.Log10(low)); exponent <= math.Log10(high); exponent++ {
			for _, digit := range []float64{1, 2, 5} {
				x := digit * math.Pow(10, exponent)
				if decades > most/3 && digit != 1 {
					continue
				}
				if x >= low*(1-1e-9) && x <= high*(1+1e-9) {
					numbers = append(numbers, x)
				}
			}
		}
		return numbers
	}
	size := math.Pow(10, math.Floor(math.Log10((high-low)/most)))
	for _, digit := range []float64{1, 2, 5, 10} {
		step := digit * size
		if (high-low)/step > most {
			continue
		}
		for i := math.Ceil(low/step - 1e-9); i*step <= high+step*1e-9; i++ {
			numbers = append(numbers, i*step)
		}
		break
	}
	return numbers
}
