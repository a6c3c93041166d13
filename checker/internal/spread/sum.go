package spread

import (
	"errors"
	"math/big"
	"math/bits"
	"time"
)

// Sum adds up durations in nanoseconds, or other numbers of 64 bits that are not negative. It has
// 128 bits: the runs of a large campaign last longer together than the 292 years of a
// time.Duration. The order of the additions has no effect. In JSON it is a number.
type Sum struct{ high, low uint64 }

// SumOf returns a sum with one term. A negative term counts as 0.
func SumOf[N ~int64](n N) Sum { return Sum{low: uint64(max(n, 0))} }

// Add adds another sum.
func (s *Sum) Add(o Sum) {
	low, carry := bits.Add64(s.low, o.low, 0)
	s.high, _ = bits.Add64(s.high, o.high, carry)
	s.low = low
}

// Float returns the sum, rounded to the 53 bits of a float64.
func (s Sum) Float() float64 { return float64(s.high)*(1<<64) + float64(s.low) }

// Duration returns a sum of durations. It returns false if no time.Duration is that long.
func (s Sum) Duration() (d time.Duration, fits bool) {
	d = time.Duration(s.low)
	return d, s.high == 0 && d >= 0
}

// over returns the sum divided by n, rounded down. The quotient must have at most 63 bits, as a mean
// of durations has.
func (s Sum) over(n int64) time.Duration {
	quotient, _ := bits.Div64(s.high, s.low, uint64(n))
	return time.Duration(quotient)
}

// Equal reports whether two sums are the same.
func (s Sum) Equal(o Sum) bool { return s == o }

// String returns the decimal digits.
func (s Sum) String() string { return s.big().String() }

func (s Sum) big() *big.Int {
	whole := new(big.Int).SetUint64(s.high)
	return whole.Lsh(whole, 64).Or(whole, new(big.Int).SetUint64(s.low))
}

// MarshalJSON writes the decimal digits.
func (s Sum) MarshalJSON() ([]byte, error) { return s.big().Append(nil, 10), nil }

var errSum = errors.New("checker: a sum is a whole number of at most 128 bits")

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Sum) UnmarshalJSON(data []byte) error {
	whole, ok := new(big.Int).SetString(string(data), 10)
	if !ok || whole.Sign() < 0 || whole.BitLen() > 128 {
		return errSum
	}
	var words [16]byte
	whole.FillBytes(words[:])
	s.high, s.low = 0, 0
	for i, b := range words {
		if i < 8 {
			s.high = s.high<<8 | uint64(b)
		} else {
			s.low = s.low<<8 | uint64(b)
		}
	}
	return nil
}
