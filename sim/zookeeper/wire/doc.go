// Package wire defines the requests, replies and events of the ZooKeeper protocol, as values instead of
// bytes. They are those of ZooKeeper 3.8.0.
//
//   - op.go: a [Request] asks for one operation. A write is an [Op], or several of them in a multi.
//   - reply.go: a [Reply] has the result, the [Stat] of a znode, or a watch [Event].
//   - code.go: a [CodeError] is an error of the server.
package wire
