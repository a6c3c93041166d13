// Package story tells a run as a [Story] of at most 25 lines. Beside each line it shows the
// workers that believe they hold the lock, the holder of the lease, and the value of the
// resource. All of it comes from the history of the run, from its first event on.
//
// A long run is told around the evidence of one check: the most serious one that was
// violated ([Tell]), or a given one ([TellCheck]). Lines of evidence are marked *, the line
// that completes the violation !. At most six other lines follow it, and the end of the run:
//
//	   time, s  who       what                                     in its section     lease, until
//	     0.007  worker-2  enters its section                       worker-1 worker-2  -
//	*    0.009  worker-2  reads 0                                  worker-1 worker-2  -
//	*    0.012  worker-1  writes 1                                 worker-1 worker-2  -
//	!    0.015  worker-2  writes 1 over worker-1's 1: update lost  worker-1 worker-2  -
//
// Each step has a file. story.go chooses the check and shortens the story. scope.go chooses the
// part of the run. teller.go walks the history and keeps the state. evidence.go marks the
// evidence. primaries.go names the node of a replicated service. write.go prints. The words
// for an event depend on its kind: sections.go, ops.go, servers.go and faults.go.
package story
