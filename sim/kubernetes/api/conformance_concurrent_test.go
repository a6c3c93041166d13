package api

import (
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"lockquake/internal/servers"
	"lockquake/lock/kubernetes"
)

// storeModel says that a Lease behaves as in a store. Its state is the Lease, the zero value if there is none. A
// write has the UID and the resource version of the real answer, which must be higher than the one before.
func storeModel() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return kubernetes.Lease{} },
		Step: func(state, input, output any) (bool, any) {
			old, r, got := state.(kubernetes.Lease), input.(*Request), output.(*Response)
			store := New()
			if old.Name != "" {
				store.leases[old.Name] = old
			}
			want := store.Do(r)
			l, there := store.Lease(r.Lease.Name)
			if there && l != old {
				if number(got.Lease.ResourceVersion) <= number(old.ResourceVersion) {
					return false, old
				}
				l.ResourceVersion = got.Lease.ResourceVersion
				if old.Name == "" {
					l.UID = got.Lease.UID
				}
				want.Lease = l
			}
			answer := *got
			if got.Reason == kubernetes.ReasonConflict {
				answer.Message = want.Message // it depends on which check of the server has found the conflict
			}
			return *want == answer, l
		},
		Equal: func(a, b any) bool { return a == b },
	}
}

func number(version string) uint64 {
	n, _ := strconv.ParseUint(version, 10, 64)
	return n
}

// checkConcurrentClients lets several clients write one Lease at the same time. Some order of their requests explains
// all answers of the real server, if each request has the answer of the store.
func (r *real) checkConcurrentClients(t *testing.T) {
	first, last := servers.Sequences(t)
	const each = 8
	met := map[int]int{}
	for seed := first; seed <= last; seed++ {
		var mu sync.Mutex
		var exchanges []porcupine.Operation
		began := time.Now()
		var all sync.WaitGroup
		for n := range clients {
			g := newGenerator(seed, n+1)
			all.Go(func() {
				var seen kubernetes.Lease // the last one that the client has seen
				for range each {
					request := g.lockRequest(seen)
					called := time.Since(began)
					response, err := r.do(n, request)
					if err != nil {
						t.Error(err)
						return
					}
					returned := time.Since(began)
					if response.Lease.ResourceVersion != "" {
						seen = response.Lease
					}
					mu.Lock()
					met[response.Code]++
					exchanges = append(exchanges, porcupine.Operation{
						ClientId: n, Input: request, Call: int64(called), Output: response, Return: int64(returned),
					})
					mu.Unlock()
				}
			})
		}
		all.Wait()
		if t.Failed() {
			return
		}
		if !porcupine.CheckOperations(storeModel(), exchanges) {
			for _, x := range exchanges {
				t.Logf("%d %d-%d %+v: %+v", x.ClientId, x.Call, x.Return, x.Input, x.Output)
			}
			t.Fatalf("sequence %d: no order of the requests explains the answers", seed)
		}
	}
	t.Logf("answers by their code: %v", met)
	for _, code := range []int{200, 201, 404, 409} {
		if met[code] == 0 {
			t.Errorf("no answer had the code %d", code)
		}
	}
}

// lockRequest draws a request of a candidate that has seen a Lease before.
func (g *generator) lockRequest(seen kubernetes.Lease) *Request {
	spec := valid()
	spec.HolderIdentity = pick(g, "A", "B", "C", "")
	spec.LeaseTransitions = int32(g.IntN(1000))
	fresh := kubernetes.Lease{Name: g.prefix + "concurrent", Spec: spec}
	known := fresh
	known.ResourceVersion, known.UID = seen.ResourceVersion, seen.UID
	blind := known
	blind.UID = ""
	condition := kubernetes.Lease{Name: fresh.Name, UID: pick(g, seen.UID, ""), ResourceVersion: pick(g, seen.ResourceVersion, "")}
	return pick(g,
		&Request{Get, kubernetes.Lease{Name: fresh.Name}}, &Request{Get, kubernetes.Lease{Name: fresh.Name}},
		&Request{Create, fresh}, &Request{Create, fresh},
		&Request{Update, known}, &Request{Update, known}, &Request{Update, known}, &Request{Update, blind},
		&Request{Delete, condition})
}
