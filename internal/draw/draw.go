package draw

import (
	"math/bits"
	"math/rand/v2"

	"github.com/cespare/xxhash/v2"
)

// Source is the seed of a run. All its streams follow from that number.
type Source struct {
	seed uint64
}

// New returns the source of a seed. All seeds are equally good, even 0 and neighbours.
func New(seed uint64) Source {
	return Source{seed}
}

// Stream returns the draws of one entity for one purpose, such as the stream "hold" of "worker-3".
// It hashes both names, so callers should keep a stream that they use often.
func (s Source) Stream(stream, entity string) Stream {
	key := fold(0, s.seed)
	key = fold(key, xxhash.Sum64String(stream))
	return Stream{fold(key, xxhash.Sum64String(entity))}
}

// Stream is the sequence of draws of one entity for one purpose.
type Stream struct {
	key uint64
}

// At returns the draw with that ordinal, independent of earlier draws.
func (s Stream) At(ordinal uint64) Draw {
	return Draw{fold(s.key, ordinal)}
}

// Rand returns a generator for code that needs many numbers in sequence. Each call starts the same
// sequence again, and it is independent of the draws of At. Its NormFloat64 and ExpFloat64 use the
// machine's exp and log, so only these may differ between architectures.
func (s Stream) Rand() *rand.Rand {
	g := &generator{draw: Draw{s.key}}
	g.Rand = *rand.New(&g.draw)
	return &g.Rand
}

// generator is a rand.Rand with its source, in one place in memory.
type generator struct {
	rand.Rand
	draw Draw
}

// Draw is a short sequence of numbers that belong to one ordinal of a stream. Each method advances
// it by one number. A copy returns the same numbers as the original.
type Draw struct {
	state uint64
}

// Uint64 returns 64 random bits.
func (d *Draw) Uint64() uint64 {
	d.state += gamma
	return mix(d.state)
}

// Float64 returns a multiple of 2^-53 in [0,1).
func (d *Draw) Float64() float64 {
	return float64(d.Uint64()>>11) * 0x1p-53
}

// Open returns a number in (0,1), in the middle of one of 2^52 equal parts. It is never 0 or 1, so
// its quantiles are finite.
func (d *Draw) Open() float64 {
	return (float64(d.Uint64()>>12) + 0.5) * 0x1p-52
}

// Int64N returns a number in [0,n), each equally likely. It panics if n is
// not positive.
func (d *Draw) Int64N(n int64) int64 {
	if n <= 0 {
		panic("draw: Int64N of a number that is not positive")
	}
	// The high half of a product with n is in [0,n). If the low half is among the first 2^64 mod n
	// values, the number is drawn again, because otherwise some results would be more likely.
	size := uint64(n)
	high, low := bits.Mul64(d.Uint64(), size)
	for low < size && low < -size%size {
		high, low = bits.Mul64(d.Uint64(), size)
	}
	return int64(high)
}

// gamma is 2^64 divided by the golden ratio, made odd: multiples of it spread
// evenly over 64 bits.
const gamma = 0x9e3779b97f4a7c15

// fold mixes x into a key. Keys that differ in a single bit give unrelated results, and so do the
// same values in another order.
func fold(key, x uint64) uint64 {
	return mix((key ^ x) + gamma)
}

// mix is the finaliser of SplitMix64: a permutation of 64 bits in which every
// bit of z reaches every bit of the result.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
