// Package reports writes what a run or a campaign leaves for people and
// machines.
//
// # A run
//
// [Tell] turns a run into a [Story] of at most 25 lines: what happened, and
// beside each line who believed to hold the lock, what the lease truly was,
// and what the resource held. Nothing in it is made up: every word comes from
// the history, and how things stand is worked out from its first event on. A
// long run is told around the evidence of its most serious violation among the
// checks that decide, and the lines of that evidence are marked; [TellCheck] asks
// for that of one check. [Story.Write] prints it.
// [TimelineOf] draws the same part of the run up as a [Timeline], with the lines
// of the story as its steps.
//
//	reports.Tell(trial).Write(os.Stdout, reports.Options{})
//
// The story*.go files make a story: story.go chooses the check and storyscope.go
// the part of the run that it is about, storyteller.go walks the history and keeps
// how things stand, storysections.go, storyops.go, storyservers.go and
// storyfaults.go say what an event is called, storyevidence.go marks the evidence,
// storytable.go prints. The timeline*.go files draw.
//
// # A campaign
//
// [Table] prints a campaign for a terminal. [results.WriteJSON] prints it, a search or a
// sweep for a program.
// [WriteDir] leaves a directory that is complete or not there:
//
//	report.html     the answer, the table with a filter, each first failure as
//	                a timeline to step through; loads nothing
//	results.json    all figures, in a format with a version
//	report.md       the answer, the table, what it cost, the faults, each first
//	                failure
//	runs.log        the journal of the campaign: its runs, to be resumed or merged
//	rates.csv       one row for each strategy and check
//	rates.svg .png  the rate of each strategy with its interval
//	failures/       for each strategy and check the first run that violates it:
//	                timeline.svg, timeline.png, plan.txt, history.jsonl,
//	                story.txt, verdict.json, scenario.yaml, replay.txt
//
// # A search
//
// [ExploreTable] prints what a search of placements has found, with a map of the
// protocol.
//
// # A sweep
//
// [SweepTable] prints how the rates go with what was varied. [WriteSweep] leaves
// a directory with the picture as sweep.svg and sweep.png (lines over one
// parameter, a map for each strategy over two), sweep.csv and sweep.json.
//
// The same campaign or sweep gives the same bytes, wherever and whenever it is
// reported. Only a PNG may differ in a few pixels between kinds of processors.
//
// # Two campaigns
//
// [results.Read] reads a results.json back, and [Compare] says of two of them what
// got worse, better, stayed the same or cannot be told, with the test behind it
// (compare.go), and which settings of the scenario differ (compareparams.go).
// [Comparison.Markdown] prints it for a pull request.
package reports
