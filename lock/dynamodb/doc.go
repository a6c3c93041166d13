// Package dynamodb implements the locks in a table of Amazon DynamoDB, written with the AWS SDK for Go. [Port] has
// the client of a strategy (port.go).
//
// A lock is an item with a holder, the length of its lease, and a version that each heartbeat changes
// (item.go). A condition in DynamoDB cannot use the server's clock. So a contender takes over an item whose
// version has not changed for the length of the lease, by its own monotonic clock (takeover.go).
//
//   - A conditional write takes the item (locker.go, take.go). The condition fails if another worker holds
//     the lock, or if the SDK has sent the write again after its first copy took effect (ownwrite.go).
//   - A task changes the version in each period (heartbeat.go). The release deletes the item, or leaves it
//     with its fencing token (lease.go, fence.go).
//
// For example, with a lease of 10 s:
//
//	 0.0 s  A writes holder A, version a1
//	 3.3 s  A writes version a2, and is cut off
//	 5.0 s  B sees version a2 for the first time
//	15.0 s  B still sees a2: it writes holder B, version b1, if the version is a2
//
// [Family] lists the presets (presets.go). Those without a known bug claim that checks hold (claims.go).
//
// The table is called locks, and its key is the string attribute "name".
package dynamodb
