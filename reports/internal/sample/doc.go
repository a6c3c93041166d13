// Package sample provides runs, campaigns and sweeps for the tests of reports and its
// sub-packages, and compares output to golden files.
//
// A [Script] builds the history of a run:
//
//	s := sample.NewScript("redis", "off", "worker-1")
//	s.Ask(0, "worker-1", 1)
//	s.Enter(2*time.Millisecond, "worker-1", 1, 0)
//	s.Leave(6*time.Millisecond, "worker-1", 1)
//	run := s.Trial()
package sample
