package zookeeper_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockquake/sim/zookeeper/wire"
)

// step is one thing that a session does, or that is done to it.
type step struct {
	session string // "a", "b", ...
	action  string
	path    string // without the root of the sequence
	data    string
	version int32
	mode    wire.Mode
	watch   bool
	ops     []wire.Op
}

// sequence is a list of steps.
type sequence struct {
	steps   []step
	timeout time.Duration // of all sessions
}

// The actions that are no requests.
const (
	actOpen   = "open"   // opens the session
	actClose  = "close"  // closes it
	actDrop   = "drop"   // breaks its connection, and waits until it has another one
	actCut    = "cut"    // loses all messages of its client
	actHeal   = "heal"   // ends that, and waits until it is connected
	actExpire = "expire" // waits until the session of a client that is cut off has expired
)

// modes names the modes of a new znode.
func modes() map[string]wire.Mode {
	return map[string]wire.Mode{"p": wire.Persistent, "e": wire.Ephemeral, "s": wire.Sequential, "es": wire.EphemeralSequential}
}

func (s step) String() string {
	words := []string{s.session, s.action}
	if s.path != "" {
		words = append(words, s.path)
	}
	switch wire.Kind(s.action) {
	case wire.Create:
		for name, mode := range modes() {
			if mode == s.mode {
				words = append(words, name)
			}
		}
	case wire.Delete, wire.SetData:
		words = append(words, strconv.Itoa(int(s.version)))
	case wire.Multi:
		for _, op := range s.ops {
			words = append(words, fmt.Sprintf("[%s %s %d mode %d]", op.Kind, op.Path, op.Version, op.Mode))
		}
	default:
	}
	if s.watch {
		words = append(words, "watch")
	}
	return strings.Join(words, " ")
}

func (s sequence) String() string {
	var lines []string
	for _, st := range s.steps {
		lines = append(lines, st.String())
	}
	return strings.Join(lines, "\n")
}

// parse reads steps like "a create /x e", one a line. A multi has its operations behind it,
// separated by semicolons.
func parse(text string) sequence {
	s := sequence{timeout: usualTimeout}
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		if words[1] == actExpire {
			s.timeout = shortTimeout
		}
		if wire.Kind(words[1]) == wire.Multi {
			st := step{session: words[0], action: words[1]}
			for op := range strings.SplitSeq(strings.Join(words[2:], " "), ";") {
				st.ops = append(st.ops, parseStep(append([]string{words[0]}, strings.Fields(op)...)).op())
			}
			s.steps = append(s.steps, st)
			continue
		}
		s.steps = append(s.steps, parseStep(words))
	}
	return s
}

func parseStep(words []string) step {
	st := step{session: words[0], action: words[1], version: -1}
	if len(words) > 2 {
		st.path = words[2]
	}
	for _, word := range words[min(3, len(words)):] {
		mode, isMode := modes()[word]
		n, err := strconv.Atoi(word)
		switch {
		case isMode:
			st.mode = mode
		case word == "watch":
			st.watch = true
		case err == nil:
			st.version = int32(n)
		default:
			st.data = word
		}
	}
	return st
}

func (s step) op() wire.Op {
	return wire.Op{Kind: wire.Kind(s.action), Path: s.path, Data: s.data, Version: s.version, Mode: s.mode}
}

// notes collects what one side shows of a sequence.
type notes struct {
	root  string
	base  int64            // the zxid of the creation of the root
	names map[int64]string // sessions by their IDs
	lines []string
	heard map[string][]string // by session, since the last step
}

func newNotes(root string) *notes {
	return &notes{root: root, names: map[int64]string{}, heard: map[string][]string{}}
}

// hear notes an event of a session.
func (n *notes) hear(session, what string) {
	list := n.heard[session]
	if len(list) > 0 && list[len(list)-1] == what && !strings.Contains(what, "/") {
		return // an attempt to connect that has failed
	}
	n.heard[session] = append(list, what)
}

func (n *notes) event(session string, what wire.EventType, path string) {
	n.hear(session, fmt.Sprintf("%v %s", what, n.short(path)))
}

// end notes the outcome of a step, and the events that it has caused.
func (n *notes) end(s step, format string, args ...any) {
	line := s.String() + ": " + fmt.Sprintf(format, args...)
	for _, session := range []string{"a", "b", "c", "d"} {
		if !s.requests() {
			sortEvents(n.heard[session])
		}
		for _, what := range n.heard[session] {
			line += "\n\t" + session + " " + what
		}
	}
	clear(n.heard)
	n.lines = append(n.lines, line)
}

// requests reports whether a step is a request.
func (s step) requests() bool {
	return !slices.Contains([]string{actOpen, actClose, actDrop, actCut, actHeal, actExpire}, s.action)
}

// sortEvents sorts the watch events behind the states. The server ends the ephemeral znodes of a
// session, and looks at the watches of a new connection, in no particular order.
func sortEvents(list []string) {
	isEvent := func(what string) int { return min(strings.Count(what, "/"), 1) }
	slices.SortStableFunc(list, func(a, b string) int {
		if isEvent(a) == 1 && isEvent(b) == 1 {
			return strings.Compare(a, b)
		}
		return isEvent(a) - isEvent(b)
	})
}

func (n *notes) short(path string) string {
	if path == n.root {
		return "/"
	}
	return strings.TrimPrefix(path, n.root)
}

func (n *notes) full(path string) string {
	if path == "/" {
		return n.root
	}
	return n.root + path
}

// stat writes a Stat with zxids relative to the root, and names of sessions.
func (n *notes) stat(s wire.Stat) string {
	owner := "-"
	if s.EphemeralOwner != 0 {
		owner = n.names[s.EphemeralOwner]
	}
	return fmt.Sprintf("c%d m%d p%d v%d cv%d %s len%d kids%d", s.Czxid-n.base, s.Mzxid-n.base, s.Pzxid-n.base, s.Version, s.Cversion, owner, s.DataLength, s.NumChildren)
}
