// Package matrix runs every strategy for every need, and answers which strategies fit each need.
//
// A [Need] is one purpose of a lock, such as the election of a leader. Its scenario (in the folder
// scenarios/needs) has a workload and the cases of faults that all needs share. The need lists the
// cases that a strategy must survive.
//
//   - needs.go has the plan: the needs.
//   - run.go runs it as campaigns: a few seeds for all strategies, and the rest for those that have
//     not failed. The results do not depend on the number of cores.
//   - judge.go turns counts into states: what holds, what fails, and what is not known. Unknown is
//     not a pass, nor is a strategy that hardly finishes any work.
//   - answer.go picks the answer to each need.
//   - published.go has published advice as statements that the results confirm or refute. advice.go
//     judges them, and advicerun.go runs scenarios for those that need runs of their own.
//
// The package does not depend on families of servers: it selects strategies by their claims, and
// advice may name strategies that are missing.
package matrix
