package engine

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"lockquake/sim/postgres/sql"
)

// format returns a value as PostgreSQL writes it; null is empty.
func format(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case Bytes:
		return `\x` + hex.EncodeToString([]byte(v))
	case int64:
		return strconv.FormatInt(v, 10)
	case bool:
		return strconv.FormatBool(v)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case time.Time:
		return v.Format("2006-01-02 15:04:05.999999+00")
	case time.Duration:
		return formatInterval(v)
	}
	return ""
}

func formatInterval(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	t := fmt.Sprintf("%s%02d:%02d:%02d", sign, d/time.Hour, d/time.Minute%60, d/time.Second%60)
	if f := d % time.Second / time.Microsecond; f > 0 {
		t += strings.TrimRight(fmt.Sprintf(".%06d", f), "0")
	}
	return t
}

// read returns the value that a text has as a type.
func read(text string, t Type) (any, error) {
	trimmed := strings.TrimSpace(text)
	switch t {
	case Text, Varchar, Unknown:
		return text, nil
	case Int2, Int4, Int8:
		n, err := strconv.ParseInt(trimmed, 10, 64)
		if err != nil {
			if e, ok := err.(*strconv.NumError); ok && e.Err == strconv.ErrRange { //nolint:errorlint // strconv does not wrap it
				return nil, sql.Errorf("22003", "value \"%s\" is out of range for type %s", text, t)
			}
			break
		}
		if !fits(n, t) {
			return nil, sql.Errorf("22003", "value \"%s\" is out of range for type %s", text, t)
		}
		return n, nil
	case Float8, Numeric:
		if f, err := strconv.ParseFloat(trimmed, 64); err == nil {
			return f, nil
		}
	case Bool:
		switch strings.ToLower(trimmed) {
		case "t", "true", "yes", "y", "on", "1":
			return true, nil
		case "f", "false", "no", "n", "off", "0":
			return false, nil
		}
	case Bytea:
		return readBytes(text)
	case Timestamptz:
		return readTime(trimmed)
	case Interval:
		return readInterval(trimmed)
	case VoidType:
		return Void{}, nil
	}
	return nil, sql.Errorf("22P02", "invalid input syntax for type %s: \"%s\"", t, text)
}

// readBytes reads bytes in hexadecimal, or a text without escapes.
func readBytes(text string) (any, error) {
	digits, isHex := strings.CutPrefix(text, `\x`)
	if !isHex {
		if strings.Contains(text, `\`) {
			return nil, sql.Unsupported("an escape in a value of type bytea")
		}
		return Bytes(text), nil
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return nil, sql.Unsupported("this value of type bytea")
	}
	return Bytes(b), nil
}

func readTime(text string) (any, error) {
	for _, layout := range []string{
		"2006-01-02 15:04:05.999999999Z07", "2006-01-02 15:04:05.999999999Z07:00", time.RFC3339Nano, "2006-01-02 15:04:05.999999999", "2006-01-02 15:04", "2006-01-02",
	} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC().Truncate(time.Microsecond), nil
		}
	}
	if strings.HasSuffix(text, "infinity") {
		return nil, sql.Unsupported("infinity")
	}
	return nil, sql.Errorf("22007", "invalid input syntax for type timestamp with time zone: \"%s\"", text)
}

func readInterval(text string) (any, error) {
	wrong := sql.Errorf("22007", "invalid input syntax for type interval: \"%s\"", text)
	var sum time.Duration
	fields := strings.Fields(splitUnits(text))
	for i := 0; i < len(fields); i++ {
		f := fields[i]
		if strings.Contains(f, ":") {
			d, ok := readClock(f)
			if !ok {
				return nil, wrong
			}
			sum += d
			continue
		}
		n, err := strconv.ParseFloat(f, 64)
		if err != nil {
			return nil, wrong
		}
		name := "seconds"
		if i+1 < len(fields) {
			i++
			name = strings.ToLower(fields[i])
		}
		u := unit(name)
		if u < 0 {
			return nil, sql.Unsupported("an interval of months or years")
		}
		if u == 0 {
			return nil, wrong
		}
		sum += time.Duration(math.Round(n*float64(u)/1000)) * 1000
	}
	if len(fields) == 0 {
		return nil, wrong
	}
	return sum, nil
}

// splitUnits puts a space between a number and its unit.
func splitUnits(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if i > 0 && text[i] >= 'A' && text[i-1] <= '9' && text[i-1] >= '0' {
			b.WriteByte(' ')
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// unit returns a unit of an interval: 0 if there is no such unit, a negative number if its length varies.
func unit(name string) time.Duration {
	switch strings.TrimSuffix(name, "s") {
	case "microsecond", "usec", "u":
		return time.Microsecond
	case "millisecond", "msec", "m":
		if name == "m" {
			return time.Minute
		}
		return time.Millisecond
	case "second", "sec", "":
		return time.Second
	case "minute", "min":
		return time.Minute
	case "hour", "hr", "h":
		return time.Hour
	case "day", "d":
		return 24 * time.Hour
	case "week", "w":
		return 7 * 24 * time.Hour
	case "month", "mon", "year", "yr", "y":
		return -1
	}
	return 0
}

// readClock reads hours:minutes:seconds.
func readClock(text string) (time.Duration, bool) {
	rest, negative := strings.CutPrefix(text, "-")
	parts := strings.Split(rest, ":")
	if len(parts) == 2 {
		parts = append(parts, "0")
	}
	if len(parts) != 3 {
		return 0, false
	}
	h, err1 := strconv.Atoi(parts[0])
	m, err2 := strconv.Atoi(parts[1])
	sec, err3 := strconv.ParseFloat(parts[2], 64)
	d := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(math.Round(sec*1e6))*time.Microsecond
	if negative {
		d = -d
	}
	return d, err1 == nil && err2 == nil && err3 == nil
}

// fits reports whether an integer is in the range of a type.
func fits(n int64, t Type) bool {
	switch t {
	case Int2:
		return n == int64(int16(n))
	case Int4:
		return n == int64(int32(n))
	default:
		return true
	}
}

// float returns a number as a floating point number.
func float(v any) float64 {
	if n, ok := v.(int64); ok {
		return float64(n)
	}
	return v.(float64)
}

// compare orders two values of one type, or two numbers.
func compare(a, b any) int {
	switch a := a.(type) {
	case int64:
		if b, ok := b.(int64); ok {
			return cmp.Compare(a, b)
		}
		return cmp.Compare(float64(a), float(b))
	case float64:
		return cmp.Compare(a, float(b))
	case string:
		return strings.Compare(a, b.(string))
	case Bytes:
		return cmp.Compare(a, b.(Bytes))
	case bool:
		switch {
		case a == b.(bool):
			return 0
		case a:
			return 1
		}
		return -1
	case time.Time:
		return a.Compare(b.(time.Time))
	case time.Duration:
		return cmp.Compare(a, b.(time.Duration))
	}
	return 0
}
