// Package table implements the tables of DynamoDB, without a network.
//
// A [Store] executes requests (store.go): GetItem, PutItem, UpdateItem, DeleteItem and
// TransactWriteItems (write.go, transact.go). [Decode] reads a request in the JSON form of the protocol
// (request.go), and an [Answer] is encoded in it (answer.go). An [Error] is an error of the service
// (failure.go).
// copy.go copies a store, trace.go writes a request into the trace.
//
// A request takes effect at one instant, so two transactions never conflict. A request that uses
// something that is not simulated has a [NotSimulatedError].
package table
