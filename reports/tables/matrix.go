package tables

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// MatrixOptions selects what Matrix prints.
type MatrixOptions struct {
	Screen     words.Screen
	AnswerOnly bool // not the tables
}

// Matrix prints a matrix for a terminal: a sentence for each need, the answers, and then the tables.
func Matrix(w io.Writer, m *results.Matrix, o MatrixOptions) error {
	on := o.Screen
	var b bytes.Buffer
	on.Prose(&b, words.Bold, "", "  ", MatrixHead(m))
	b.WriteByte('\n')
	WriteSentences(&b, on, MatrixSentences(m))
	for i := range m.Needs {
		b.WriteByte('\n')
		needAnswer(&b, m, &m.Needs[i], on)
	}
	if names := matrixNames(m); names != nil {
		b.WriteByte('\n')
		if err := on.Catalogue(&b, names); err != nil {
			return err
		}
	}
	b.WriteByte('\n')
	on.Prose(&b, words.Faint, "", "", MatrixReading)
	if !o.AnswerOnly {
		for i := range m.Needs {
			needTables(&b, m, &m.Needs[i], on)
		}
		for _, text := range []string{MatrixCellNote, MatrixCostNote} {
			b.WriteByte('\n')
			on.Prose(&b, words.Faint, "", "", text)
		}
	}
	_, err := w.Write(b.Bytes())
	return err
}

// MatrixReading says how to read the answer.
const MatrixReading = "take: no run failed under any class of faults that the need requires, and the work was done; the cheapest, one for each kind of server. " +
	"0/30, < 9.6 %: the widest bound of these classes. Faults of that class hit 30 runs and 0 failed, so fewer than 9.6 % of such runs do (95 %, for the mixture of faults of the class). " +
	"requests: to all servers, for each finished job. p99: the wait for the lock without faults. done: the share of the work under faults. " +
	"avoid: the cheapest that fail."

// MatrixHead says how much was run, and with which leases.
func MatrixHead(m *results.Matrix) string {
	var leases []string
	for _, n := range m.Needs {
		if lease := words.Short(n.Lease); !slices.Contains(leases, lease) {
			leases = append(leases, lease)
		}
	}
	head := fmt.Sprintf("Which lock for which need: %s runs, only with leases of %s", words.Thousands(m.Runs), strings.Join(leases, " or "))
	if m.Partial {
		head += " (stopped before the end)"
	}
	return head
}

// MatrixSentences returns a sentence for each need: the strategy to take, or why there is none, and how many held.
func MatrixSentences(m *results.Matrix) []Sentence {
	var list []Sentence
	for i := range m.Needs {
		n := &m.Needs[i]
		a := &n.Answer
		s := Sentence{Grade: Held, Uses: a.Take}
		held := fmt.Sprintf("%d of %s held, %d failed", a.Hold, words.Count(a.Hold+a.Fail+a.Undecided, "strategy"), a.Fail)
		if a.Undecided > 0 {
			held += fmt.Sprintf(", %d unknown", a.Undecided)
		}
		switch {
		case len(a.Take) > 0:
			s.Text = fmt.Sprintf("%s: take %s; %s", n.Title, words.Plain(a.Take[0], 26), held)
		case a.Undecided > 0:
			s.Grade = Open
			s.Text = fmt.Sprintf("%s: %s, %d held, %d failed", n.Title, a.WhyNone(), a.Hold, a.Fail)
		default:
			s.Grade = Failed
			s.Text = fmt.Sprintf("%s: take nothing; %s", n.Title, held)
		}
		list = append(list, s)
	}
	return list
}

// needAnswer prints the answer to one need.
func needAnswer(b *bytes.Buffer, m *results.Matrix, n *results.MatrixNeed, on words.Screen) {
	on.Prose(b, words.Bold, "", "  ", fmt.Sprintf("%s: %s", strings.ToUpper(n.Title), n.Asks))
	if none := n.Answer.WhyNone(); none != "" {
		fmt.Fprintf(b, "  take  %s\n", none)
	} else {
		on.Table(b, matrixTakes(n))
	}
	on.Prose(b, "", "  avoid ", "        ", MatrixAvoid(n))
	if unknown := MatrixUnknown(n); unknown != "" {
		on.Prose(b, "", "  unknown ", "          ", unknown)
		if command := MatrixDecides(m, n); command != "" {
			fmt.Fprintf(b, "    %s\n", command)
		}
	}
	if n.Answer.Note != "" {
		on.Prose(b, "", "  note  ", "        ", n.Answer.Note)
	}
}

// matrixTakes returns a row for each strategy that is taken: its evidence and its cost.
func matrixTakes(n *results.MatrixNeed) words.Table {
	rows := [][]string{make([]string, 6)} // no head: each cell says its unit
	for i, label := range n.Answer.Take {
		word := ""
		if i == 0 {
			word = "  take"
		}
		r := n.Row(label)
		rows = append(rows, slices.Concat([]string{word, words.Plain(label, 26), MatrixEvidence(r)}, MatrixCosts(r)))
	}
	return words.Table{Rows: rows, Keys: 2}
}

// matrixNames returns what each strategy is that an answer takes.
func matrixNames(m *results.Matrix) [][]string {
	var rows [][]string
	var seen []string
	for i := range m.Needs {
		for _, label := range m.Needs[i].Answer.Take {
			r := m.Needs[i].Row(label)
			if slices.Contains(seen, r.Strategy) {
				continue
			}
			seen = append(seen, r.Strategy)
			doc, _, _ := strings.Cut(words.Plain(r.Doc, 300), "; ")
			rows = append(rows, []string{words.Plain(r.Strategy, 26), doc})
		}
	}
	return rows
}

// MatrixEvidence returns how many runs failed under the class of faults with the widest bound, and that
// bound, for a strategy that holds.
func MatrixEvidence(r *results.MatrixRow) string {
	c := r.Cell(r.Weakest)
	if c == nil {
		return "-"
	}
	return fmt.Sprintf("%s, < %s", MatrixCell(c), MatrixBound(r))
}

// MatrixCosts returns what a strategy costs, in words with units.
func MatrixCosts(r *results.MatrixRow) []string {
	return []string{
		fmt.Sprintf("%.1f requests", r.Cost.PerJob),
		"p99 " + shortWait(r.Cost.WaitP99),
		words.WholePercent(r.Cost.Finished) + " % done",
	}
}

// shortWait prints a wait to two digits or so.
func shortWait(d time.Duration) string {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= 10*time.Second:
		return fmt.Sprintf("%.0fs", d.Seconds())
	case d >= time.Second:
		return fmt.Sprintf("%.1fs", d.Seconds())
	case d >= time.Millisecond:
		return fmt.Sprintf("%.0fms", float64(d)/float64(time.Millisecond))
	}
	return "< 1ms"
}

// MatrixAvoid returns one sentence about the strategies that fail.
func MatrixAvoid(n *results.MatrixNeed) string {
	var parts []string
	for _, label := range n.Answer.Avoid {
		parts = append(parts, fmt.Sprintf("%s (%s)", words.Plain(label, 26), matrixFirst(n, n.Row(label))))
	}
	if len(parts) == 0 && n.Answer.Undecided > 0 {
		return "nothing so far: no strategy has failed"
	}
	if len(parts) == 0 {
		return "nothing: no strategy failed"
	}
	text := strings.Join(parts, ", ")
	if more := n.Answer.Fail - len(parts); more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	return text
}

// MatrixUnknown says why the cheapest of the strategies that neither held nor failed are not known, and
// how many runs it takes; "" if there is none.
func MatrixUnknown(n *results.MatrixNeed) string {
	if len(n.Answer.Unknown) == 0 {
		return ""
	}
	r := n.Row(n.Answer.Unknown[0])
	text := words.Plain(r.Label, 26)
	if cell := mostNeeding(n, r); cell != nil {
		text += fmt.Sprintf(", about %s more seeds (%s: %s)", words.Thousands(cell.More), cell.Case, cell.Why)
	} else {
		text += " (" + r.Why + ")"
	}
	if others := n.Answer.Undecided - 1; others > 0 {
		text += "; and " + words.Count(others, "other strategy")
	}
	return text
}

// mostNeeding returns the cell that takes the largest number of further seeds, of those that leave a row
// unknown; nil if seeds alone do not decide it.
func mostNeeding(n *results.MatrixNeed, r *results.MatrixRow) *results.MatrixCell {
	var most *results.MatrixCell
	for i, c := range n.Cases {
		if cell := &r.Cells[i]; c.Must && cell.State != results.CellHolds {
			if cell.More == 0 {
				return nil
			}
			if most == nil || cell.More > most.More {
				most = cell
			}
		}
	}
	return most
}

// MatrixDecides returns the command that decides the unknown strategies of a need, "" if there are none or runs alone do not
// decide them. If too few seeds were run for any strategy to hold, that is the run of the need with the usual seeds.
// Otherwise it is that of the cheapest unknown strategy, see [MatrixMore].
func MatrixDecides(m *results.Matrix, n *results.MatrixNeed) string {
	a := &n.Answer
	if len(a.Unknown) == 0 {
		return ""
	}
	if !m.Partial && m.Seeds.Count() >= results.EnoughRuns {
		return MatrixMore(m, n, n.Row(a.Unknown[0]))
	}
	command := matrixCommand(m, n)
	if a.Undecided == len(a.Unknown) {
		var names []string
		for _, label := range a.Unknown {
			names = append(names, n.Row(label).Strategy)
		}
		slices.Sort(names)
		return command + " --strategy " + strings.Join(slices.Compact(names), ",")
	}
	if slices.ContainsFunc(n.Rows, func(r results.MatrixRow) bool { return r.Flawed && r.Verdict == results.CellUnknown }) {
		command += " --flawed"
	}
	return command
}

// MatrixMore returns the command that runs as many seeds as it takes to decide a row, "" if runs alone do
// not decide it.
func MatrixMore(m *results.Matrix, n *results.MatrixNeed, r *results.MatrixRow) string {
	if r.Verdict != results.CellUnknown || mostNeeding(n, r) == nil {
		return ""
	}
	last := m.Seeds.First - 1
	for i, c := range n.Cases {
		if c.Must {
			last = max(last, m.Seeds.First+uint64(r.Cells[i].Runs+r.Cells[i].More)-1)
		}
	}
	return fmt.Sprintf("%s --strategy %s --seeds %d-%d", matrixCommand(m, n), r.Strategy, m.Seeds.First, last)
}

// matrixCommand returns the command that runs a need.
func matrixCommand(m *results.Matrix, n *results.MatrixNeed) string {
	return fmt.Sprintf("%s matrix --need %s", cmp.Or(m.Program, "lockquake"), n.Name)
}

// matrixFirst returns the first case under which a strategy fails, as "3 of 4 under crashes". Cells have too
// few runs to be compared by their rates.
func matrixFirst(n *results.MatrixNeed, r *results.MatrixRow) string {
	for i, c := range n.Cases {
		cell := &r.Cells[i]
		if !c.Must || cell.State != results.CellFails {
			continue
		}
		where := "under " + cell.Case
		if c.Class == "" {
			where = "without a fault"
		}
		if cell.Violating == 0 {
			return cell.Worst + " " + where
		}
		return fmt.Sprintf("%d of %d %s", cell.Violating, cell.Runs, where)
	}
	return r.Why
}

// needTables prints the tables of one need, and the command that repeats each strategy's failure.
func needTables(b *bytes.Buffer, m *results.Matrix, n *results.MatrixNeed, on words.Screen) {
	for _, g := range []Grid{MatrixGrid(n), MatrixCostGrid(n)} {
		b.WriteByte('\n')
		on.Paint(b, words.Bold, g.Title)
		on.Table(b, g.table())
	}
	before := "\n"
	for _, label := range n.Answer.Avoid {
		if command := MatrixFailure(m, n, n.Row(label)); command != "" {
			fmt.Fprintln(b, before+command)
			before = ""
		}
	}
}

// MatrixFailure returns the command that repeats the failure that decides a row, "" if no run failed.
func MatrixFailure(m *results.Matrix, n *results.MatrixNeed, r *results.MatrixRow) string {
	for i, c := range n.Cases {
		if c.Must && r.Cells[i].Replay != "" {
			return words.ReplayLine(m.Program, r.Cells[i].Replay)
		}
	}
	return ""
}

// MatrixCommand returns the command that repeats a cell: its first failing run, or all of its runs.
func MatrixCommand(m *results.Matrix, n *results.MatrixNeed, r *results.MatrixRow, c *results.MatrixCell) string {
	if c.Replay != "" {
		return words.ReplayLine(m.Program, c.Replay)
	}
	last := m.Seeds.First + uint64(max(1, c.Runs)) - 1
	return fmt.Sprintf("%s run %s --strategy '%s under %s' --seeds %d-%d --no-report", cmp.Or(m.Program, "lockquake"), n.Scenario, r.Label, c.Case, m.Seeds.First, last)
}
