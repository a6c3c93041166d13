package spread

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Spread is a distribution of durations: the number of cases, the sum, the longest, and quantiles
// with an error of at most 1.6 %. Spreads can be added.
type Spread struct {
	N     int64
	Total Sum
	Max   time.Duration
	// counts has the number of cases of each bucket, see bucket.
	counts buckets
}

// buckets has the number of cases of each bucket that has any, in the order of the buckets. In a file
// it is text such as "491 502:3": the bucket, and the number of its cases if that is not 1.
type buckets []counted

type counted struct {
	bucket int
	n      int64
}

// fineness is the number of bits that divide a power of two: 32 steps.
const fineness = 5

// Add counts one case. A negative duration counts as 0.
func (s *Spread) Add(d time.Duration) {
	d = max(d, 0)
	s.N++
	s.Total.Add(SumOf(d))
	s.Max = max(s.Max, d)
	s.counts.add(bucket(d))
}

// Merge adds the cases of another spread.
func (s *Spread) Merge(other Spread) {
	s.N += other.N
	s.Total.Add(other.Total)
	s.Max = max(s.Max, other.Max)
	s.counts.merge(other.counts)
}

// add adds one case.
func (b *buckets) add(bucket int) {
	i, found := b.find(bucket)
	if found {
		(*b)[i].n++
		return
	}
	*b = slices.Insert(*b, i, counted{bucket, 1})
}

// merge adds the cases of others.
func (b *buckets) merge(others buckets) {
	at := 0
	for _, o := range others {
		i, found := (*b)[at:].find(o.bucket)
		at += i
		if found {
			(*b)[at].n += o.n
		} else {
			*b = slices.Insert(*b, at, o)
		}
		at++
	}
}

// find returns the position of a bucket, or where it belongs.
func (b buckets) find(bucket int) (int, bool) {
	if len(b) > 0 && b[0].bucket == bucket { // as in a merge with a spread that has the same buckets
		return 0, true
	}
	return slices.BinarySearchFunc(b, bucket, func(c counted, bucket int) int { return cmp.Compare(c.bucket, bucket) })
}

// Quantile returns the duration that a share q of all cases does not exceed, 0 if there are none.
func (s *Spread) Quantile(q float64) time.Duration { return s.quantiles(q)[0] }

// quantiles returns several quantiles, whose shares rise.
func (s *Spread) quantiles(shares ...float64) []time.Duration {
	values := make([]time.Duration, len(shares))
	if s.N == 0 {
		return values
	}
	last, _ := s.counts.find(bucket(s.Max))
	rest := s.counts[:last]
	below := int64(0)
	for i, q := range shares {
		rank := max(1, int64(math.Ceil(q*float64(s.N))))
		for len(rest) > 0 && below+rest[0].n < rank {
			below += rest[0].n
			rest = rest[1:]
		}
		if values[i] = s.Max; len(rest) > 0 {
			values[i] = middle(rest[0].bucket)
		}
	}
	return values
}

// Equal reports whether two spreads have the same contents.
func (s Spread) Equal(o Spread) bool {
	return s.N == o.N && s.Total == o.Total && s.Max == o.Max && slices.Equal(s.counts, o.counts)
}

// Mean returns the average duration, 0 if there are no cases.
func (s *Spread) Mean() time.Duration {
	if s.N == 0 {
		return 0
	}
	return s.Total.over(s.N)
}

// bucket returns the bucket of a duration. Below 2^fineness each nanosecond has its own bucket;
// above, each power of two is divided into 2^fineness equal steps.
func bucket(d time.Duration) int {
	n := uint64(d)
	power := bits.Len64(n) - 1 - fineness
	if power < 0 {
		return int(n)
	}
	return power<<fineness + int(n>>power)
}

// middle returns a duration in the middle of a bucket.
func middle(b int) time.Duration {
	power := b>>fineness - 1
	if power <= 0 {
		return time.Duration(b)
	}
	low := int64(b-power<<fineness) << power
	return time.Duration(low + int64(1)<<(power-1))
}

// spreadJSON is a Spread in a file, with times in nanoseconds. The quantiles are for human readers;
// reading a file back uses the counts.
type spreadJSON struct {
	N      int64         `json:"n"`
	Total  Sum           `json:"total"`
	Median time.Duration `json:"median"`
	P90    time.Duration `json:"p90"`
	P99    time.Duration `json:"p99"`
	Max    time.Duration `json:"max"`
	Counts buckets       `json:"counts,omitempty"`
}

// The quantiles that a report shows.
const (
	half      = 0.5
	most      = 0.9
	nearlyAll = 0.99
)

// Median returns the duration that half of all cases do not exceed.
func (s *Spread) Median() time.Duration { return s.Quantile(half) }

// P90 returns the duration that 9 of 10 cases do not exceed.
func (s *Spread) P90() time.Duration { return s.Quantile(most) }

// P99 returns the duration that 99 of 100 cases do not exceed.
func (s *Spread) P99() time.Duration { return s.Quantile(nearlyAll) }

// MarshalJSON writes the spread with its median and its 90th and 99th percentile.
func (s Spread) MarshalJSON() ([]byte, error) {
	q := s.quantiles(half, most, nearlyAll)
	b, err := json.Marshal(spreadJSON{s.N, s.Total, q[0], q[1], q[2], s.Max, s.counts})
	if err != nil {
		return nil, fmt.Errorf("checker: write a spread: %w", err)
	}
	return b, nil
}

var errSpread = errors.New("checker: the figures of a spread contradict each other")

// UnmarshalJSON reads what MarshalJSON writes. It returns an error for figures that no durations have.
func (s *Spread) UnmarshalJSON(data []byte) error {
	var in spreadJSON
	if err := json.Unmarshal(data, &in); err != nil {
		return fmt.Errorf("checker: read a spread: %w", err)
	}
	read := Spread{N: in.N, Total: in.Total, Max: in.Max, counts: in.Counts}
	if !read.sound() {
		return errSpread
	}
	*s = read
	return nil
}

// sound reports whether the buckets have n cases, the longest is in the last bucket, and no average
// exceeds it.
func (s *Spread) sound() bool {
	if s.N < 0 || s.Max < 0 {
		return false
	}
	rest := s.N
	for _, c := range s.counts {
		if c.bucket < 0 || c.n < 1 || c.n > rest {
			return false
		}
		rest -= c.n
	}
	if rest > 0 {
		return false
	}
	if last := len(s.counts) - 1; last < 0 && s.Max > 0 || last >= 0 && s.counts[last].bucket != bucket(s.Max) {
		return false
	}
	high, low := bits.Mul64(uint64(s.N), uint64(s.Max))
	return s.Total.high < high || s.Total.high == high && s.Total.low <= low
}

// MarshalText implements encoding.TextMarshaler.
func (b buckets) MarshalText() ([]byte, error) {
	var text []byte
	for i, c := range b {
		if i > 0 {
			text = append(text, ' ')
		}
		text = strconv.AppendInt(text, int64(c.bucket), 10)
		if c.n != 1 {
			text = append(text, ':')
			text = strconv.AppendInt(text, c.n, 10)
		}
	}
	return text, nil
}

// UnmarshalJSON reads the text, and the object that earlier versions wrote.
func (b *buckets) UnmarshalJSON(data []byte) error {
	*b = nil
	if len(data) > 0 && data[0] == '{' {
		var counts map[int]int64
		err := json.Unmarshal(data, &counts)
		for _, key := range slices.Sorted(maps.Keys(counts)) {
			*b = append(*b, counted{key, counts[key]})
		}
		return err
	}
	var text string
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	for field := range strings.FieldsSeq(text) {
		number, cases, several := strings.Cut(field, ":")
		key, err := strconv.Atoi(number)
		n := int64(1)
		if err == nil && several {
			n, err = strconv.ParseInt(cases, 10, 64)
		}
		if err != nil {
			return err
		}
		if last := len(*b) - 1; last >= 0 && (*b)[last].bucket >= key {
			return errors.New("checker: the buckets of a spread do not rise")
		}
		*b = append(*b, counted{key, n})
	}
	return nil
}
