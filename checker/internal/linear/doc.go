// Package linear decides whether some order of steps explains the values that they read. If there is
// none, it explains why. A step is a whole section, or a single operation.
//
//   - model.go defines what a resource may do with values and tokens: [Step], [Access] and [Rule].
//   - [Search.Decide], in search.go, looks for an order that the model allows, within its [Limits].
//   - successors.go looks for a simple proof that there is none.
//   - [Search.Explain], in explain.go, says in one sentence which step does not fit.
package linear
