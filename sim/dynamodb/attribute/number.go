package attribute

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// The limits of a number: its digits, and the exponents of its first digit.
const (
	maxDigits   = 38
	maxExponent = 125
	minExponent = -130
)

// NumberError is the error of a text that is no number, or of a number beyond the limits. Its text is
// that of the server.
type NumberError string

func (e NumberError) Error() string { return string(e) }

// The errors of numbers beyond the limits.
const (
	errOverflow  NumberError = "Number overflow. Attempting to store a number with magnitude larger than supported range"
	errUnderflow NumberError = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
	errDigits    NumberError = "Attempting to store more than 38 significant digits in a Number"
)

// decimal is c times 10 to the power of e. The last digit of c is not 0.
type decimal struct {
	c *big.Int
	e int
}

// OfNumber returns the number that a text has. It may have a fraction and an exponent.
func OfNumber(text string) (Value, error) {
	d, err := parseDecimal(text)
	if err != nil {
		return Value{}, err
	}
	return d.value()
}

// Int returns the value of an integer, 0 for any other value.
func (v Value) Int() int64 {
	n, err := strconv.ParseInt(v.Text, 10, 64)
	if v.Kind != Number || err != nil {
		return 0
	}
	return n
}

// Plus returns the sum of two numbers, or with minus their difference.
func (v Value) Plus(o Value, minus bool) (Value, error) {
	a, err := parseDecimal(v.Text)
	if err != nil {
		return Value{}, err
	}
	b, err := parseDecimal(o.Text)
	if err != nil {
		return Value{}, err
	}
	x, y, e := aligned(a, b)
	if minus {
		y.Neg(y)
	}
	return normal(x.Add(x, y), e).value()
}

// Compare compares two values of one ordered kind.
func (v Value) Compare(o Value) int {
	if v.Kind == Number {
		a, err1 := parseDecimal(v.Text)
		b, err2 := parseDecimal(o.Text)
		if err1 == nil && err2 == nil {
			x, y, _ := aligned(a, b)
			return x.Cmp(y)
		}
	}
	return strings.Compare(v.Text, o.Text)
}

// aligned returns the digits of two numbers with the exponent that both have then.
func aligned(a, b decimal) (x, y *big.Int, e int) {
	e = min(a.e, b.e)
	scale := func(d decimal) *big.Int {
		const base = 10
		power := new(big.Int).Exp(big.NewInt(base), big.NewInt(int64(d.e-e)), nil)
		return power.Mul(power, d.c)
	}
	return scale(a), scale(b), e
}

func parseDecimal(text string) (decimal, error) {
	bad := NumberError("The parameter cannot be converted to a numeric value: " + text)
	if text == "" {
		return decimal{}, NumberError("The parameter cannot be converted to a numeric value")
	}
	mantissa, exponent, hasExponent := strings.Cut(strings.ToLower(text), "e")
	e := 0
	if hasExponent {
		var err error
		if e, err = strconv.Atoi(exponent); err != nil {
			return decimal{}, bad
		}
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	digits := strings.TrimLeft(whole, "+-")
	if len(whole)-len(digits) > 1 || digits+fraction == "" || strings.Trim(digits+fraction, "0123456789") != "" {
		return decimal{}, bad
	}
	const far = 1000 // beyond every limit, and the numbers stay small
	if e > far || e < -far || len(fraction) > far || len(digits) > far {
		if strings.Trim(digits+fraction, "0") == "" {
			return decimal{c: new(big.Int)}, nil
		}
		if e < 0 {
			return decimal{}, errUnderflow
		}
		return decimal{}, errOverflow
	}
	c, ok := new(big.Int).SetString(digits+fraction, 10)
	if !ok {
		return decimal{}, bad
	}
	if strings.HasPrefix(whole, "-") {
		c.Neg(c)
	}
	return normal(c, e-len(fraction)), nil
}

// normal removes the zeros at the end of c.
func normal(c *big.Int, e int) decimal {
	if c.Sign() == 0 {
		return decimal{c: c}
	}
	text := c.String()
	short := strings.TrimRight(text, "0")
	if short != text {
		c, _ = new(big.Int).SetString(short, 10)
		e += len(text) - len(short)
	}
	return decimal{c, e}
}

// value returns the number as a value, or an error if it is beyond the limits.
func (d decimal) value() (Value, error) {
	digits := len(new(big.Int).Abs(d.c).String())
	switch first := digits - 1 + d.e; {
	case d.c.Sign() == 0:
	case first > maxExponent:
		return Value{}, errOverflow
	case first < minExponent:
		return Value{}, errUnderflow
	case digits > maxDigits:
		return Value{}, errDigits
	}
	return Value{Kind: Number, Text: d.String()}, nil
}

// String returns the number without an exponent.
func (d decimal) String() string {
	digits, sign := new(big.Int).Abs(d.c).String(), ""
	if d.c.Sign() < 0 {
		sign = "-"
	}
	switch point := len(digits) + d.e; {
	case d.e >= 0:
		return sign + digits + strings.Repeat("0", d.e)
	case point > 0:
		return fmt.Sprintf("%s%s.%s", sign, digits[:point], digits[point:])
	default:
		return sign + "0." + strings.Repeat("0", -point) + digits
	}
}
