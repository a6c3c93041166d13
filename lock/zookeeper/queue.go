package zookeeper

import (
	"slices"
	"strconv"
	"strings"

	"lockquake/lock"
)

// root is the parent of the znodes of all locks.
const root = "/locks"

// dirOf returns the znode of a lock, whose children are the contenders. A slash would be a level of
// its own.
func dirOf(key string) string { return root + "/" + strings.ReplaceAll(key, "/", "|") }

// kind is the kind of a contender, a part of the name of its znode.
type kind string

// The kinds.
const (
	writer kind = "lock"
	reader kind = "read"
)

// digits is the length of the sequence number at the end of a name.
const digits = 10

// contender is a znode in the queue of a lock.
type contender struct {
	name   string
	number int64
	kind   kind
}

// contenders returns the queue in its order. Znodes of other names do not count.
func contenders(names []string) []contender {
	var queue []contender
	for _, name := range names {
		if len(name) < digits {
			continue
		}
		n, err := strconv.ParseInt(name[len(name)-digits:], 10, 64)
		if err != nil {
			continue
		}
		c := contender{name, n, writer}
		if strings.HasSuffix(name[:len(name)-digits], "-"+string(reader)+"-") {
			c.kind = reader
		}
		queue = append(queue, c)
	}
	slices.SortFunc(queue, func(a, b contender) int { return int(a.number - b.number) })
	return queue
}

// blocker returns the contender for whose end a contender waits, "" if it has the lock: for a reader
// the last writer before it, for others the last one before it, unless there are permits for all before
// it. The second result reports whether the contender is in the queue.
func blocker(queue []contender, own string, permits int) (before string, queued bool) {
	i := slices.IndexFunc(queue, func(c contender) bool { return c.name == own })
	if i < 0 {
		return "", false
	}
	if i < permits {
		return "", true
	}
	for _, c := range slices.Backward(queue[:i]) {
		if c.kind == writer || queue[i].kind == writer {
			return c.name, true
		}
	}
	return "", true
}

// holders reads the holders of a lock: the first contender, or all readers in front of the first
// writer, or as many of the first ones as there are permits. The value of a member is the zxid of its creation.
func holders(s lock.State) ([]lock.Holder, error) {
	var list []lock.Holder
	record := s.Record(dirOf(s.Key))
	var names []string
	for _, m := range record.Members {
		names = append(names, m.Name)
	}
	for i, c := range contenders(names) {
		if s.Permits > 0 && i == s.Permits {
			break
		}
		if s.Permits == 0 && i > 0 && (c.kind == writer || list[0].Mode == lock.ModeExclusive) {
			break
		}
		token, err := strconv.ParseInt(record.Field(c.name), 10, 64)
		if err != nil {
			return nil, err
		}
		h := lock.Holder{Owner: c.name, Token: token}
		if c.kind == reader || s.Permits > 0 {
			h.Mode = lock.ModeShared
		}
		list = append(list, h)
	}
	return list, nil
}
