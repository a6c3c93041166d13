package lock

import (
	"testing"
	"time"
)

// The bound on the pauses of an acquire counts the jitter, and the doubling of the delay only.
func TestTheLongestPausesOfAnAcquire(t *testing.T) {
	for _, c := range []struct {
		name    string
		retry   Retry
		want    time.Duration
		limited bool
	}{
		{"one attempt", Retry{Attempts: 1, Delay: time.Second, Jitter: time.Second}, 0, true},
		{"two pauses of 1.5 s", Retry{Attempts: 3, Delay: time.Second, Jitter: 500 * time.Millisecond}, 3 * time.Second, true},
		{"1 + 2 + 4 s, and three times 0.5 s", Retry{Attempts: 4, Delay: time.Second, Jitter: 500 * time.Millisecond, Doubling: true}, 8500 * time.Millisecond, true},
		{"no limit", Retry{Attempts: Unlimited, Delay: time.Second}, 0, false},
	} {
		if got, limited := c.retry.Longest(); got != c.want || limited != c.limited {
			t.Errorf("%s: %v, %t, want %v, %t", c.name, got, limited, c.want, c.limited)
		}
	}
}
