// Package words prints numbers, durations, names and tables as text. All reports use it,
// so that a percentage looks the same in a story, a table and a page. It knows nothing of
// runs and campaigns.
//
//	words.Percent(0.00041)                  // "0.041 %"
//	words.Count(2, "strategy")              // "2 strategies"
//	words.Plain("two\nlines", 60)           // "two lines"
//
// words.go has numbers, durations and names, terminal.go styles and tables for a terminal,
// columns.go tables whose last column is prose. reflow.go breaks lines that are wider than the
// screen, and width.go measures them.
package words
