package lua

import (
	"math"

	lua "github.com/yuin/gopher-lua"
)

// randomNumbers is the random generator of Redis, which is the same on every machine: 48 bits, of
// which it returns the upper 31. It starts again with the server.
type randomNumbers uint64

// firstRandom is its initial state.
const firstRandom randomNumbers = 0x1234abcd330e

func (r *randomNumbers) seed(seed int32) {
	const begin = 0x330e
	*r = randomNumbers(uint32(seed))<<16 | begin
}

// next returns a number in [0, 1).
func (r *randomNumbers) next() float64 {
	const factor, summand, bits, hidden = 0x5deece66d, 0xb, 48, 17
	*r = (*r*factor + summand) & (1<<bits - 1)
	return float64(int64(*r>>hidden)%math.MaxInt32) / math.MaxInt32
}

// mathRandom implements math.random.
func (s *State) mathRandom(L *lua.LState) int {
	drawn := s.random.next()
	low, high := int64(1), int64(0)
	switch L.GetTop() {
	case 0:
		return push(L, lua.LNumber(drawn))
	case 1:
		high = L.CheckInt64(1)
	case 2:
		low, high = L.CheckInt64(1), L.CheckInt64(2)
	default:
		L.RaiseError("wrong number of arguments")
	}
	if high < low {
		L.ArgError(L.GetTop(), "interval is empty")
	}
	return push(L, lua.LNumber(low+int64(math.Floor(drawn*float64(high-low+1)))))
}

func (s *State) mathSeed(L *lua.LState) int {
	s.random.seed(int32(L.CheckInt64(1)))
	return 0
}
