// Package clientgo compares package lock/kubernetes, and its client in package sim/kubernetes, with client-go: the
// LeaderElector, the LeaseLock and the REST client run in the time of a synctest bubble, the strategies in a world of
// package sim. Both have the same API server with the same faults at the same times (script_test.go). The logs of the
// requests and of the leaders must be equal (elector_test.go).
//
// It is a module of its own, so that the program does not depend on client-go.
package clientgo
