package wire

import "fmt"

// CodeError is an error code of the protocol. The zero value means success.
type CodeError int32

// The codes, with the numbers of org.apache.zookeeper.KeeperException.
const (
	OK                         CodeError = 0
	ErrRuntimeInconsistency    CodeError = -2 // of an operation of a multi behind the one that failed
	ErrBadArguments            CodeError = -8
	ErrNoNode                  CodeError = -101
	ErrBadVersion              CodeError = -103
	ErrNoChildrenForEphemerals CodeError = -108
	ErrNodeExists              CodeError = -110
	ErrNotEmpty                CodeError = -111
	ErrSessionExpired          CodeError = -112
	ErrSessionMoved            CodeError = -118
	ErrThrottledOp             CodeError = -127 // it was not executed, since the server has too much to do
)

// Error implements error.
func (c CodeError) Error() string {
	switch c {
	case OK:
		return "ok"
	case ErrRuntimeInconsistency:
		return "another operation of the multi failed"
	case ErrBadArguments:
		return "bad arguments"
	case ErrNoNode:
		return "no node"
	case ErrBadVersion:
		return "bad version"
	case ErrNoChildrenForEphemerals:
		return "ephemeral nodes may not have children"
	case ErrNodeExists:
		return "node exists"
	case ErrNotEmpty:
		return "node has children"
	case ErrSessionExpired:
		return "session expired"
	case ErrSessionMoved:
		return "session moved to another server"
	case ErrThrottledOp:
		return "the operation was throttled"
	}
	return fmt.Sprintf("error %d", int32(c))
}

// Err returns the code as an error, nil for OK.
func (c CodeError) Err() error {
	if c == OK {
		return nil
	}
	return c
}
