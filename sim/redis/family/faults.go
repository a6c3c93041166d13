package family

import (
	"cmp"
	"time"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/sim/backend"
	"lockquake/sim/redis/keyspace"
)

var (
	_ backend.Crasher     = (*cluster)(nil)
	_ backend.Promoter    = (*cluster)(nil)
	_ backend.Deleter     = (*cluster)(nil)
	_ backend.Evictor     = (*cluster)(nil)
	_ backend.StaleReader = (*cluster)(nil)
	_ backend.Refuser     = (*cluster)(nil)
)

// Delete implements backend.Deleter.
func (c *cluster) Delete(node, pattern string) []string { return c.Server(node).Delete(pattern, nil) }

// Evict implements backend.Evictor.
func (c *cluster) Evict(node, pattern string, pick *draw.Draw) []string {
	return c.Server(node).Delete(cmp.Or(pattern, "*"), pick)
}

// SetStale implements backend.StaleReader.
func (c *cluster) SetStale(node string, by time.Duration) { c.Server(node).SetStale(by) }

// Refuses implements backend.Refuser.
func (c *cluster) Refuses() []faults.Code {
	return []faults.Code{faults.CodeReadOnly, faults.CodeLoading, faults.CodeMemory, faults.CodeDisk, faults.CodeClusterDown}
}

// Refuse implements backend.Refuser.
func (c *cluster) Refuse(node string, with faults.Code) {
	c.Server(node).Enter(keyspace.Condition(with))
}

// Accept implements backend.Refuser.
func (c *cluster) Accept(node string, with faults.Code) {
	c.Server(node).Leave(keyspace.Condition(with))
}
