package wire

import (
	"fmt"
	"strconv"
	"time"
)

// Kind is the kind of a request.
type Kind string

// The kinds of requests.
const (
	Connect    Kind = "connect" // the first request of a connection
	Close      Kind = "close"   // ends the session
	Ping       Kind = "ping"
	Sync       Kind = "sync"
	SetWatches Kind = "setWatches" // sets the watches again after a reconnect

	Create  Kind = "create"
	Delete  Kind = "delete"
	SetData Kind = "setData"
	Check   Kind = "check" // only in a multi
	Multi   Kind = "multi"

	Exists   Kind = "exists"
	GetData  Kind = "getData"
	Children Kind = "getChildren"
)

// Mode is the mode of a new znode.
type Mode int32

// The modes. A sequential znode gets the number of znodes that its parent has ever had as the end of
// its name.
const (
	Persistent          Mode = 0
	Ephemeral           Mode = 1
	Sequential          Mode = 2
	EphemeralSequential Mode = 3
)

// Op is an operation that changes a znode.
type Op struct {
	Kind    Kind // Create, Delete, SetData or Check
	Path    string
	Data    string
	Version int32 // the version that the znode must have; -1: any
	Mode    Mode
}

// Request is a request of a client.
type Request struct {
	Xid int32 // the reply has the same
	Op
	Watch bool // of Exists, GetData and Children: leave a watch
	Ops   []Op // of Multi

	Seen int64 // of Connect and SetWatches: the last zxid that the client has seen

	// Of Connect. A client without a session sends 0.

	Session  int64
	Password uint64
	Timeout  time.Duration

	// Of SetWatches: the paths of the watches.

	DataWatches, ExistWatches, ChildWatches []string
}

// Writes reports whether the request goes through the leader as a transaction.
func (r *Request) Writes() bool {
	switch r.Kind {
	case Create, Delete, SetData, Multi, Close:
		return true
	default:
		return false
	}
}

// AppendTrace implements the payload of a trace.
func (r *Request) AppendTrace(b []byte) []byte {
	b = fmt.Appendf(b, "%d ", r.Xid)
	switch r.Kind {
	case Connect:
		return fmt.Appendf(b, "connect %x %v seen %x", r.Session, r.Timeout, r.Seen)
	case SetWatches:
		return fmt.Appendf(b, "setWatches %q %q %q since %x", r.DataWatches, r.ExistWatches, r.ChildWatches, r.Seen)
	case Multi:
		b = append(b, "multi"...)
		for i := range r.Ops {
			b = r.Ops[i].append(append(b, ' '))
		}
		return b
	default:
	}
	b = r.append(b)
	if r.Watch {
		b = append(b, " watch"...)
	}
	return b
}

func (o *Op) append(b []byte) []byte {
	b = append(append(b, o.Kind...), ' ')
	b = append(b, o.Path...)
	switch o.Kind {
	case Create:
		b = fmt.Appendf(b, " %q mode %d", o.Data, o.Mode)
	case SetData:
		b = fmt.Appendf(b, " %q version %d", o.Data, o.Version)
	case Delete, Check:
		b = strconv.AppendInt(append(b, " version "...), int64(o.Version), 10)
	default:
	}
	return b
}
