package history

import (
	"fmt"
	"slices"
)

// holders has the owners of the open grants of each lock and server. A lock can have several, such
// as readers.
type holders map[lockPlace][]string

// lockPlace is a lock on one server.
type lockPlace struct{ node, key string }

// add applies a grant, a renewal or an end. It returns an error if no server can have done that:
// granting a lock to an owner that has it, or renewing or ending a grant that does not exist. An
// event without an owner affects every grant of the lock, and a late event affects an expired
// lease.
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
		return fmt.Errorf("%s of %s, which no owner holds: the grant is missing, or its end appears twice", e.Type, e.Key)
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
