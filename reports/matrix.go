package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"lockquake/reports/picture"
	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// MatrixContents lists the files in the directory of a matrix.
func MatrixContents() []content {
	return []content{
		{"matrix.html", "the answer, the tables, and the command that repeats each cell, in one page without external resources"},
		{"matrix.md", "the answer and the tables"},
		{"matrix.json", "everything counted, for programs"},
		{"matrix.svg", "the failing runs of every cell as a picture"},
		{"matrix.png", "the same picture, for programs that do not show SVG"},
		{"advice.md", "published advice compared with the results, with --advice"},
	}
}

// matrixFile is the file of a matrix that marks its directory.
const matrixFile = "matrix.json"

// MayWriteMatrix returns the error that WriteMatrix would return for a directory, as far as it can
// be known beforehand.
func MayWriteMatrix(dir string) error { return mayWrite(dir, MatrixContents(), matrixFile) }

// WriteMatrix writes the report of a matrix into a directory. It replaces an earlier report,
// and nothing else, as [WriteDir] does.
func WriteMatrix(dir string, m *results.Matrix) error {
	var document bytes.Buffer
	if err := results.WriteJSON(&document, m); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	svg, png, err := picture.Matrix(m)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	page, err := matrixPage(m, svg)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	files := []file{
		{path: "matrix.html", data: page},
		{path: "matrix.md", data: MatrixMarkdown(m)},
		{path: matrixFile, data: document.Bytes()},
		{path: "matrix.svg", data: svg},
		{path: "matrix.png", data: png},
	}
	if len(m.Advice) > 0 {
		files = append(files, file{path: "advice.md", data: AdviceMarkdown(m)})
	}
	return replaceDir(dir, files, MatrixContents(), matrixFile)
}

// MatrixMarkdown returns the answer and the tables of a matrix as Markdown.
func MatrixMarkdown(m *results.Matrix) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Which lock for which need\n\n")
	markdownSentences(&b, tables.MatrixSentences(m), "- ", "\n")
	fmt.Fprintf(&b, "%s. %s\n\n", tables.MatrixHead(m), tables.MatrixReading)
	for i := range m.Needs {
		n := &m.Needs[i]
		fmt.Fprintf(&b, "**%s**: %s.\n\n", n.Title, n.Asks)
		for _, label := range n.Answer.Take {
			r := n.Row(label)
			fmt.Fprintf(&b, "- take `%s` (%s): %s; %s\n", label, cell(r.Doc), tables.MatrixEvidence(r), strings.Join(tables.MatrixCosts(r), ", "))
		}
		if none := n.Answer.WhyNone(); none != "" {
			fmt.Fprintf(&b, "- take %s\n", none)
		}
		fmt.Fprintf(&b, "- avoid %s\n", cell(tables.MatrixAvoid(n)))
		if unknown := tables.MatrixUnknown(n); unknown != "" {
			fmt.Fprintf(&b, "- unknown %s %s\n", cell(unknown), cell(tables.MatrixDecides(m, n)))
		}
		if n.Answer.Note != "" {
			fmt.Fprintf(&b, "- %s\n", cell(n.Answer.Note))
		}
		b.WriteByte('\n')
	}
	b.WriteString("![failing runs of each strategy under each class of faults](matrix.svg)\n\n")
	for i := range m.Needs {
		n := &m.Needs[i]
		markdownGrid(&b, tables.MatrixGrid(n))
		markdownGrid(&b, tables.MatrixCostGrid(n))
		matrixFailures(&b, m, n)
	}
	return b.Bytes()
}

// matrixFailures lists the commands that repeat the failures of a need.
func matrixFailures(b *bytes.Buffer, m *results.Matrix, n *results.MatrixNeed) {
	var lines []string
	for i := range n.Rows {
		if command := tables.MatrixFailure(m, n, &n.Rows[i]); command != "" {
			lines = append(lines, command)
		}
	}
	if len(lines) > 0 {
		fmt.Fprintf(b, "The first failure of each strategy that fails:\n\n    %s\n\n", strings.Join(lines, "\n    "))
	}
	if len(n.Answer.Take) == 0 {
		return
	}
	fmt.Fprint(b, "The runs of the cheapest strategy that holds:\n\n")
	r := n.Row(n.Answer.Take[0])
	for i := range r.Cells {
		fmt.Fprintf(b, "    %s\n", tables.MatrixCommand(m, n, r, &r.Cells[i]))
	}
	b.WriteByte('\n')
}

// AdviceMarkdown returns the comparison of published advice with the results as Markdown.
func AdviceMarkdown(m *results.Matrix) []byte {
	var b bytes.Buffer
	counts := map[results.AdviceVerdict]int{}
	for _, a := range m.Advice {
		counts[a.Verdict]++
	}
	fmt.Fprintf(&b, `# Published advice, compared with the matrix

Of %d pieces of advice %d are confirmed, %d refuted, and %d not decidable here. `+"`lockquake matrix --advice`"+`
writes this page. It splits each piece of advice into statements, and compares each statement with the runs. A piece of
advice is refuted if one of its statements is, and confirmed if all are. One failing run refutes that a lock survives a
class of faults. To confirm it, a fault of the class has to hit %d runs, and none of them may fail: then fewer than 10 %% of
such runs fail (95 %%, for the mixture of faults of the class). A statement is only about the cases that it names. A
statement about a strategy that is not simulated, or with fewer runs, is not decidable.

`, len(m.Advice), counts[results.AdviceConfirmed], counts[results.AdviceRefuted], counts[results.AdviceOpen], results.EnoughRuns)
	b.WriteString("| # | advice | verdict | what decides |\n|---:|---|---|---|\n")
	for _, a := range m.Advice {
		fmt.Fprintf(&b, "| %d | %s | **%s** | %s |\n", a.Number, cell(a.Text), a.Verdict, cell(a.Says))
	}
	for _, a := range m.Advice {
		if len(a.Evidence) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n## %d. %s\n\n| statement | verdict | measured |\n|---|---|---|\n", a.Number, cell(a.Text))
		var commands []string
		for _, e := range a.Evidence {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", cell(e.Claim), e.Verdict, cell(e.Figure))
			if e.Command != "" {
				commands = append(commands, cmp.Or(m.Program, "lockquake")+" "+words.Plain(e.Command, 400))
			}
		}
		if len(commands) > 0 {
			fmt.Fprintf(&b, "\n    %s\n", strings.Join(commands, "\n    "))
		}
	}
	return b.Bytes()
}
