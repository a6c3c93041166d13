package lock

import "testing"

// The workers of one process get the same value, which is made once. Another process has its own.
func TestWorkersOfAProcessShareAValue(t *testing.T) {
	made := 0
	counter := func() *int { made++; return new(int) }
	p, q := NewProcess(), NewProcess()
	*Shared(p, "counter", counter) = 7
	if n := *Shared(p, "counter", counter); n != 7 || made != 1 {
		t.Errorf("the second worker gets %d, and %d values were made", n, made)
	}
	if n := *Shared(p, "other", counter); n != 0 {
		t.Errorf("another name has %d", n)
	}
	if n := *Shared(q, "counter", counter); n != 0 {
		t.Errorf("another process has %d", n)
	}
}
