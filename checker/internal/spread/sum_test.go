package spread

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

// A sum does not overflow: three times the longest duration is 3 (2^63 - 1).
func TestASumExceedsTheLongestDuration(t *testing.T) {
	var s Sum
	for range 3 {
		s.Add(SumOf(time.Duration(math.MaxInt64)))
	}
	if s.String() != "27670116110564327421" || s.Float() != 3*(1<<63) {
		t.Errorf("%v, %v", s, s.Float())
	}
	if d, fits := s.Duration(); fits {
		t.Errorf("it is a duration of %v", d)
	}
	if mean := s.over(3); mean != math.MaxInt64 {
		t.Errorf("a third of it is %v", mean)
	}
	one := SumOf(time.Second)
	if d, fits := one.Duration(); !fits || d != time.Second || SumOf(-time.Second) != (Sum{}) {
		t.Errorf("%v, %v", d, fits)
	}
}

// A sum in a file is a whole number of up to 128 bits, and nothing else.
func TestASumReadsBack(t *testing.T) {
	for _, text := range []string{"0", "1", "18446744073709551616", "340282366920938463463374607431768211455"} {
		var s Sum
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if back, err := json.Marshal(s); err != nil || string(back) != text {
			t.Errorf("%s reads back as %s, %v", text, back, err)
		}
	}
	for _, text := range []string{"-1", "1.5", `"1"`, "1e3", "340282366920938463463374607431768211456", "[]"} {
		if err := json.Unmarshal([]byte(text), new(Sum)); err == nil {
			t.Errorf("%s reads without an error", text)
		}
	}
}
