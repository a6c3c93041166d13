package postgres

import (
	"fmt"
	"time"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim/holders"
	"lockquake/sim/postgres/engine"
)

// leaseWatch records who holds the leases of the table leases.
type leaseWatch struct {
	server *Server
	ledger *holders.Ledger
	rows   map[string][]any // by lock
}

func newLeaseWatch(s *Server) *leaseWatch {
	w := &leaseWatch{server: s, rows: map[string][]any{}}
	w.ledger = holders.New(holders.Options{Node: s.node, Now: s.node.Now, Record: s.record, Due: w.due})
	return w
}

// leaseTable is the table of leases. Its columns are name, owner, fence, expires_at.
const leaseTable = "leases"

// committed compares the holders of the leases that a transaction has changed.
func (w *leaseWatch) committed(session *engine.Session, changes []engine.Change) {
	for _, c := range changes {
		if c.Table != leaseTable {
			continue
		}
		key := w.server.lock(leaseTable + "/" + c.Key)
		if key == "" {
			continue
		}
		w.rows[key] = c.New
		cause := holders.Cause{Ends: history.Freed, Asks: true}
		if worker, call := w.server.worker(session); call != nil {
			cause.Worker, cause.Op, cause.Request, cause.Sent = worker, call.Op, call.Request, call.Sent
		}
		for _, v := range c.New {
			cause.Values = append(cause.Values, fmt.Sprint(v))
		}
		w.ledger.Settle(key, holdersOf(c.New), true, &cause)
	}
}

// refused records a request for a lease that another owner has.
func (w *leaseWatch) refused(c *connection, name string) {
	key := w.server.lock(leaseTable + "/" + name)
	if key == "" {
		return
	}
	w.ledger.Settle(key, holdersOf(w.rows[key]), false, &holders.Cause{
		Ends: history.Freed, Worker: c.worker, Op: c.call.Op, Request: c.call.Request, Sent: c.call.Sent, Asks: true,
	})
}

// due ends the leases of a lock that are over.
func (w *leaseWatch) due(key string) {
	w.ledger.Settle(key, holdersOf(w.rows[key]), false, &holders.Cause{Ends: history.Expired})
}

// holdersOf reads the holder of a row of the table, nil for a row that is gone.
func holdersOf(row []any) []lock.Holder {
	if row == nil {
		return nil
	}
	name, _ := row[1].(string)
	fence, _ := row[2].(int64)
	end, _ := row[3].(time.Time)
	return []lock.Holder{{Owner: name, Token: fence, End: end}}
}
