// Package tree is the data of a ZooKeeper server: znodes and sessions, as in ZooKeeper 3.8.0. It knows
// nothing of networks, clocks and watches.
//
// A request becomes a [Txn] in [Tree.Prepare], which the leader calls on a tree with all that it has
// proposed (prepare.go). [Tree.Apply] applies a committed Txn to the tree of a member, which gives
// the reply (apply.go). So all members have the same tree after the same transactions. Reads are in
// read.go.
package tree
