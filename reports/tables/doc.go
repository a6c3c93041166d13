// Package tables turns a campaign, a sweep and a search into tables: for a terminal, as
// CSV, and as grids that report.md and report.html show.
//
// [Verdict] says in sentences what happened in a campaign and how often, [Expectations] whether that is as
// the scenario expects. [Campaign], [Sweep] and [Exploration] print for a terminal. [CSV] and [SweepCSV] write
// files for spreadsheets. [Grids] and [CaseGrid] return tables of strings. Package
// reports/picture draws the same figures, which it gets from [OutcomeOf], [Highest], [Harm]
// and [SweepLabels].
//
//	strategy   fence         violating runs      rate          95 % interval  finished  as expected
//	redis      off             412 of 1,000    41.2 %         38.2 to 44.3 %    99.1 %  yes
//	fenced     reads-writes      0 of 1,000     0.0 %   fewer than 0.30 %       98.7 %  yes
//
// verdict.go makes the sentences, account.go sums up each strategy for them, and accountwords.go has
// their words. uses.go prints the cells of one strategy, metrics.go and grids.go make the tables that
// follow the verdict, cases.go the map of a campaign with cases, assumed.go the list of assumptions,
// terms.go the table of who considered itself the holder. csv.go and sweepcsv.go write CSV.
//
// The other documents have files of their own: explore.go and exploremap.go, matrix.go and matrixgrid.go, advice.go and
// adviceparts.go, yearly.go.
package tables
