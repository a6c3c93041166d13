package faults

import "time"

// Delete lets a third party delete keys, such as an operator or a cleanup script.
type Delete struct{ OnKeys }

// Info implements Fault.
func (*Delete) Info() Info {
	return kind[Delete](Info{
		Kind: "delete", Instant: true, Hits: HitsGrants,
		Doc: "deletes every key of the lock's server that matches a pattern, as a third party would; all locks without a pattern",
	})
}

func (*Delete) places() []Place {
	return []Place{{Name: "delete", Letter: "k", Order: 170, Fault: &Delete{OnKeys{OnServer: OnServer{lockServers}}}, Doc: "a third party deletes every lock"}}
}

func (*Delete) supported(servers any) bool {
	_, can := servers.(interface {
		Delete(node, pattern string) []string
	})
	return can
}

// Apply implements Fault.
func (f *Delete) Apply(on any, _ time.Duration) error {
	type deleter interface {
		Delete(server, key string) error
	}
	return ask(on, f, func(t deleter) error { return t.Delete(f.Target, f.Key) })
}

// Begins implements Fault.
func (*Delete) Begins(s Scene) string { return s.keysGone("deleted") }

// EndsLease implements LeaseEnder.
func (*Delete) EndsLease(worker string) string { return worker + "'s lease is deleted" }
