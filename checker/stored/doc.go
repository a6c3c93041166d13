// Package stored judges a list of operations that another tool recorded, such as Jepsen: is there
// an order of them that a model allows?
//
// It knows nothing of locks, sections or faults, which package checker judges; it shares only the
// [checker.Verdict]. Package jepsen reads the lists.
//
// # A tour
//
//   - judge.go has [Judge], which judges a list by a named model. It searches for an order with
//     porcupine, within bounds of steps and memory, and selects the operations to show as evidence.
//   - frontier.go has a second search, which goes through the events in order. It finds out sooner
//     that there is no order, and which event proves it.
//   - models.go lists the [Models], defines what each allows, and guesses the model of a list
//     ([GuessModel]). It also leaves out operations that cannot change the verdict.
//   - set.go judges a set, which needs no search for an order.
//
// # Adding a model
//
// Add one entry to [Models]. Add histories that the model must accept or reject to judge_test.go.
package stored
