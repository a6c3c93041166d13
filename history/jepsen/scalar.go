package jepsen

import (
	"cmp"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// scalar converts a token to a value.
func scalar(token string, at Place) (Value, error) {
	v := Value{Text: token, Place: at}
	first, _ := utf8.DecodeRuneInString(token)
	unsigned := strings.TrimLeft(token, "+-")
	switch {
	case !utf8.ValidString(token) || strings.ContainsFunc(token, unicode.IsControl):
		return Value{}, at.Errorf("%q is no value", token)
	case token == "nil":
		v.Kind = Nil
	case token == "true" || token == "false":
		v.Kind = Bool
	case unsigned != "" && isDigit(unsigned[0]) && len(token)-len(unsigned) <= 1:
		return number(token, at)
	case first == ':' && len(token) > 1:
		v.Kind = Keyword
	case first == '\\':
		return character(token, at)
	case unicode.IsLetter(first) || strings.ContainsRune(".*+!-_?$%&=<>/|", first):
		v.Kind = Symbol
	default:
		return Value{}, at.Errorf("%q is no value", token)
	}
	return v, nil
}

// character converts a token to a character. Characters have up to three spellings: \newline,
// \u000a and \o12 are the same.
func character(token string, at Place) (Value, error) {
	const (
		octal    = 8
		widest   = 0o377
		hexWidth = len("u0000")
	)
	names := map[string]rune{"newline": '\n', "return": '\r', "space": ' ', "tab": '\t', "formfeed": '\f', "backspace": '\b'}
	word := token[1:]
	char, size := utf8.DecodeRuneInString(word)
	code, isOctal := uint64(0), false
	if digits, ok := strings.CutPrefix(word, "o"); ok {
		n, err := strconv.ParseUint(digits, octal, 32)
		code, isOctal = n, err == nil && n <= widest
	}
	hex, err := strconv.ParseUint(strings.TrimPrefix(word, "u"), 16, 32)
	named, isNamed := names[word]
	switch {
	case word != "" && len(word) == size: // the character itself
	case isNamed:
		char = named
	case len(word) == hexWidth && word[0] == 'u' && err == nil && !utf16.IsSurrogate(rune(hex)):
		char = rune(hex)
	case isOctal:
		char = rune(code)
	default:
		return Value{}, at.Errorf("%q is no character", token)
	}
	text := `\` + string(char)
	for name, r := range names {
		if r == char {
			text = `\` + name
		}
	}
	return Value{Kind: Other, Text: text, Place: at}, nil
}

// number converts a token that begins like a number. All spellings of values that Clojure considers
// equal get the same text: 1.0 and 1.00, 2/4 and 1/2, 5 and 5N and 0x5. An integer, a float and a
// decimal (with M) are never equal.
func number(token string, at Place) (Value, error) {
	wrong := at.Errorf("%q is not a number", token)
	if above, below, ratio := strings.Cut(token, "/"); ratio {
		a, ok := new(big.Int).SetString(above, 10)
		b, ok2 := new(big.Int).SetString(below, 10)
		if !ok || !ok2 || b.Sign() == 0 || !isDigit(below[0]) {
			return Value{}, wrong
		}
		r := new(big.Rat).SetFrac(a, b)
		if r.IsInt() {
			return integer(r.Num(), at)
		}
		return Value{Kind: Other, Text: r.RatString(), Place: at}, nil
	}
	if n, ok := parseInteger(strings.TrimSuffix(token, "N")); ok {
		return integer(n, at)
	}
	// ParseFloat also accepts words, hexadecimals and underscores.
	digits, isDecimal := strings.CutSuffix(token, "M")
	if strings.Trim(digits, "+-.0123456789eE") != "" {
		return Value{}, wrong
	}
	if isDecimal {
		text, ok := decimal(digits)
		if !ok {
			return Value{}, wrong
		}
		return Value{Kind: Other, Text: text, Place: at}, nil
	}
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil || strings.Trim(digits, "+-0123456789") == "" {
		return Value{}, wrong // 08, say: neither an octal nor a float
	}
	if f == 0 {
		f = math.Abs(f) // 0.0 and -0.0 are equal
	}
	text := strconv.FormatFloat(f, 'g', -1, 64)
	if !strings.ContainsAny(text, ".e") {
		text += ".0"
	}
	return Value{Kind: Other, Text: text, Place: at}, nil
}

func integer(n *big.Int, at Place) (Value, error) {
	if !n.IsInt64() {
		return Value{}, at.Errorf("%s does not fit into 64 bits", n)
	}
	return Value{Kind: Int, Int: n.Int64(), Text: n.String(), Place: at}, nil
}

// parseInteger reads a decimal, hexadecimal (0x1f), octal (017) or other (2r101)
// integer.
func parseInteger(text string) (*big.Int, bool) {
	sign, digits := "", text
	if text[0] == '+' || text[0] == '-' {
		sign, digits = text[:1], text[1:]
	}
	base := 10
	radix, rest, hasRadix := strings.Cut(strings.ToLower(digits), "r")
	switch {
	case strings.HasPrefix(digits, "0x") || strings.HasPrefix(digits, "0X"):
		base, digits = 16, digits[2:]
	case hasRadix:
		n, err := strconv.Atoi(radix)
		if err != nil || n < 2 || n > 36 {
			return nil, false
		}
		base, digits = n, rest
	case len(digits) > 1 && digits[0] == '0':
		base, digits = 8, digits[1:]
	}
	if digits == "" || digits[0] == '+' || digits[0] == '-' {
		return nil, false
	}
	return new(big.Int).SetString(sign+digits, base)
}

// decimal returns the canonical spelling of a decimal: 1.50 and 15e-1 are both 1.5M.
func decimal(text string) (string, bool) {
	const plain = 20 // maximum number of zeros that are written out
	mantissa, power, _ := strings.Cut(strings.ToLower(text), "e")
	exponent, err := strconv.ParseInt(cmp.Or(power, "0"), 10, 32)
	if _, wrong := strconv.ParseFloat(mantissa, 64); wrong != nil || err != nil || strings.HasSuffix(strings.ToLower(text), "e") {
		return "", false
	}
	sign := ""
	if mantissa[0] == '-' {
		sign = "-"
	}
	whole, fraction, _ := strings.Cut(strings.TrimLeft(mantissa, "+-"), ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= int64(len(fraction))
	short := strings.TrimRight(digits, "0")
	exponent += int64(len(digits) - len(short))
	switch {
	case short == "":
		return "0M", true
	case exponent >= 0 && exponent <= plain:
		return sign + short + strings.Repeat("0", int(exponent)) + "M", true
	case exponent < 0 && exponent >= -plain:
		short = strings.Repeat("0", max(0, 1-int(exponent)-len(short))) + short
		point := len(short) + int(exponent)
		return sign + short[:point] + "." + short[point:] + "M", true
	default:
		return sign + short + "e" + strconv.FormatInt(exponent, 10) + "M", true
	}
}
