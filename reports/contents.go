package reports

import (
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// content is one entry of a report directory.
type content struct {
	Name string
	Doc  string // one line
}

// runsFile is the file of a report that holds the journal of its runs.
const runsFile = "runs.log"

// packedRuns is its name in the report of a campaign with cases. There it is compressed,
// because such a campaign has many more runs.
const packedRuns = runsFile + ".gz"

// RunsPath returns the path of the journal of a report, which may be compressed.
func RunsPath(dir string) string {
	path := filepath.Join(dir, packedRuns)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	return filepath.Join(dir, runsFile)
}

// packed compresses a journal while it writes it.
type packed struct{ runs io.WriterTo }

func (p packed) WriteTo(w io.Writer) (int64, error) {
	z := gzip.NewWriter(w)
	n, err := p.runs.WriteTo(z)
	return n, errors.Join(err, z.Close())
}

// Contents lists the files of a report directory, the most useful first.
func Contents() []content {
	return []content{
		{"report.html", "the answer, the figures and each failure's timeline to step through, in one page without external resources"},
		{"report.md", "the answer, its figures, and the story of each strategy's first failure"},
		{"results.json", "everything counted, for programs"},
		{"junit.xml", "a test for each strategy, for CI"},
		{"rates.csv", "the rates and intervals as a table"},
		{"rates.svg", "the rates as a picture"},
		{"rates.png", "the same picture, for programs that do not show SVG"},
		{runsFile, "the stored figures of each run, or of more than a million runs only their sums; run --resume and merge read them"},
		{packedRuns, "runs.log of a scenario with cases, compressed"},
		{"failures", "for each strategy's first failure of each check (with cases: of each check and class of faults): timeline (SVG, and PNG if there are no cases), plan, history, story, verdict, scenario, replay line"},
	}
}
