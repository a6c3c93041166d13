// Package reports writes the report directory of a campaign or a sweep, and
// compares two campaigns. Its sub-packages make the parts of a report:
//
//	words     numbers, durations, names and tables as text
//	story     a run as a story of at most 25 lines
//	timeline  a story as lanes, spans and arrows
//	tables    a campaign, a sweep, a search as tables and CSV
//	picture   rates, sweeps and timelines as SVG and PNG
//
// # A campaign
//
// [WriteDir] writes a directory as a whole or not at all:
//
//	report.html     what happened, the table with a filter, each failing run as
//	                a timeline to step through; without external resources
//	results.json    all figures, in a format with a version
//	report.md       what happened, the table, the costs, the faults, each first failure
//	junit.xml       a test for each strategy
//	runs.log        the journal of the runs (runs.log.gz if there are cases), for run
//	                --resume and merge
//	rates.csv       one row for each strategy and check
//	rates.svg .png  the rate of each strategy with its interval
//	failures/       for each strategy and check the first run that violates it:
//	                timeline.svg, timeline.png, plan.txt, history.jsonl,
//	                story.txt, verdict.json, scenario.yaml, replay.txt
//
// contents.go lists the files. The source files are html.go (with the templates, style and script in page/), htmlrows.go for
// its table, htmlcards.go for its failures, markdown.go and junit.go. dir.go writes the directory, failures.go collects the failures.
//
// # A sweep and a search
//
// [WriteSweep] writes a directory with the picture as sweep.svg and sweep.png, sweep.csv and
// sweep.json. Package scenarios/results writes a campaign, a sweep or a search of placements as
// one JSON document. The source file is sweep.go.
//
// # Other reports
//
// advice.go writes the answer of advise, matrix.go and matrixhtml.go the directory of a matrix, yearly.go that of an
// estimate of failures per year.
//
// A report is deterministic: the same campaign or sweep gives the same bytes everywhere.
// Only a PNG may differ in a few pixels between kinds of processors.
//
// # Two campaigns
//
// [Compare] judges each check as worse, better, same or unknown, with the test behind it
// (compare.go), for measures in comparemeasures.go, and lists the settings of the scenario that differ
// (compareparams.go). comparehead.go sums up the differences. [Comparison.Markdown] prints it for a pull request
// (comparewrite.go).
package reports
