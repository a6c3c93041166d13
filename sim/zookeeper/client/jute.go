package client

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"lockquake/sim/zookeeper/wire"
)

// The numbers of the operations in ZooKeeper's protocol.
const (
	numCreate     = 1
	numDelete     = 2
	numExists     = 3
	numGetData    = 4
	numSetData    = 5
	numChildren   = 8
	numSync       = 9
	numPing       = 11
	numChildren2  = 12
	numClose      = -11
	numSetWatches = 101
)

const (
	eventXid       = -1
	syncConnected  = 3
	passwordLength = 16
)

// errShort is the error of a frame that ends too early.
var errShort = errors.New("zookeeper: a request is too short")

// decoder reads the values of a frame.
type decoder struct {
	rest []byte
	err  error
}

func (d *decoder) take(n int) []byte {
	if n < 0 || n > len(d.rest) {
		d.err = errShort
		return make([]byte, 8)
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) int32() int32 { return int32(binary.BigEndian.Uint32(d.take(4))) }
func (d *decoder) int64() int64 { return int64(binary.BigEndian.Uint64(d.take(8))) }
func (d *decoder) bool() bool   { return d.take(1)[0] != 0 }
func (d *decoder) text() string { return string(d.take(int(max(0, d.int32())))) }

func (d *decoder) texts() []string {
	var list []string
	for n := d.int32(); n > 0 && d.err == nil; n-- {
		list = append(list, d.text())
	}
	return list
}

// decodeConnect reads the first frame of a connection.
func decodeConnect(frame []byte) (*wire.Request, error) {
	d := &decoder{rest: frame}
	d.int32() // the version of the protocol
	q := &wire.Request{Op: wire.Op{Kind: wire.Connect}, Seen: d.int64(), Timeout: time.Duration(d.int32()) * time.Millisecond, Session: d.int64()}
	if password := d.text(); len(password) == passwordLength {
		q.Password = binary.BigEndian.Uint64([]byte(password))
	}
	return q, d.err
}

// decodeRequest reads another frame. It returns the number of the operation too, on which the reply depends.
func decodeRequest(frame []byte) (*wire.Request, int32, error) {
	d := &decoder{rest: frame}
	q := &wire.Request{Xid: d.int32()}
	number := d.int32()
	if d.err != nil {
		return nil, 0, d.err
	}
	switch number {
	case numPing:
		q.Kind = wire.Ping
	case numClose:
		q.Kind = wire.Close
	case numSync:
		q.Kind, q.Path = wire.Sync, d.text()
	case numCreate:
		q.Kind, q.Path, q.Data = wire.Create, d.text(), d.text()
		for n := d.int32(); n > 0 && d.err == nil; n-- { // the access list, which is not simulated
			_, _, _ = d.int32(), d.text(), d.text()
		}
		q.Mode = wire.Mode(d.int32())
	case numDelete:
		q.Kind, q.Path, q.Version = wire.Delete, d.text(), d.int32()
	case numSetData:
		q.Kind, q.Path, q.Data, q.Version = wire.SetData, d.text(), d.text(), d.int32()
	case numExists:
		q.Kind, q.Path, q.Watch = wire.Exists, d.text(), d.bool()
	case numGetData:
		q.Kind, q.Path, q.Watch = wire.GetData, d.text(), d.bool()
	case numChildren, numChildren2:
		q.Kind, q.Path, q.Watch = wire.Children, d.text(), d.bool()
	case numSetWatches:
		q.Kind, q.Seen = wire.SetWatches, d.int64()
		q.DataWatches, q.ExistWatches, q.ChildWatches = d.texts(), d.texts(), d.texts()
	default:
		return nil, 0, fmt.Errorf("zookeeper: operation %d of the protocol is not simulated", number)
	}
	return q, number, d.err
}

// frame returns a frame with its length.
func frame(body []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func appendInt32(b []byte, n int32) []byte { return binary.BigEndian.AppendUint32(b, uint32(n)) }
func appendInt64(b []byte, n int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(n)) }

func appendText(b []byte, s string) []byte { return append(appendInt32(b, int32(len(s))), s...) }

func appendStat(b []byte, s wire.Stat) []byte {
	for _, n := range []int64{s.Czxid, s.Mzxid, s.Ctime, s.Mtime} {
		b = appendInt64(b, n)
	}
	const aclVersion = 0
	for _, n := range []int32{s.Version, s.Cversion, aclVersion} {
		b = appendInt32(b, n)
	}
	b = appendInt64(b, s.EphemeralOwner)
	return appendInt64(appendInt32(appendInt32(b, s.DataLength), s.NumChildren), s.Pzxid)
}

// encodeConnected returns the frame of the reply to the first request. A session of 0 has expired.
func encodeConnected(r *wire.Reply) []byte {
	const version = 0
	b := appendInt64(appendInt32(appendInt32(nil, version), int32(r.Timeout.Milliseconds())), r.Session)
	password := binary.BigEndian.AppendUint64(nil, r.Password)
	return frame(appendText(b, string(append(password, make([]byte, passwordLength-len(password))...))))
}

// encodeReply returns the frame of a reply to a request with this operation, or of an event.
func encodeReply(r *wire.Reply, q *wire.Request, number int32) []byte {
	if r.Event != nil {
		const noZxid = -1
		b := appendInt32(appendInt64(appendInt32(nil, eventXid), noZxid), int32(wire.OK))
		return frame(appendText(appendInt32(appendInt32(b, int32(r.Event.Type)), syncConnected), r.Event.Path))
	}
	b := appendInt32(appendInt64(appendInt32(nil, r.Xid), r.Zxid), int32(r.Code))
	if r.Code != wire.OK {
		return frame(b)
	}
	switch number {
	case numCreate:
		b = appendText(b, r.Path)
	case numSync:
		b = appendText(b, q.Path)
	case numGetData:
		b = appendText(b, r.Data)
	case numChildren, numChildren2:
		b = appendInt32(b, int32(len(r.Children)))
		for _, name := range r.Children {
			b = appendText(b, name)
		}
	}
	switch number {
	case numExists, numSetData, numGetData, numChildren2:
		b = appendStat(b, r.Stat)
	}
	return frame(b)
}
