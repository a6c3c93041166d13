// Package reports writes the report directory of a campaign or a sweep, and
// compares two campaigns. Its sub-packages make the parts of a report:
//
//	words     numbers, durations, names and tables as text
//	story     a run, told line by line
//	timeline  a story as lanes, spans and arrows
//	tables    a campaign, a sweep, a search as tables and CSV
//	picture   rates, sweeps and timelines as SVG and PNG
//
// # A campaign
//
// [WriteDir] writes a directory that is complete or not there:
//
//	report.html     the verdict, the table with a filter, each first failure as
//	                a timeline to step through; loads nothing
//	results.json    all figures, in a format with a version
//	report.md       the verdict, the table, what it cost, the faults, each first
//	                failure
//	junit.xml       a test for each strategy
//	runs.log        the journal of the campaign: its runs, to be resumed or merged
//	rates.csv       one row for each strategy and check
//	rates.svg .png  the rate of each strategy with its interval
//	failures/       for each strategy and check the first run that violates it:
//	                timeline.svg, timeline.png, plan.txt, history.jsonl,
//	                story.txt, verdict.json, scenario.yaml, replay.txt
//
// The files are html.go (with the template, style and script in page/), markdown.go
// and junit.go; dir.go puts them together, failures.go tells the failures.
//
// # A sweep and a search
//
// [WriteSweep] writes a directory with the picture as sweep.svg and sweep.png, sweep.csv and
// sweep.json. Package results prints a campaign, a sweep or a search of placements as one
// document.
//
// The same campaign or sweep gives the same bytes, wherever and whenever it is
// reported. Only a PNG may differ in a few pixels between kinds of processors.
//
// # Two campaigns
//
// [Compare] says what became worse, better, stayed the same or cannot be told, with the
// test behind it (compare.go), and which settings of the scenario differ
// (compareparams.go). [Comparison.Markdown] prints it for a pull request.
package reports
