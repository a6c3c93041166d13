package lua

import (
	"fmt"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// formatText implements string.format, with the directives of C.
func formatText(L *lua.LState) int {
	format, next := L.CheckString(1), 1
	var b []byte
	for i := 0; i < len(format); i++ {
		if format[i] != '%' {
			b = append(b, format[i])
			continue
		}
		if i++; i < len(format) && format[i] == '%' {
			b = append(b, '%')
			continue
		}
		begin := i
		for i < len(format) && strings.IndexByte("-+ #0123456789.", format[i]) >= 0 {
			i++
		}
		verb := byte(0)
		if i < len(format) {
			verb = format[i]
		}
		next++
		b = appendDirective(L, b, format[begin:min(i, len(format))], verb, next)
	}
	return push(L, lua.LString(b))
}

// appendDirective formats an argument by a directive.
func appendDirective(L *lua.LState, b []byte, flags string, verb byte, arg int) []byte {
	switch verb {
	case 'c':
		return fmt.Appendf(b, "%"+flags+"s", string([]byte{byte(number(L, arg))}))
	case 'd', 'i':
		return fmt.Appendf(b, "%"+flags+"d", truncate(number(L, arg)))
	case 'u':
		return fmt.Appendf(b, "%"+flags+"d", uint64(truncate(number(L, arg))))
	case 'o', 'x', 'X':
		return fmt.Appendf(b, "%"+flags+string(verb), uint64(truncate(number(L, arg))))
	case 'e', 'E', 'f', 'g', 'G':
		return appendFloat(b, flags, verb, number(L, arg))
	case 'q':
		return appendQuoted(b, text(L, arg))
	case 's':
		return appendText(b, flags, text(L, arg))
	}
	L.RaiseError("invalid option '%%%s' to 'format'", string(verb))
	return nil
}

// appendText formats a string like C, which ends it at a NUL, unless it is so long that Lua does
// not pass it to C.
func appendText(b []byte, flags, text string) []byte {
	const long = 100
	if len(text) >= long && !strings.Contains(flags, ".") {
		return append(b, text...)
	}
	shown, _, _ := strings.Cut(text, "\x00")
	return fmt.Appendf(b, "%"+flags+"s", shown)
}

// appendFloat formats a number like C, whose %g has six digits.
func appendFloat(b []byte, flags string, verb byte, f float64) []byte {
	if math.IsInf(f, 0) || math.IsNaN(f) {
		width, _, _ := strings.Cut(strings.ReplaceAll(flags, "0", ""), ".")
		return fmt.Appendf(b, "%"+strings.Trim(width, "# ")+"s", shortNumber(f))
	}
	if !strings.Contains(flags, ".") {
		flags += ".6"
	}
	return fmt.Appendf(b, "%"+flags+string(verb), f)
}

// appendQuoted writes a text as a Lua literal.
func appendQuoted(b []byte, text string) []byte {
	b = append(b, '"')
	for i := range len(text) {
		switch c := text[i]; c {
		case '"', '\\', '\n':
			b = append(b, '\\', c)
		case '\r':
			b = append(b, `\r`...)
		case 0:
			b = append(b, `\000`...)
		default:
			b = append(b, c)
		}
	}
	return append(b, '"')
}
