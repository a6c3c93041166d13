package tables

import (
	"bytes"
	"fmt"
	"io"
	"math"
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
		needAnswer(&b, &m.Needs[i], on)
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
const MatrixReading = "take: no run failed under the faults that the need must survive, and the work was done; cheapest first. " +
	"failed: failing runs. at most: the 95 % bound of their share. requests/job: to all servers, for each finished job. wait p99: for the lock, without faults. " +
	"done: the share of the work under faults. avoid: the cheapest that fail."

// MatrixHead says how much was run.
func MatrixHead(m *results.Matrix) string {
	head := fmt.Sprintf("Which lock for which need: %s runs, up to %d of each strategy under each kind of fault", words.Thousands(m.Runs), m.Seeds.Count())
	if m.Partial {
		head += " (stopped before the end)"
	}
	return head
}

// MatrixSentences returns a sentence for each need: how many strategies never failed, and the cheapest of
// them.
func MatrixSentences(m *results.Matrix) []Sentence {
	var list []Sentence
	for i := range m.Needs {
		n := &m.Needs[i]
		a := &n.Answer
		s := Sentence{Grade: Held, Uses: a.Take, Text: fmt.Sprintf("%s: %d of %s never failed", n.Title, a.Hold, words.Count(a.Hold+a.Fail+a.Undecided, "strategy"))}
		switch {
		case a.Hold == 0:
			s.Grade = Failed
		case len(a.Take) > 0:
			first := n.Row(a.Take[0])
			s.Text += fmt.Sprintf(", the cheapest is %s (%d of %s)", words.Plain(first.Label, 26), first.Violating, words.Counted(first.Decided, "run"))
		}
		if a.Undecided > 0 {
			s.Text += fmt.Sprintf("; %d unknown", a.Undecided)
		}
		list = append(list, s)
	}
	return list
}

// needAnswer prints the answer to one need.
func needAnswer(b *bytes.Buffer, n *results.MatrixNeed, on words.Screen) {
	on.Prose(b, words.Bold, "", "  ", fmt.Sprintf("%s: %s", strings.ToUpper(n.Title), n.Asks))
	if len(n.Answer.Take) == 0 {
		fmt.Fprintf(b, "  take  nothing: %s failed, %d not decided\n", words.Count(n.Answer.Fail, "strategy"), n.Answer.Undecided)
	} else {
		on.Table(b, matrixTakes(n))
	}
	on.Prose(b, "", "  avoid ", "        ", MatrixAvoid(n))
	if n.Answer.Note != "" {
		on.Prose(b, "", "  note  ", "        ", n.Answer.Note)
	}
}

// matrixTakes returns a row for each strategy that is taken: its evidence and its cost.
func matrixTakes(n *results.MatrixNeed) words.Table {
	rows := [][]string{{"  take", "failed", "at most", "requests/job", "wait p99", "done"}}
	for _, label := range n.Answer.Take {
		r := n.Row(label)
		rows = append(rows, []string{
			"  " + words.Plain(label, 26), fmt.Sprintf("%d of %d", r.Violating, r.Decided), fmt.Sprintf("%.1f %%", math.Ceil(1000*r.AtMost)/10),
			fmt.Sprintf("%.1f", r.Cost.PerJob), shortWait(r.Cost.WaitP99), words.WholePercent(r.Cost.Finished) + " %",
		})
	}
	return words.Table{Rows: rows, Figures: words.Figures{From: 1, To: len(rows[0])}}
}

// MatrixEvidence returns the number of failing runs under the faults that the need must survive.
func MatrixEvidence(r *results.MatrixRow) string {
	if r.Violating > 0 || r.Decided == 0 {
		return fmt.Sprintf("%d of %d runs", r.Violating, r.Decided)
	}
	return fmt.Sprintf("0 of %d runs, at most %.1f %%", r.Decided, math.Ceil(1000*r.AtMost)/10)
}

// MatrixCosts returns what a strategy costs, in words with units.
func MatrixCosts(r *results.MatrixRow) []string {
	return []string{
		fmt.Sprintf("%.1f requests/job", r.Cost.PerJob),
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
		parts = append(parts, fmt.Sprintf("%s (%s)", words.Plain(label, 26), matrixWorst(n, n.Row(label))))
	}
	if len(parts) == 0 {
		return "nothing: no strategy failed"
	}
	text := strings.Join(parts, ", ")
	if more := n.Answer.Fail - len(parts); more > 0 {
		text += fmt.Sprintf(", and %d more", more)
	}
	if n.Answer.Undecided > 0 {
		text += fmt.Sprintf("; not decided: %d", n.Answer.Undecided)
	}
	return text
}

// matrixWorst returns the case under which a strategy fails most often, as "3 of 4 under crashes".
func matrixWorst(n *results.MatrixNeed, r *results.MatrixRow) string {
	worst := -1
	for i, c := range n.Cases {
		if c.Must && r.Cells[i].State == results.CellFails && (worst < 0 || failureRate(&r.Cells[i]) > failureRate(&r.Cells[worst])) {
			worst = i
		}
	}
	if worst < 0 {
		return r.Why
	}
	cell := &r.Cells[worst]
	where := "under " + cell.Case
	if n.Cases[worst].Class == "" {
		where = "without a fault"
	}
	if cell.Violating == 0 {
		return cell.Worst + " " + where
	}
	return fmt.Sprintf("%d of %d %s", cell.Violating, cell.Runs, where)
}

func failureRate(c *results.MatrixCell) float64 {
	return float64(c.Violating) / float64(max(1, c.Runs))
}

// needTables prints the tables of one need, and the command that repeats each strategy's failure.
func needTables(b *bytes.Buffer, m *results.Matrix, n *results.MatrixNeed, on words.Screen) {
	for _, g := range []Grid{MatrixGrid(n), MatrixCostGrid(n)} {
		b.WriteByte('\n')
		on.Paint(b, words.Bold, g.Title)
		on.Table(b, g.table())
	}
	for i, label := range n.Answer.Avoid {
		if i == 0 {
			b.WriteByte('\n')
		}
		if command := MatrixFailure(m, n, n.Row(label)); command != "" {
			fmt.Fprintln(b, command)
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
	program := m.Program
	if program == "" {
		program = "lockquake"
	}
	return fmt.Sprintf("%s run %s --strategy '%s under %s' --seeds %d-%d --no-report", program, n.Scenario, r.Label, c.Case, m.Seeds.First, last)
}
