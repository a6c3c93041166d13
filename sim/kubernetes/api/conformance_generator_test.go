package api

import (
	"fmt"
	"math/rand/v2"
	"time"

	"lockquake/lock/kubernetes"
)

// generator draws sequences.
type generator struct {
	*rand.Rand
	prefix string // of the names, so that no two sequences share an object
}

func newGenerator(seed, stream int) *generator {
	return &generator{rand.New(rand.NewPCG(uint64(seed), uint64(stream))), fmt.Sprintf("s%d-", seed)}
}

func pick[T any](g *generator, from ...T) T { return from[g.IntN(len(from))] }

func (g *generator) sequence() sequence {
	const least, more = 6, 20
	var s sequence
	spec := g.spec()
	for range least + g.IntN(more) {
		st := step{client: g.IntN(clients), verb: pick(g, Get, Create, Create, Update, Update, Update, Update, Delete), name: g.name(), spec: spec}
		switch st.verb {
		case Get:
			st.spec = kubernetes.LeaseSpec{}
		case Create:
			st.version, st.uid = g.rarely(g.version()), g.rarely(g.uid())
		case Update:
			st.version, st.uid = g.version(), g.uid()
			const changed = 3
			if g.IntN(changed) > 0 { // otherwise, it may change nothing
				spec = g.spec()
				st.spec = spec
			}
		case Delete:
			st.version, st.uid, st.spec = g.rarely(g.version()), g.rarely(g.uid()), kubernetes.LeaseSpec{}
		}
		s = append(s, st)
	}
	return s
}

func (g *generator) name() string {
	const oneIn = 30
	if g.IntN(oneIn) == 0 {
		return g.prefix + pick(g, "A", "_", "a-", "a..b")
	}
	return g.prefix + pick(g, "a", "a", "b", "b.c-1")
}

func (g *generator) rarely(r reference) reference {
	const oneIn = 4
	if g.IntN(oneIn) > 0 {
		return none
	}
	return r
}

func (g *generator) version() reference {
	return pick(g, newest, newest, newest, newest, newest, newest, older, none, literal("0"), literal("1"), literal("x"), literal("-1"))
}

func (g *generator) uid() reference {
	return pick(g, newest, newest, newest, newest, none, none, none, older, literal("x"))
}

func (g *generator) spec() kubernetes.LeaseSpec {
	return kubernetes.LeaseSpec{
		HolderIdentity:       pick(g, "A", "B", "C", ""),
		LeaseDurationSeconds: pick[int32](g, 15, 15, 15, 15, 15, 15, 1, 1, 0, -1),
		LeaseTransitions:     pick[int32](g, 0, 1, 2, 3, 4, 5, 6, 7, 8, -1),
		AcquireTime:          g.time(), RenewTime: g.time(),
	}
}

// time draws a time, sometimes between two microseconds or none.
func (g *generator) time() time.Time {
	const day = 24 * 60 * 60 * 1_000_000_000
	return pick(g, time.Unix(1_800_000_000, 0), time.Unix(1_800_000_000, g.Int64N(day)), time.Unix(0, 1500), time.Time{}).UTC()
}
