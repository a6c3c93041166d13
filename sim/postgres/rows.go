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

// rowTables lists the tables whose rows name a holder.
func rowTables() []string { return []string{"jobs", "leases"} }

// readHolders reads the holder of a row. It reports whether the rows of the table name one.
func readHolders(table string, row []any) (held []lock.Holder, ok bool) {
	switch {
	case table != "jobs" && table != "leases":
		return nil, false
	case row == nil:
		return nil, true
	case table == "jobs":
		return jobHolders(row), true
	}
	return leaseHolders(row), true
}

// committed compares the holders of the rows that a transaction has changed.
func (w *rowWatch) committed(session *engine.Session, changes []engine.Change) {
	for _, c := range changes {
		held, ok := readHolders(c.Table, c.New)
		if !ok {
			continue
		}
		key := w.server.options.Locks.Of(c.Table + "/" + c.Key)
		if key == "" {
			continue
		}
		w.held[key] = held
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
	for _, table := range rowTables() {
		if key := w.server.options.Locks.Of(table + "/" + name); key != "" {
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
	for _, table := range rowTables() {
		for _, row := range w.server.db.Rows(table) {
			if key := w.server.options.Locks.Of(table + "/" + row[0].(string)); key != "" {
				w.held[key], _ = readHolders(table, row)
				keys[key] = true
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
