// Package history defines the record of a run: one flat list of events, in the order in which they
// happened, and the sections and operations that follow from it.
//
// It is plain data, and depends on no engine, lock or check. So a history can be written to a file
// and judged on another machine.
//
// # A tour
//
//   - [Event] is one line (history.go): something that a worker did or was told, something that a
//     server did, or a fault.
//   - [Recorder] collects events and numbers them.
//   - [History] is a finished list with its [Meta]; [Write] and [Read] turn it
//     into JSON lines and back (file.go). column.go finds the column of an error.
//   - [History.Sections] turns the events into critical sections with their reads and writes
//     (sections.go, sectionbuilder.go). It refuses a list that contradicts itself; holders.go follows the
//     open grants for it.
//   - [Load] reads a file that any program may have recorded. It refuses errors of the recorder for
//     which the checks would blame the lock (load.go).
//   - [Log] stores the events of a large run by lock (log.go).
//   - [Effect] is the change that a fault makes to its target (effect.go).
//   - [Outside] names the items at other services (outside.go).
//
// A worker that holds several locks at once has several open sections, one for each lock. Each has
// the operations on the item that its lock protects.
//
// # Four sources
//
// Four sources record the same lock, and the checks compare them. Two events at one virtual
// instant are ordered by their sequence numbers.
//
//   - The worker: its calls and their answers, which decide what it believes (acquire-called,
//     acquired, told, release-called, released, invoke, ok, fail, info, crashed).
//   - The lock server: what it granted, refused, renewed, freed or let expire.
//   - The resource: which requests reached it, whether it accepted them (applied), and the values
//     at the end (final).
//   - The nemesis: which faults began and ended (fault, heal).
//
// The comments of [Event] and the JSON Schema (schema.go) describe all fields.
package history
