// Package history holds what a run leaves behind to be judged: one flat list
// of events, in the order in which they happened, and the sections and
// operations that can be read out of it.
//
// It is plain data. It knows no engine, no lock and no check, so a history
// can be written to a file, sent to somebody and judged there.
//
// # A tour
//
//   - [Event] is one line: something that a worker did or believed, something
//     that a server did in truth, or a fault.
//   - [Recorder] numbers events as they come in.
//   - [History] is a finished list with its [Meta]; [Write] and [Read] turn it
//     into JSON lines and back.
//   - [History.Sections] folds the events into critical sections with their
//     reads and writes, and refuses a list that contradicts itself.
//
// A worker that needs several locks at once has several sections open at once,
// one for each lock, and each has the operations on what its lock protects.
//
// # Three voices
//
// The same lock is spoken of by three voices, and the checks compare them.
// The worker's voice is what it called, what it was told and so what it may
// believe (acquire-called, acquired, told, release-called, released, invoke,
// ok, fail, info). The lock server's voice is what it granted, refused,
// renewed, freed or let expire. The resource's voice is which requests
// reached it and whether it accepted them (applied). Two events at one
// virtual instant are still ordered: by their sequence number.
package history
