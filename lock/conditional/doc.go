// Package conditional implements the strategies that take no lock: they need a resource with
// conditional writes, a [lock.Conditional], and no server beside it.
//
// # A tour
//
//   - presets.go: [Strategies] lists the strategies.
//   - optimistic.go: optimistic concurrency. A write takes effect only if the item is as the
//     section has read it; after a conflict the section runs again.
//   - uniquekey.go: a unit of work belongs to the worker that inserts its key first.
package conditional
