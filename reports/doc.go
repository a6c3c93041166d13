// Package reports writes what a run or a campaign leaves for people and
// machines.
//
// # A run
//
// [Tell] turns a run into a [Story] of at most 25 lines: what happened, and
// beside each line who believed to hold the lock, what the lease truly was,
// and what the resource held. Nothing in it is made up: every word comes from
// the history, and how things stand is worked out from its first event on. A
// long run is told around the evidence of its most telling violation;
// [TellCheck] asks for that of one check. [Story.Write] prints it.
// [TimelineOf] draws the same part of the run up as a [Timeline], with the lines
// of the story as its steps.
//
//	reports.Tell(trial).Write(os.Stdout, reports.Options{})
//
// # A campaign
//
// [Table] prints a campaign for a terminal and [JSON] for a program.
// [WriteDir] leaves a directory that is complete or not there:
//
//	report.html     the answer, the table with a filter, each first failure as
//	                a timeline to step through; loads nothing
//	results.json    all figures, in a format with a version
//	report.md       the answer, the table, the faults, each first failure
//	rates.csv       one row for each strategy and check
//	rates.svg .png  the rate of each strategy with its interval
//	failures/       for each strategy and check the first run that violates it:
//	                timeline.svg, timeline.png, plan.txt, history.jsonl,
//	                story.txt, verdict.json, scenario.yaml, replay.txt
//
// The same campaign gives the same bytes, wherever and whenever it is
// reported.
package reports
