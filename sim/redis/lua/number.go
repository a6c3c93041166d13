package lua

import (
	"errors"
	"math"
	"strconv"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// shortNumber formats a number as Lua 5.1 does.
func shortNumber(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "-nan"
	}
	const digits = 14
	return strconv.FormatFloat(f, 'g', digits, 64)
}

// toString implements tostring.
func toString(L *lua.LState) int {
	v := L.CheckAny(1)
	if n, ok := v.(lua.LNumber); ok {
		L.Push(lua.LString(shortNumber(float64(n))))
	} else {
		L.Push(L.ToStringMeta(v))
	}
	return 1
}

// operand converts an operand of "..".
func operand(L *lua.LState) int {
	if n, ok := L.Get(1).(lua.LNumber); ok {
		L.Push(lua.LString(shortNumber(float64(n))))
	}
	return 1
}

// toNumber implements tonumber.
func toNumber(L *lua.LState) int {
	v := L.CheckAny(1)
	base := L.OptInt(2, 10)
	if base < 2 || base > 36 {
		L.ArgError(2, "base out of range")
	}
	_, isText := v.(lua.LString)
	if n, ok := v.(lua.LNumber); ok && base == 10 {
		L.Push(n)
		return 1
	}
	if !isText && base == 10 {
		L.Push(lua.LNil)
		return 1
	}
	written := lua.LVAsString(v)
	if n, ok := v.(lua.LNumber); ok {
		written = shortNumber(float64(n))
	}
	if f, ok := luaNumber(trimLua(written), base); ok && written != "" {
		L.Push(lua.LNumber(f))
	} else {
		L.Push(lua.LNil)
	}
	return 1
}

// luaNumber parses a number as strtod and strtoul of C do.
func luaNumber(text string, base int) (float64, bool) {
	lower := strings.ToLower(text)
	if base == 10 {
		if digits, negative := strings.CutPrefix(strings.TrimPrefix(lower, "+"), "-"); strings.HasPrefix(digits, "0x") {
			if strings.ContainsAny(digits, ".p") {
				if !strings.Contains(digits, "p") {
					text += "p0"
				}
			} else if n, err := strconv.ParseUint(digits[2:], 16, 64); err == nil {
				if negative {
					return -float64(n), true
				}
				return float64(n), true
			}
		}
		f, err := strconv.ParseFloat(text, 64)
		return f, (err == nil || errors.Is(err, strconv.ErrRange)) && !strings.Contains(text, "_")
	}
	digits, negative := strings.CutPrefix(lower, "-")
	if base == 16 {
		digits = strings.TrimPrefix(digits, "0x")
	}
	n, err := strconv.ParseUint(strings.TrimPrefix(digits, "+"), base, 64)
	if errors.Is(err, strconv.ErrRange) {
		return math.MaxUint64, true
	}
	if negative {
		n = -n
	}
	return float64(n), err == nil
}

// formatNumber formats a number as Redis passes it to a command.
func formatNumber(f float64) string {
	switch n := truncate(f); {
	case f == 0 && math.Signbit(f):
		return "-0"
	case math.IsInf(f, 0) || math.IsNaN(f):
		return shortNumber(f)
	case float64(n) == f:
		return strconv.FormatInt(n, 10)
	}
	const digits = 17
	return strconv.FormatFloat(f, 'g', digits, 64)
}

// truncate removes the fraction. For numbers outside of int64 it returns the lowest int64, on every
// architecture.
func truncate(f float64) int64 {
	const beyond = 1 << 63
	if f >= -beyond && f < beyond {
		return int64(f)
	}
	return math.MinInt64
}

// trimLua removes the white space of Lua.
func trimLua(text string) string { return strings.Trim(text, " \t\n\v\f\r") }
