package scenarios

import (
	"slices"
	"strings"

	"lockquake/faults"
	"lockquake/lock"
)

// Meets reports whether a use of a strategy can meet a fault. A strategy that takes no lock asks no server of
// the lock, so it meets no fault of such a server or of a link to one, though the fault happens.
func (s *Scenario) Meets(use Strategy, f faults.Fault) bool {
	isLocks := func(name string) bool { return name == LockNode || strings.HasPrefix(name, LockNode+"-") }
	asksNone := func(e lock.Entry) bool { return e.Name == use.Name && (e.LockFree || e.Name == lock.None().Name) }
	return !slices.ContainsFunc(faults.Names(f), isLocks) || !slices.ContainsFunc(s.entries(), asksNone)
}
