// Package clientgo compares package lock/kubernetes, and its client in package sim/kubernetes, with client-go: the
// LeaderElector, the LeaseLock and the REST client run in the time of a synctest bubble, the strategies in a world of
// package sim. In both worlds the same API server has the same troubles at the same times (script_test.go). The logs
// of what the server is asked and who leads must be equal (elector_test.go).
//
// It is a module of its own, so that the program does not depend on client-go.
package clientgo
