package etcd_test

import (
	"fmt"
	"math/rand/v2"

	"lockquake/lock/etcd"
)

// generator draws sequences.
type generator struct {
	*rand.Rand
	rev     int64 // about the present revision
	watches int
	leases  int
}

func (g *generator) sequence() sequence {
	const most = 16
	var s sequence
	for range 4 + g.IntN(most) {
		s = append(s, g.step())
	}
	return s
}

func (g *generator) step() step {
	client := g.IntN(clients)
	switch n := g.IntN(100); {
	case n < 12 && g.watches < 4:
		g.watches++
		w := &etcd.Watch{Keys: g.keys(), PrevKV: g.IntN(2) == 0, NoPut: g.IntN(6) == 0, NoDelete: g.IntN(6) == 0}
		if g.IntN(3) == 0 {
			w.Revision = g.revision()
		}
		return step{client: client, name: fmt.Sprintf("w%d", g.watches), watch: w}
	case n < 15 && g.watches > 0:
		return step{name: fmt.Sprintf("w%d", 1+g.IntN(g.watches))}
	case n < 23:
		g.leases++
		return step{client: client, request: &etcd.Grant{ID: int64(1 + g.IntN(3)), TTL: int64(100 + g.IntN(3))}}
	case n < 28:
		return step{client: client, request: &etcd.Revoke{ID: g.lease()}}
	case n < 30:
		return step{client: client, request: &etcd.KeepAlive{ID: g.lease()}}
	case n < 33:
		return step{client: client, request: &etcd.TimeToLive{ID: g.lease(), Keys: true}}
	case n < 34:
		return step{client: client, request: &etcd.Leases{}}
	case n < 38:
		return step{client: client, request: &etcd.Compact{Revision: g.revision()}}
	case n < 58:
		return step{client: client, request: g.txn(0)}
	}
	return step{client: client, request: g.operation(false)}
}

// operation draws a request about keys.
func (g *generator) operation(inTxn bool) etcd.Request {
	switch n := g.IntN(10); {
	case n < 5:
		g.rev++
		p := &etcd.Put{Key: g.key(), Value: g.value(), PrevKV: g.IntN(4) == 0, IgnoreValue: g.IntN(10) == 0, IgnoreLease: g.IntN(10) == 0}
		if p.IgnoreValue && g.IntN(4) > 0 {
			p.Value = ""
		}
		if g.IntN(3) == 0 && (!p.IgnoreLease || g.IntN(4) == 0) {
			p.Lease = g.lease()
		}
		return p
	case n < 7:
		g.rev++
		return &etcd.Delete{Keys: g.keys(), PrevKV: g.IntN(3) == 0}
	}
	r := &etcd.Range{Keys: g.keys(), KeysOnly: g.IntN(8) == 0, CountOnly: g.IntN(8) == 0, Serializable: g.IntN(4) == 0}
	if g.IntN(3) == 0 {
		r.Limit = int64(1 + g.IntN(3))
	}
	if g.IntN(3) == 0 {
		r.By, r.Order = etcd.Field(g.IntN(5)), etcd.Order(g.IntN(3))
	}
	if g.IntN(3) == 0 && (!inTxn || g.IntN(2) == 0) {
		r.Revision = g.revision()
	}
	for _, bound := range []*int64{&r.MinMod, &r.MaxMod, &r.MinCreate, &r.MaxCreate} {
		if g.IntN(12) == 0 {
			*bound = g.revision()
		}
	}
	return r
}

func (g *generator) txn(depth int) *etcd.Txn {
	t := &etcd.Txn{}
	for range g.IntN(3) {
		t.If = append(t.If, etcd.Compare{
			Keys: g.keys(), Field: etcd.Field(1 + g.IntN(5)), Is: etcd.Relation(g.IntN(4)), Number: int64(g.IntN(4)), Value: g.value(),
		})
	}
	for _, ops := range []*[]etcd.Request{&t.Then, &t.Else} {
		for range g.IntN(4) {
			if depth < 2 && g.IntN(8) == 0 {
				*ops = append(*ops, g.txn(depth+1))
			} else {
				*ops = append(*ops, g.operation(true))
			}
		}
	}
	return t
}

func (g *generator) key() string {
	if g.IntN(60) == 0 {
		return ""
	}
	return fmt.Sprintf("k%d", 1+g.IntN(5))
}

func (g *generator) value() string { return string(rune('a' + g.IntN(4))) }

func (g *generator) lease() int64 { return int64(1 + g.IntN(3)) }

func (g *generator) keys() etcd.Keys {
	switch g.IntN(6) {
	case 0:
		return etcd.Prefix("k")
	case 1:
		return etcd.Keys{Key: g.key(), End: g.key()}
	case 2:
		return etcd.Keys{Key: g.key(), End: etcd.FromKey}
	}
	return etcd.Keys{Key: g.key()}
}

// revision draws a revision around those that exist, which may be compacted or in the future.
func (g *generator) revision() int64 {
	if g.IntN(12) == 0 {
		return g.rev + 2
	}
	return int64(1 + g.IntN(int(g.rev)+1))
}
