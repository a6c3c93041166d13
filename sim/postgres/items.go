package postgres

import (
	"maps"
	"slices"

	"lockquake/history"
	"lockquake/sim/backend"
	"lockquake/sim/postgres/engine"
	"lockquake/sim/resource"
)

// items records what happens to the protected resource, the table items. Its columns are name,
// value, version, fence.
type items struct {
	backend.Items
	server   *Server
	requests map[int64]*request // under way, by ID
}

// request is a request to the resource, and the worker that sent it.
type request struct {
	*resource.Request
	worker string
}

const itemTable = "items"

// keep makes the table the protected resource.
func (s *Server) keep(i backend.Items) error {
	s.items = &items{Items: i, server: s, requests: map[int64]*request{}}
	for _, name := range slices.Sorted(maps.Keys(i.Initial)) {
		if err := s.define("INSERT INTO items (name, value) VALUES ($1, $2)", name, i.Initial[name]); err != nil {
			return err
		}
	}
	return nil
}

// value returns the present value of an item.
func (i *items) value(name string) string {
	if row := i.server.db.Row(itemTable, name); row != nil {
		return row[1].(string)
	}
	return ""
}

// mark returns the highest token that an item has seen.
func (i *items) mark(name string) int64 {
	if row := i.server.db.Row(itemTable, name); row != nil {
		return row[3].(int64)
	}
	return 0
}

// committed records what a transaction did to the items. Of several changes of one item the last one
// counts.
func (i *items) committed(changes []engine.Change) {
	first := map[string][]any{} // by item: the row before the transaction
	last := map[string]int{}
	for n, c := range changes {
		if c.Table != itemTable {
			continue
		}
		if _, seen := last[c.Key]; !seen {
			first[c.Key] = c.Old
		}
		last[c.Key] = n
	}
	for n, c := range changes {
		if c.Table != itemTable || last[c.Key] != n {
			continue
		}
		prior := ""
		if old := first[c.Key]; old != nil {
			prior = old[1].(string)
		}
		if r := i.requests[c.Tag]; r != nil {
			i.applied(r, i.value(c.Key), prior, true)
		}
	}
}

// executed handles the result of a statement that executes a request.
func (i *items) executed(r *request, result *engine.Result) {
	switch {
	case result.Err != nil:
		// It has no effect.
	case r.Write && result.Affected == 0, !r.Write && len(result.Rows) == 0 && i.Policy == resource.ReadsWrites:
		i.applied(r, i.value(r.Item), i.value(r.Item), false)
	case !r.Write && i.requests[r.ID] != nil: // a read in a transaction has its value before the commit
		value := ""
		if len(result.Rows) > 0 {
			value, _ = result.Rows[0][0].(string)
		}
		i.applied(r, value, value, true)
	}
}

// applied records the result of a request.
func (i *items) applied(r *request, value, prior string, accepted bool) {
	delete(i.requests, r.ID)
	i.Record(history.Event{
		Type: history.Applied, At: i.server.node.World().Time(), Node: i.server.node.Name(), Worker: r.worker, Request: r.ID,
		Op: r.Op(), Key: r.Item,
		Value: value, Prior: prior, Token: r.Token, Mark: i.mark(r.Item), Accepted: accepted,
	})
}

// begin notes the request of a statement, and returns its ID; 0 if it has none.
func (s *Server) begin(c *connection) int64 {
	if c.data == nil {
		return 0
	}
	if s.items != nil {
		s.items.requests[c.data.ID] = &request{c.data, c.worker}
	}
	return c.data.ID
}

// executed handles the result of a statement.
func (s *Server) executed(c *connection, args []any, r *engine.Result) {
	if c.call == nil {
		return
	}
	if c.data != nil && s.items != nil {
		s.items.executed(&request{c.data, c.worker}, r)
	}
	if r.Err == nil && c.call.Op == "acquire" && len(args) > 0 {
		s.refusals(c, args, r)
	}
}

// refusals records a request for a lock that was refused.
func (s *Server) refusals(c *connection, args []any, r *engine.Result) {
	switch first := args[0].(type) {
	case int64:
		if taken, ok := single(r).(bool); ok && !taken {
			s.locks.refused(c, engine.Advisory(first))
		}
	case string:
		if len(r.Rows) == 0 {
			s.rows.refused(c, first)
			s.locks.refused(c, engine.LockName{Table: "jobs", Key: first})
		}
	}
}

// single returns the only value of a result, nil if there is none.
func single(r *engine.Result) any {
	if len(r.Rows) != 1 || len(r.Rows[0]) != 1 {
		return nil
	}
	return r.Rows[0][0]
}
