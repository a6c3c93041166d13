package holders

import (
	"slices"
	"strings"
	"time"
)

// names reports whether a command with these values speaks of an owner. A document
// has it in the middle.
func names(values []string, owner string) bool {
	return slices.ContainsFunc(values, func(value string) bool { return isNamed(value, owner) })
}

func isNamed(value, owner string) bool {
	const short = 4 // may be in the middle of anything
	return value == owner || len(owner) > short && strings.Contains(value, owner)
}

// waiter is a worker whose command may have been that of one who waits for the
// lock: to be told of, or to be put into a queue.
type waiter struct{ key, worker string }

// named is a value that it named, and when it last sent a command that did.
type named struct {
	value string
	sent  time.Duration
}

// most is how many values of a waiter are kept, the latest ones.
const most = 64

// remember notes what a command named.
func (l *Ledger) remember(key string, c *Cause) {
	who := waiter{key, c.Worker}
	list := l.waiting[who]
	if !c.Names {
		list = list[:0]
	}
	for _, value := range c.Values {
		i := -1
		if c.Names {
			i = slices.IndexFunc(list, func(n named) bool { return n.value == value })
		}
		if i < 0 {
			list = append(list, named{value, c.Sent})
		} else {
			list[i].sent = max(list[i].sent, c.Sent)
		}
	}
	l.waiting[who] = slices.Delete(list, 0, max(0, len(list)-most))
}

// waiter returns the worker that has named an owner, and when it last did, if
// there is exactly one.
func (l *Ledger) waiter(key, owner string) (worker string, sent time.Duration, found bool) {
	for who, list := range l.waiting {
		i := slices.IndexFunc(list, func(n named) bool { return isNamed(n.value, owner) })
		switch {
		case who.key != key || i < 0:
		case found:
			return "", 0, false
		default:
			worker, sent, found = who.worker, list[i].sent, true
		}
	}
	return worker, sent, found
}
