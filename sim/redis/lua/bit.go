package lua

import (
	"fmt"
	"math"
	"math/bits"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// bitTable returns the library bit, for integers of 32 bits.
func bitTable(L *lua.LState) *lua.LTable {
	t := L.NewTable()
	word := func(L *lua.LState, i int) uint32 {
		const all = 1 << 32
		return uint32(int64(math.Mod(math.RoundToEven(number(L, i)), all))) // keeps the lower 32 bits
	}
	result := func(L *lua.LState, n uint32) int { return push(L, lua.LNumber(int32(n))) }
	fold := func(do func(a, b uint32) uint32) lua.LGFunction {
		return func(L *lua.LState) int {
			n := word(L, 1)
			for i := 2; i <= L.GetTop(); i++ {
				n = do(n, word(L, i))
			}
			return result(L, n)
		}
	}
	shift := func(do func(a uint32, by uint32) uint32) lua.LGFunction {
		return func(L *lua.LState) int { return result(L, do(word(L, 1), word(L, 2)&31)) }
	}
	L.SetFuncs(t, map[string]lua.LGFunction{
		"band":    fold(func(a, b uint32) uint32 { return a & b }),
		"bor":     fold(func(a, b uint32) uint32 { return a | b }),
		"bxor":    fold(func(a, b uint32) uint32 { return a ^ b }),
		"bnot":    func(L *lua.LState) int { return result(L, ^word(L, 1)) },
		"tobit":   func(L *lua.LState) int { return result(L, word(L, 1)) },
		"bswap":   func(L *lua.LState) int { return result(L, bits.ReverseBytes32(word(L, 1))) },
		"lshift":  shift(func(a, by uint32) uint32 { return a << by }),
		"rshift":  shift(func(a, by uint32) uint32 { return a >> by }),
		"arshift": shift(func(a, by uint32) uint32 { return uint32(int32(a) >> by) }),
		"rol":     shift(func(a, by uint32) uint32 { return bits.RotateLeft32(a, int(by)) }),
		"ror":     shift(func(a, by uint32) uint32 { return bits.RotateLeft32(a, -int(by)) }),
		"tohex": func(L *lua.LState) int {
			const all = 8
			n, digits := word(L, 1), int32(all)
			if L.GetTop() > 1 {
				digits = int32(word(L, 2))
			}
			text := fmt.Sprintf("%08x", n)
			if digits < 0 {
				text, digits = strings.ToUpper(text), -digits
			}
			return push(L, lua.LString(text[max(0, all-int(uint32(digits)%(1<<31))):]))
		},
	})
	return t
}
