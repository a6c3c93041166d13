package history

import (
	"fmt"
	"slices"
)

// holders are the owners of the grants that the lock servers have given and not
// ended. A lock can have several: readers, permits.
type holders map[lockPlace][]string

// lockPlace is a lock as one of its servers knows it.
type lockPlace struct{ node, key string }

// add follows a grant, a renewal or an end. It returns an error for what no
// server can do: give the same owner a grant that it has, and renew or end
// one that nobody has. An event without an owner is about every grant of its place, and
// one that is late is about a lease that was over.
func (h holders) add(e *Event) error {
	p := lockPlace{e.Node, e.Key}
	held := h[p]
	i := slices.Index(held, e.Owner)
	if e.Type == Granted {
		if e.Owner != "" && i >= 0 {
			return fmt.Errorf("%s of %s to %s, which has it: its last grant has not ended", e.Type, e.Key, e.Owner)
		}
		h[p] = append(held, e.Owner)
		return nil
	}
	switch unknown := slices.Contains(held, ""); {
	case e.Late && i < 0:
		if e.Type == Renewed {
			h[p] = append(held, e.Owner)
		}
	case len(held) == 0:
		return fmt.Errorf("%s of %s, which nobody holds: the grant is missing, or its end is there twice", e.Type, e.Key)
	case e.Owner != "" && i < 0 && !unknown:
		return fmt.Errorf("%s of %s of %s, and %s holds it", e.Type, e.Key, e.Owner, held[0])
	case e.Type == Renewed:
	case e.Owner == "" || i < 0:
		delete(h, p)
	default:
		h[p] = slices.Delete(held, i, i+1)
	}
	return nil
}
