// Package campaign runs a scenario over many seeds, sums up the runs, and compares them with the
// expectations of the scenario.
//
//   - [Run] runs a campaign: all strategies over all seeds (campaign.go). A
//     [Request] selects them (request.go).
//   - Runs are added up in blocks of seeds, in the order of the seeds (tally.go). The sums of
//     blocks and of shards add up in any order (sums.go). sumscheck.go refuses sums of a file
//     that cannot be those of the scenario.
//   - The result is a results.Campaign: rates, intervals, a verdict, and the first
//     failure of each check (sum.go). kept.go decides which failures keep their history.
//   - A [Journal] is a file that stores each run of a campaign when it ends, so that a campaign
//     that was stopped can be resumed (journal.go). journalopen.go opens and reads the file,
//     journalrecord.go has the format of a line, and journallock*.go the lock of the file. In a
//     campaign of more than a million runs the sums of finished blocks replace their runs
//     (journalsums.go). [Combine] and [Merge] put the journals of several shards together
//     (journalmerge.go). [Describe] writes a journal from which other processes can run pieces of
//     a campaign (piece.go).
//   - [GCPercent] returns a good GOGC for a campaign (gcpercent.go).
package campaign
