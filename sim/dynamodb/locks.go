package dynamodb

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"lockquake/history"
	"lockquake/lock"
	"lockquake/sim"
	"lockquake/sim/dynamodb/attribute"
	"lockquake/sim/dynamodb/table"
	"lockquake/sim/holders"
)

// watch records the events of the locks. After each request it reads the holders of the locks whose
// items the request named.
type watch struct {
	server *Server
	ledger *holders.Ledger
}

func newWatch(s *Server) *watch {
	w := &watch{server: s}
	o := holders.Options{Node: s.node, Now: s.node.Now, Record: s.record, Due: func(key string) {
		w.compare(key, false, &holders.Cause{Ends: history.Expired})
	}}
	if s.locks.Guess {
		o.Doubted = func(key, why string) { s.locks.Unread(key, why) }
	}
	w.ledger = holders.New(o)
	return w
}

// settle records what a request has done to the locks whose items it named.
func (w *watch) settle(c *sim.Call, r *table.Request, a *table.Answer) {
	values := texts(nil, attribute.Value{Kind: attribute.Map, Map: r.ExpressionAttributeValues})
	cause := holders.Cause{
		Ends: history.Freed, Worker: c.Worker, Op: c.Op, Request: c.Request, Sent: c.Sent,
		Values: texts(values, attribute.Value{Kind: attribute.Map, Map: r.Item}), Names: w.server.locks.Holders != nil,
		Asks: c.Op == "acquire" && asks(r, a),
	}
	cause.Own = cause.Values
	for _, record := range named(r) {
		if name := w.server.locks.Of(record); name != "" {
			changed := slices.ContainsFunc(a.Changes, func(c table.Change) bool {
				return c.Table+"/"+c.Key == record && !c.Old.Equal(c.New)
			})
			w.compare(name, changed, &cause)
		}
	}
}

// asks reports whether a request asks for the lock: it is a write that was executed, or whose condition
// did not hold.
func asks(r *table.Request, a *table.Answer) bool {
	return r.Operation != table.GetItem && (a.Failure == nil || a.Failure.Code() == table.ConditionFailed || a.Failure.Code() == table.Cancelled)
}

// named lists the records of the items that a request names.
func named(r *table.Request) []string {
	if r.Operation == table.TransactWriteItems {
		var all []string
		for _, part := range r.TransactItems {
			for _, kind := range slices.Sorted(maps.Keys(part)) {
				if part[kind] != nil {
					all = append(all, named(part[kind])...)
				}
			}
		}
		return all
	}
	key := r.Key
	if key == nil {
		key = r.Item
	}
	return []string{r.TableName + "/" + key["name"].Text}
}

// texts appends the strings and numbers in a value.
func texts(to []string, v attribute.Value) []string {
	switch v.Kind {
	case attribute.String, attribute.Number:
		return append(to, v.Text)
	case attribute.List:
		for _, e := range v.List {
			to = texts(to, e)
		}
	case attribute.Map:
		for _, name := range slices.Sorted(maps.Keys(v.Map)) {
			to = texts(to, v.Map[name])
		}
	case attribute.Binary, attribute.Bool, attribute.Null:
	}
	return to
}

// ended handles an item that is gone without a request.
func (w *watch) ended(record string, how history.Type) {
	if name := w.server.locks.Of(record); name != "" {
		w.compare(name, true, &holders.Cause{Ends: how})
	}
}

// lost ends all grants, since the items are gone.
func (w *watch) lost() {
	for _, name := range slices.Sorted(slices.Values(w.ledger.Keys())) {
		w.compare(name, true, &holders.Cause{Ends: history.Evicted})
	}
}

// compare compares the holders of a lock with those before. Changed says whether its items have changed.
func (w *watch) compare(name string, changed bool, c *holders.Cause) {
	l := &w.server.locks
	state := lock.State{Key: name, Now: w.server.node.Now(), Permits: l.Permits}
	records := []string{name}
	if l.Records != nil {
		records = l.Records(name)
	}
	for _, record := range records {
		if r := w.record(record); r.Kind != lock.RecordAbsent {
			state.Records = append(state.Records, r)
		}
	}
	read := l.Holders
	if read == nil {
		read = lock.ReadHolders
	}
	now, err := read(state)
	if err != nil {
		l.Unread(name, err.Error())
		return
	}
	w.ledger.Settle(name, now, changed, c)
}

// record returns an item as a record: a hash whose fields are its strings, numbers and booleans.
func (w *watch) record(name string) lock.Record {
	r := lock.Record{Name: name}
	_, key, _ := strings.Cut(name, "/")
	item := w.server.store.Item(LockTable, key)
	if item == nil || name != LockTable+"/"+key {
		return r
	}
	r.Kind = lock.RecordHash
	for _, field := range slices.Sorted(maps.Keys(item)) {
		m := lock.Member{Name: field, Value: item[field].Text}
		if item[field].Kind == attribute.Bool {
			m.Value = strconv.FormatBool(item[field].Bool)
		}
		r.Members = append(r.Members, m)
	}
	return r
}
