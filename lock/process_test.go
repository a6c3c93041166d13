package lock

import "testing"

// The workers of a process find one value, made once; another process finds its own.
func TestAProcessKeepsWhatItsWorkersShare(t *testing.T) {
	made := 0
	counter := func() *int { made++; return new(int) }
	p, q := NewProcess(), NewProcess()
	*Shared(p, "counter", counter) = 7
	if n := *Shared(p, "counter", counter); n != 7 || made != 1 {
		t.Errorf("the second worker finds %d, and %d were made", n, made)
	}
	if n := *Shared(p, "other", counter); n != 0 {
		t.Errorf("another name has %d", n)
	}
	if n := *Shared(q, "counter", counter); n != 0 {
		t.Errorf("another process has %d", n)
	}
}
