package holders

import (
	"slices"
	"strings"
	"time"
)

// names reports whether one of the values contains the owner. The owner may be inside a longer
// value, such as a document.
func names(values []string, owner string) bool {
	return slices.ContainsFunc(values, func(value string) bool { return isNamed(value, owner) })
}

func isNamed(value, owner string) bool {
	const short = 4 // a short owner may be part of any value by chance
	return value == owner || len(owner) > short && strings.Contains(value, owner)
}

// waiter is a worker whose command may have been that of a waiter for the lock: to be notified, or
// to join a queue. If another worker's command later makes one of its values the owner, the lock
// was handed over to it. For example:
//
//	10.0 s  A sets "A"                              granted to A
//	10.5 s  B pushes "B" to the lock's queue        B named "B"
//	12.0 s  A's release pops "B" and sets it        freed by A, granted to B
type waiter struct{ key, worker string }

// namedValue is a value that a waiter named, and when it last sent a command with it.
type namedValue struct {
	value string
	sent  time.Duration
}

// maxNamed is how many values of a waiter are kept, the latest ones.
const maxNamed = 64

// remember records the values of a command.
func (l *Ledger) remember(key string, c *Cause) {
	who := waiter{key, c.Worker}
	kept := l.waiting[who]
	if kept == nil {
		kept = &[]namedValue{}
		l.waiting[who] = kept
	}
	list := *kept
	if !c.Names {
		list = list[:0]
	}
	for _, value := range c.Values {
		i := -1
		if c.Names {
			i = slices.IndexFunc(list, func(n namedValue) bool { return n.value == value })
		}
		if i < 0 {
			list = append(list, namedValue{value, c.Sent})
		} else {
			list[i].sent = max(list[i].sent, c.Sent)
		}
	}
	*kept = slices.Delete(list, 0, max(0, len(list)-maxNamed))
}

// waiter returns the worker that has named an owner, and when it last did, if there is exactly one
// such worker.
func (l *Ledger) waiter(key, owner string) (worker string, sent time.Duration, found bool) {
	for who, list := range l.waiting {
		i := slices.IndexFunc(*list, func(n namedValue) bool { return isNamed(n.value, owner) })
		switch {
		case who.key != key || i < 0:
		case found:
			return "", 0, false
		default:
			worker, sent, found = who.worker, (*list)[i].sent, true
		}
	}
	return worker, sent, found
}
