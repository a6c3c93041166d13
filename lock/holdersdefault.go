package lock

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// StringHolder reads the holder of a lock whose record is a string: the whole string is
// the owner, and the lease lasts as long as the record.
func StringHolder(s State) ([]Holder, error) {
	if len(s.Records) != 1 {
		return nil, nil
	}
	if r := s.Records[0]; r.Kind != RecordString {
		return nil, fmt.Errorf("its record is a %s", r.Kind)
	}
	return []Holder{{Owner: s.Records[0].Text}}, nil
}

// ReadHolders reads the holder of a lock whose entry has no Holders. It reads locks
// with one record: a string that is the owner; a string without a deadline that begins
// with the end of its lease, in Unix time; a hash with one owner. For any other record
// its error says why it cannot read it.
//
// The simulation also reports such a lock as unreadable once a command replaces one
// owner by another: the record may outlive the lease, or the holder may have renamed
// itself.
func ReadHolders(s State) ([]Holder, error) {
	if len(s.Records) > 1 {
		return nil, fmt.Errorf("it has %d records", len(s.Records))
	}
	if len(s.Records) == 0 {
		return nil, nil
	}
	switch r := s.Records[0]; r.Kind {
	case RecordAbsent:
		return nil, nil
	case RecordString:
		return readString(r, s.Now)
	case RecordHash:
		return readHash(r)
	case RecordList, RecordSet, RecordZSet, RecordOther:
		return nil, fmt.Errorf("its record is a %s", r.Kind)
	}
	return nil, fmt.Errorf("its record is of the unknown kind %q", s.Records[0].Kind)
}

// readString reads a time at the beginning of the value as the end of the lease. A time
// elsewhere in the value is an error: it may be the begin of a lease whose length is
// unknown.
func readString(r Record, now time.Time) ([]Holder, error) {
	holder := Holder{Owner: r.Text}
	if r.End.IsZero() {
		if end, ok := unixTime(r.Text, now); ok {
			holder.End = end
		} else if mentionsTime(r.Text, now) {
			return nil, fmt.Errorf("its record has no deadline, and there is a time in its value")
		}
	}
	return []Holder{holder}, nil
}

// readHash reads the owner of a hash: the value of the field "owner", or of the only
// field. If the value of the only field is a number, it counts the grants of one owner,
// whose name is the field.
func readHash(r Record) ([]Holder, error) {
	if i := slices.IndexFunc(r.Members, func(m Member) bool { return strings.EqualFold(m.Name, "owner") }); i >= 0 {
		if r.End.IsZero() && slices.ContainsFunc(r.Members, func(m Member) bool { return m.Name != r.Members[i].Name }) {
			return nil, fmt.Errorf("its record is a hash of %d fields without a deadline", len(r.Members))
		}
		return []Holder{{Owner: r.Members[i].Value}}, nil
	}
	if len(r.Members) != 1 {
		return nil, fmt.Errorf("its record is a hash of %d fields, and none is called owner", len(r.Members))
	}
	if _, err := strconv.Atoi(r.Members[0].Value); err == nil {
		return []Holder{{Owner: r.Members[0].Name}}, nil
	}
	return []Holder{{Owner: r.Members[0].Value}}, nil
}

// unixTime reads the Unix time at the beginning of a text, in any unit from seconds to
// nanoseconds. It reports false if there is none within a week of now.
func unixTime(text string, now time.Time) (time.Time, bool) {
	end := strings.IndexFunc(text, func(c rune) bool { return c < '0' || c > '9' })
	if end < 0 {
		end = len(text)
	}
	n, err := strconv.ParseInt(text[:end], 10, 64)
	if err != nil {
		return time.Time{}, false
	}
	const days = 7 * 24 * time.Hour
	for _, unit := range []time.Duration{time.Second, time.Millisecond, time.Microsecond, time.Nanosecond} {
		perSecond := int64(time.Second / unit)
		at := time.Unix(n/perSecond, n%perSecond*int64(unit))
		if unit == time.Second && end < len(text) && text[end] == '.' { // seconds with a fraction
			fraction, _, _ := strings.Cut(text[end:], ":")
			if f, err := strconv.ParseFloat("0"+fraction, 64); err == nil {
				at = at.Add(time.Duration(f * float64(time.Second)))
			}
		}
		if d := at.Sub(now); -days < d && d < days {
			return at, true
		}
	}
	return time.Time{}, false
}

// mentionsTime reports whether a text contains a Unix time within a week of now, or the
// date of yesterday, today or tomorrow.
func mentionsTime(text string, now time.Time) bool {
	const date = "2006-01-02"
	for i := range text {
		digit := text[i] >= '0' && text[i] <= '9'
		if !digit || i > 0 && text[i-1] >= '0' && text[i-1] <= '9' {
			continue
		}
		if _, ok := unixTime(text[i:], now); ok {
			return true
		}
		if len(text) >= i+len(date) {
			for _, day := range []int{-1, 0, 1} {
				if text[i:i+len(date)] == now.UTC().AddDate(0, 0, day).Format(date) {
					return true
				}
			}
		}
	}
	return false
}
