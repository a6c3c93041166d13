// Package campaign carries out a scenario over many seeds, adds the runs up, and compares
// them with what the scenario expects.
//
//   - [Run] carries out a campaign: all strategies over all seeds (campaign.go). A
//     [Request] says which (request.go).
//   - A campaign leaves a results.Campaign: rates, intervals, a verdict, and the first
//     failure of each check (sum.go). kept.go says which failures are kept whole.
//   - A [Journal] is a file that keeps the runs of a campaign as they end, so that one
//     that was stopped can go on (journal.go; journalrecord.go has the format of a line).
//     [Merge] adds up the journals of several shards (journalmerge.go).
package campaign
