package tables

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// mapRow is a row of the map: a worker comes to a point for the nth time.
type mapRow struct {
	worker, point string
	nth           int
}

// The marks of the map that stand for no harm.
const (
	safeMark    = '.'
	untriedMark = '~'
	noPoint     = "-" // in place of all marks of a strategy
)

// exploreMap prints where faults do harm: a row for each point, in the order in which its
// worker comes to them, and a column for each strategy with a mark for each kind of fault.
func exploreMap(b *bytes.Buffer, e *results.Exploration, on words.Screen) {
	letters, legend := kindLetters(e)
	on.Paint(b, words.Bold, "map of the protocol")
	on.Prose(b, "", "", "  ", legend)
	safe := "dot: safe"
	if e.Partial {
		safe += "; ~: not tried"
	}
	on.Prose(b, "", "", "  ", "capital: corrupts or breaks fencing; small: breaks another check; ?: cannot tell; "+safe+"; blank: cannot be placed there; -: no such point")
	switch {
	case e.Faults > 1 && e.Partial:
		b.WriteString("of two faults the mark is at the first, ~ if not all pairs were tried\n")
	case e.Faults > 1:
		b.WriteString("of two faults the mark is at the first\n")
	}
	head := []string{"worker", "point", "nth"}
	var marks []map[mapRow][]byte
	for _, st := range e.Strategies {
		head = append(head, words.Plain(st.Label, 60))
		marks = append(marks, mapMarks(st, e.Kinds, letters))
	}
	rows := [][]string{head}
	for _, at := range mapRows(e.Strategies) {
		row := []string{at.worker, at.point, strconv.Itoa(at.nth)}
		for i := range e.Strategies {
			cell, there := marks[i][at]
			if !there {
				cell = []byte(noPoint)
			}
			row = append(row, strings.TrimRight(string(cell), " "))
		}
		rows = append(rows, row)
	}
	t := words.Table{Rows: byWorker(withoutHarm(rows)), Figures: words.Figures{From: 1, To: 2}, Keys: 2}
	if !on.Fits(t) {
		on.Prose(b, "", "", "  ", "columns: "+numbered(t.Rows[0][2:]))
	}
	on.Table(b, t)
}

// numbered replaces heads by their numbers, and returns what each number stands for.
func numbered(heads []string) string {
	var list []string
	for i, head := range heads {
		heads[i] = strconv.Itoa(i + 1)
		list = append(list, heads[i]+" "+head)
	}
	return strings.Join(list, ", ")
}

// byWorker turns the first column, the worker, into a row above those of each worker.
func byWorker(rows [][]string) [][]string {
	list := [][]string{rows[0][1:]}
	for i, row := range rows[1:] {
		if row[0] != rows[i][0] {
			if i > 0 {
				list = append(list, make([]string, len(row)-1))
			}
			list = append(list, append([]string{row[0]}, make([]string, len(row)-2)...))
		}
		list = append(list, append([]string{" " + row[1]}, row[2:]...))
	}
	return list
}

// withoutHarm merges successive rows of one worker that show no harm into one row, as long as each strategy was
// tried at all of them or at none.
func withoutHarm(rows [][]string) [][]string {
	const fewest = 3 // rows to merge
	short := rows[:1:1]
	for i := 1; i < len(rows); {
		n := 0
		merged := slices.Repeat([]string{noPoint}, len(rows[0])-3)
		for i+n < len(rows) && rows[i+n][0] == rows[i][0] && merge(merged, rows[i+n][3:]) {
			n++
		}
		if n < fewest {
			short = append(short, rows[i:i+max(n, 1)]...)
			i += max(n, 1)
			continue
		}
		row := []string{rows[i][0], fmt.Sprintf("%s to %s", rows[i][1], rows[i+n-1][1]), ""}
		short = append(short, append(row, merged...))
		i += n
	}
	return short
}

// merge adds the cells of a row to those of a merged row. It changes nothing and returns false if one of them shows
// harm, or differs from those before.
func merge(merged, cells []string) bool {
	all := slices.Clone(merged)
	for i, cell := range cells {
		mark := noPoint
		switch {
		case cell == noPoint:
		case strings.Trim(cell, string(safeMark)+" ") == "":
			mark = string(safeMark)
		case strings.Trim(cell, string(untriedMark)+" ") == "":
			mark = string(untriedMark)
		default:
			return false
		}
		switch {
		case all[i] == noPoint:
			all[i] = mark
		case mark != noPoint && mark != all[i]:
			return false
		}
	}
	copy(merged, all)
	return true
}

// kindLetters returns the letter of each kind, and the legend of the letters.
func kindLetters(e *results.Exploration) (letters map[string]string, legend string) {
	letters = map[string]string{}
	var parts []string
	for _, k := range e.Letters {
		letters[k.Kind] = k.Letter
		parts = append(parts, k.Letter+" "+k.Kind)
	}
	return letters, strings.Join(parts, ", ")
}

// mapRows returns the points of all strategies in one order: worker by worker. A point
// that some strategies do not have follows the point before it in its strategy.
func mapRows(strategies []results.ExploredStats) []mapRow {
	var rows []mapRow
	for _, st := range strategies {
		before := map[string]int{} // of each worker, the index of its last point
		for _, p := range st.Singles {
			at := rowOf(p)
			i := slices.Index(rows, at)
			if i < 0 {
				i = len(rows)
				if last, ok := before[at.worker]; ok {
					i = last + 1
				}
				rows = slices.Insert(rows, i, at)
				for worker, last := range before {
					if last >= i {
						before[worker] = last + 1
					}
				}
			}
			before[at.worker] = i
		}
	}
	var workers []string
	for _, at := range rows {
		if !slices.Contains(workers, at.worker) {
			workers = append(workers, at.worker)
		}
	}
	slices.SortStableFunc(rows, func(a, b mapRow) int {
		return slices.Index(workers, a.worker) - slices.Index(workers, b.worker)
	})
	return rows
}

func rowOf(p results.Placement) mapRow {
	return mapRow{p.Places[0].Worker, p.Places[0].Point, p.Places[0].Nth}
}

// mapMarks returns the marks of a strategy: for each point and kind the worst harm of the
// placements whose first fault is of that kind and at that point.
func mapMarks(st results.ExploredStats, kinds []string, letters map[string]string) map[mapRow][]byte {
	marks := map[mapRow][]byte{}
	worst := map[mapRow][]results.Harm{}
	untried := map[mapRow][]bool{}
	for _, p := range slices.Concat(st.Singles, st.Pairs) {
		at, kind := rowOf(p), slices.Index(kinds, p.Places[0].Kind)
		if marks[at] == nil {
			marks[at] = bytes.Repeat([]byte(" "), len(kinds))
			worst[at] = make([]results.Harm, len(kinds))
			untried[at] = make([]bool, len(kinds))
		}
		worst[at][kind] = max(worst[at][kind], p.Harm())
		untried[at][kind] = untried[at][kind] || p.Untried || p.PairsUntried
		marks[at][kind] = mark(worst[at][kind], untried[at][kind], letters[p.Places[0].Kind])
	}
	return marks
}

func mark(h results.Harm, untried bool, letter string) byte {
	switch h {
	case results.Corrupts, results.Unfences:
		return strings.ToUpper(letter)[0]
	case results.Breaks:
		return letter[0]
	case results.Undecided:
		return '?'
	case results.Harmless:
	}
	if untried {
		return untriedMark
	}
	return safeMark
}
