package zookeeper_test

import (
	"math/rand/v2"
	"strconv"

	"lockquake/sim/zookeeper/wire"
)

// generator makes random sequences.
type generator struct{ *rand.Rand }

func (g generator) pick(words ...string) string { return words[g.IntN(len(words))] }

// sequence makes a sequence of one to four sessions. In one of ten, sessions may expire.
func (g generator) sequence() sequence {
	s := sequence{timeout: usualTimeout}
	sessions := []string{"a", "b", "c", "d"}[:1+g.IntN(4)]
	for _, name := range sessions {
		s.steps = append(s.steps, step{session: name, action: actOpen})
	}
	const oneIn = 10
	if g.IntN(oneIn) == 0 {
		s.timeout = shortTimeout
	}
	for range 8 + g.IntN(30) {
		st := g.step()
		st.session = g.pick(sessions...)
		s.steps = append(s.steps, st)
	}
	if s.timeout == shortTimeout {
		at := len(sessions) + g.IntN(len(s.steps)-len(sessions))
		end := at + 1 + g.IntN(len(s.steps)-at)
		victim := g.pick(sessions...)
		var steps []step
		steps = append(steps, s.steps[:at]...)
		steps = append(steps, step{session: victim, action: actCut}, step{session: victim, action: actExpire})
		steps = append(steps, s.steps[at:end]...)
		steps = append(steps, step{session: victim, action: actHeal})
		s.steps = append(steps, s.steps[end:]...)
	}
	return s
}

func (g generator) path() string {
	return g.pick("/a", "/a", "/b", "/a/c", "/a/c", "/a/d", "/a/c/e", "/b/f", "/")
}

func (g generator) step() step {
	const lifecycle = 25 // one step of 25 is one of the session
	if g.IntN(lifecycle) == 0 {
		return step{action: g.pick(actOpen, actClose, actDrop, actDrop)}
	}
	const watched = 3
	st := step{path: g.path(), watch: g.IntN(watched) == 0}
	switch kind := wire.Kind(g.pick("create", "create", "create", "delete", "setData", "exists", "getData", "getChildren", "sync", "multi")); kind {
	case wire.Multi:
		st = step{action: string(kind)}
		for range 1 + g.IntN(4) {
			st.ops = append(st.ops, g.write(wire.Kind(g.pick("create", "create", "delete", "setData", "check"))).op())
		}
	case wire.Create, wire.Delete, wire.SetData:
		return g.write(kind)
	default:
		st.action = string(kind)
	}
	return st
}

func (g generator) write(kind wire.Kind) step {
	st := step{action: string(kind), path: g.path(), version: -1, data: strconv.Itoa(g.IntN(1000))}
	if kind == wire.Create {
		st.mode = modes()[g.pick("p", "p", "e", "s", "es")]
	}
	const versioned = 2
	if g.IntN(versioned) == 0 {
		st.version = int32(g.IntN(3))
	}
	for st.path == "/" {
		st.path = g.path()
	}
	return st
}
