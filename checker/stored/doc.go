// Package stored judges a list of operations that others wrote, as Jepsen leaves
// one behind: is there an order of them that a model allows?
//
// It knows nothing of locks, sections or faults; those are of package checker,
// which lends it the [checker.Verdict] alone. Package jepsen reads the lists.
//
// # A tour
//
//   - judge.go has [Judge], which judges a list by the name of a model, and the
//     search for an order: porcupine, within bounds of steps and memory. It
//     cuts the evidence out of the list, too.
//   - frontier.go is the other search, which goes through the events in their
//     order. It finds out sooner that there is no order, and since when.
//   - models.go lists the [Models]: what each may do, and which one a list is of
//     ([GuessModel]). It leaves out what no order needs.
//   - set.go judges the set, which needs no order.
//
// # Adding a model
//
// Add one entry to [Models] and histories that it accepts and refuses to
// judge_test.go.
package stored
