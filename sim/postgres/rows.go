package postgres

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim/holders"
	"lockquake/sim/postgres/engine"
)

// rowWatch records who holds the locks whose holder is written in a row: leases, and the claims of
// jobs.
type rowWatch struct {
	server *Server
	ledger *holders.Ledger
	held   map[string][]lock.Holder // by lock
	given  map[string]string        // the worker that an owner's row was written for
}

func newRowWatch(s *Server) *rowWatch {
	w := &rowWatch{server: s, held: map[string][]lock.Holder{}, given: map[string]string{}}
	w.ledger = holders.New(holders.Options{Node: s.node, Now: s.node.Now, Record: s.record, Due: w.due})
	return w
}

// readers read the holder of a row, by its table.
func readers() map[string]func(row []any) []lock.Holder {
	return map[string]func(row []any) []lock.Holder{"leases": leaseHolders, "jobs": jobHolders}
}

// committed compares the holders of the rows that a transaction has changed.
func (w *rowWatch) committed(session *engine.Session, changes []engine.Change) {
	for _, c := range changes {
		read := readers()[c.Table]
		if read == nil {
			continue
		}
		key := w.server.lock(c.Table + "/" + c.Key)
		if key == "" {
			continue
		}
		w.held[key] = nil
		if c.New != nil {
			w.held[key] = read(c.New)
		}
		cause := holders.Cause{Ends: history.Freed, Asks: true}
		if worker, _ := w.server.worker(session); worker != "" {
			for _, h := range w.held[key] {
				if w.given[h.Owner] == "" {
					w.given[h.Owner] = worker
				}
			}
		}
		if worker, call := w.server.worker(session); call != nil {
			cause.Worker, cause.Op, cause.Request, cause.Sent = worker, call.Op, call.Request, call.Sent
			if call.Op == "reap" { // the claim was too old
				cause.Ends = history.Expired
			}
		}
		for _, v := range c.New {
			cause.Values = append(cause.Values, fmt.Sprint(v))
		}
		w.ledger.Settle(key, w.held[key], true, &cause)
	}
}

// refused records a request for a row that another owner has.
func (w *rowWatch) refused(c *connection, name string) {
	for _, table := range slices.Sorted(maps.Keys(readers())) {
		if key := w.server.lock(table + "/" + name); key != "" {
			w.ledger.Settle(key, w.held[key], false, &holders.Cause{
				Ends: history.Freed, Worker: c.worker, Op: c.call.Op, Request: c.call.Request, Sent: c.call.Sent, Asks: true,
			})
		}
	}
}

// due ends the leases of a lock that are over.
func (w *rowWatch) due(key string) {
	w.ledger.Settle(key, w.held[key], false, &holders.Cause{Ends: history.Expired})
}

// inherit takes over the locks of another server, of which this one has a copy, perhaps an older one.
func (w *rowWatch) inherit(from *rowWatch) {
	w.ledger.Inherit(from.ledger)
	w.given = from.given
	keys := map[string]bool{}
	for key := range from.held {
		keys[key] = true
	}
	for table, read := range readers() {
		for _, row := range w.server.db.Rows(table) {
			if key := w.server.lock(table + "/" + row[0].(string)); key != "" {
				w.held[key], keys[key] = read(row), true
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		cause := holders.Cause{Ends: history.Evicted, Restored: true}
		for _, h := range w.held[key] {
			cause.Given = append(cause.Given, holders.Given{Owner: h.Owner, Worker: w.given[h.Owner]})
		}
		w.ledger.Settle(key, w.held[key], true, &cause)
	}
}

// lost ends all leases and claims, since their rows are gone.
func (w *rowWatch) lost() {
	for _, key := range slices.Sorted(maps.Keys(w.held)) {
		w.held[key] = nil
		w.ledger.Settle(key, nil, true, &holders.Cause{Ends: history.Evicted})
	}
}

// leaseHolders reads a row with the columns name, owner, fence, expires_at.
func leaseHolders(row []any) []lock.Holder {
	name, _ := row[1].(string)
	fence, _ := row[2].(int64)
	end, _ := row[3].(time.Time)
	return []lock.Holder{{Owner: name, Token: fence, End: end}}
}

// jobHolders reads a row with the columns name, status, worker, attempts, priority, created_at,
// claimed_at, expires_at. A claim that never expires has no end.
func jobHolders(row []any) []lock.Holder {
	if row[1] != "processing" {
		return nil
	}
	const expiresAt = 7
	end, _ := row[expiresAt].(time.Time)
	return []lock.Holder{{Owner: fmt.Sprint(row[2]), End: end}}
}
