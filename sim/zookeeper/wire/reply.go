package wire

import (
	"fmt"
	"time"
)

// Stat describes a znode. A zxid is the number of a transaction.
type Stat struct {
	Czxid, Mzxid   int64 // of the creation and of the last change of the data
	Pzxid          int64 // of the last creation or deletion of a child, or of the creation
	Ctime, Mtime   int64 // ms since 1970, by the clock of the leader
	Version        int32 // changes of the data
	Cversion       int32 // creations and deletions of children
	EphemeralOwner int64 // the session that the znode ends with; 0: none
	DataLength     int32
	NumChildren    int32
}

// EventType is the type of a watch event.
type EventType int32

// The types, with the numbers of org.apache.zookeeper.Watcher.Event.EventType.
const (
	NodeCreated         EventType = 1
	NodeDeleted         EventType = 2
	NodeDataChanged     EventType = 3
	NodeChildrenChanged EventType = 4
)

func (t EventType) String() string {
	switch t {
	case NodeCreated:
		return "created"
	case NodeDeleted:
		return "deleted"
	case NodeDataChanged:
		return "data changed"
	case NodeChildrenChanged:
		return "children changed"
	}
	return fmt.Sprintf("event %d", int32(t))
}

// Event tells a client that a watch has fired.
type Event struct {
	Type EventType
	Path string
}

// Result is the result of one operation of a multi.
type Result struct {
	Code CodeError
	Path string // of a create
	Stat Stat   // of a setData
}

// Reply is the reply to a request, or a watch event.
type Reply struct {
	Xid   int32
	Event *Event // nil: it is the reply to a request
	// Closed means that the server closes the connection.
	Closed bool
	Zxid   int64 // the last transaction that the member had applied
	Code   CodeError

	Path     string // of a create
	Data     string
	Children []string
	Stat     Stat
	Results  []Result // of a multi

	// Of Connect. A session of 0 means that the session has expired.

	Session  int64
	Password uint64
	Timeout  time.Duration
}

// AppendTrace implements the payload of a trace.
func (r *Reply) AppendTrace(b []byte) []byte {
	if r.Event != nil {
		return fmt.Appendf(b, "%v %s", r.Event.Type, r.Event.Path)
	}
	if r.Closed {
		return append(b, "closed"...)
	}
	b = fmt.Appendf(b, "%d %v zxid %x", r.Xid, r.Code, r.Zxid)
	if r.Path != "" {
		b = append(append(b, ' '), r.Path...)
	}
	for _, name := range r.Children {
		b = append(append(b, ' '), name...)
	}
	if r.Timeout != 0 {
		b = fmt.Appendf(b, " session %x %v", r.Session, r.Timeout)
	}
	return b
}
