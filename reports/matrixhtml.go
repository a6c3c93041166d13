package reports

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"html/template"

	"lockquake/reports/tables"
	"lockquake/scenarios/results"
)

// matrixData is the data of the template of matrix.html.
type matrixData struct {
	Policy  string // content security policy
	Style   template.CSS
	Matrix  *results.Matrix
	Head    string
	Reading string
	Says    []tables.Sentence // one for each need
	Needs   []matrixNeed
	Picture template.URL
}

// matrixNeed is one need on the page.
type matrixNeed struct {
	*results.MatrixNeed
	Takes         []matrixTake
	Avoid         string
	Unknown, More string // why the cheapest unknown strategy is, and the command that decides
	Costs         tables.Grid
	Rows          []matrixRow
	Note          string // how to read the cells
}

// matrixTake is a strategy that is taken.
type matrixTake struct {
	Label, Doc, Evidence string
	Costs                []string
}

// matrixRow is a strategy with its cells.
type matrixRow struct {
	Label, Verdict, Bound, Why string
	More                       string // command that decides it, if it is unknown
	Cells                      []matrixCell
}

// matrixCell is a cell with the command that repeats it.
type matrixCell struct {
	Case, Text, State, Title, Command string
	Must                              bool
}

// matrixPage writes matrix.html: one file that loads nothing else.
func matrixPage(m *results.Matrix, svg []byte) ([]byte, error) {
	var style []byte
	for _, name := range []string{"page/report.css", "page/matrix.css"} {
		css, err := pageFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		style = append(style, css...)
	}
	t, err := template.New("matrix.html.tmpl").ParseFS(pageFiles, "page/matrix.html.tmpl", "page/grid.html.tmpl")
	if err != nil {
		return nil, err
	}
	d := matrixData{
		Policy: fmt.Sprintf("default-src 'none'; style-src %s; img-src data:; base-uri 'none'; form-action 'none'", sourceHash(style)),
		Style:  template.CSS(style), Matrix: m, Head: tables.MatrixHead(m), Reading: tables.MatrixReading, Says: tables.MatrixSentences(m),
		Picture: template.URL("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)),
	}
	for i := range m.Needs {
		d.Needs = append(d.Needs, needOnPage(m, &m.Needs[i]))
	}
	var b bytes.Buffer
	if err := t.Execute(&b, d); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func needOnPage(m *results.Matrix, n *results.MatrixNeed) matrixNeed {
	p := matrixNeed{MatrixNeed: n, Avoid: tables.MatrixAvoid(n), Unknown: tables.MatrixUnknown(n), More: tables.MatrixDecides(m, n), Costs: tables.MatrixCostGrid(n), Note: tables.MatrixGrid(n).Note}
	for _, label := range n.Answer.Take {
		r := n.Row(label)
		p.Takes = append(p.Takes, matrixTake{label, r.Doc, tables.MatrixEvidence(r), tables.MatrixCosts(r)})
	}
	for i := range n.Rows {
		r := &n.Rows[i]
		row := matrixRow{Label: r.Label, Verdict: tables.MatrixVerdict(r), Bound: tables.MatrixBound(r), Why: r.Why, More: tables.MatrixMore(m, n, r)}
		for j := range r.Cells {
			c := &r.Cells[j]
			cell := matrixCell{
				Case: c.Case, Text: tables.MatrixCell(c), State: string(c.State), Must: n.Cases[j].Must,
				Title: tables.MatrixCellSays(c), Command: tables.MatrixCommand(m, n, r, c),
			}
			row.Cells = append(row.Cells, cell)
		}
		p.Rows = append(p.Rows, row)
	}
	return p
}
