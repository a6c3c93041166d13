package timeline

import (
	"math"
	"time"
)

// Knot maps a moment to its place on the time axis, from 0 at the beginning of the window
// to 1 at its end. The scale is linear between two knots.
type Knot struct {
	At    Moment  `json:"at"`
	Place float64 `json:"place"`
}

// ruler lays out the time axis for moments, which must rise.
//
// The events of a failure are a few milliseconds, or many seconds apart. On a linear
// scale arrows would overlap. So each gap between two moments gets an equal share of
// one half of the axis, and of the other half a share by the logarithm of its length.
func ruler(moments []Moment) []Knot {
	knots := make([]Knot, len(moments))
	sum := 0.0
	for i, at := range moments {
		if i > 0 {
			sum += math.Log10(1 + float64(at-moments[i-1])/float64(100*time.Microsecond))
		}
		knots[i] = Knot{At: at, Place: sum}
	}
	gaps := float64(len(moments) - 1)
	for i := range knots {
		if gaps > 0 {
			// Further digits are not visible, and may differ between architectures.
			knots[i].Place = math.Round((float64(i)/gaps+knots[i].Place/sum)/2*1e4) / 1e4
		}
	}
	return knots
}

// Place returns the place of a moment on the time axis, from 0 to 1.
func (t *Timeline) Place(at Moment) float64 {
	for i := 1; i < len(t.Ruler); i++ {
		if a, b := t.Ruler[i-1], t.Ruler[i]; at <= b.At {
			share := max(0, float64(at-a.At)/float64(b.At-a.At))
			return a.Place + share*(b.Place-a.Place)
		}
	}
	return 1
}
