package wire

import "fmt"

// Code is an error code of the protocol. The zero value means success.
type Code int32

// The codes, with the numbers of org.apache.zookeeper.KeeperException.
const (
	OK                      Code = 0
	RuntimeInconsistency    Code = -2 // of an operation of a multi behind the one that failed
	BadArguments            Code = -8
	NoNode                  Code = -101
	BadVersion              Code = -103
	NoChildrenForEphemerals Code = -108
	NodeExists              Code = -110
	NotEmpty                Code = -111
	SessionExpired          Code = -112
	SessionMoved            Code = -118
	ThrottledOp             Code = -127
)

// Error implements error.
func (c Code) Error() string {
	switch c {
	case OK:
		return "ok"
	case RuntimeInconsistency:
		return "another operation of the multi failed"
	case BadArguments:
		return "bad arguments"
	case NoNode:
		return "no node"
	case BadVersion:
		return "bad version"
	case NoChildrenForEphemerals:
		return "ephemeral nodes may not have children"
	case NodeExists:
		return "node exists"
	case NotEmpty:
		return "node has children"
	case SessionExpired:
		return "session expired"
	case SessionMoved:
		return "session moved to another server"
	case ThrottledOp:
		return "operation throttled"
	}
	return fmt.Sprintf("error %d", int32(c))
}

// Err returns the code as an error, nil for OK.
func (c Code) Err() error {
	if c == OK {
		return nil
	}
	return c
}
