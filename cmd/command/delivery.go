package command

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/reports"
	"lockquake/reports/tables"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// delivery prints the results of a campaign and writes its report. It holds the flags that
// run and merge share.
type delivery struct {
	out      string
	format   string
	noReport bool
	metrics  bool
	quiet    bool
	part     string // of the seeds, as in 3/16; "" for all
}

func (d *delivery) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	outFlag(cmd, &d.out, "lockquake-report", "directory to write the report to")
	flags.BoolVar(&d.noReport, "no-report", false, "write no report directory")
	flags.BoolVar(&d.metrics, "metrics", false, "also print the metrics of each lock: acquired, refused, timed out, failed, waits and holds")
	formatFlag(cmd, &d.format)
	quietFlag(cmd, &d.quiet)
}

// progress returns what shows the progress of the runs of a scenario, nil with --quiet, and what ends it.
func (d *delivery) progress(stderr io.Writer, title string, s *scenarios.Scenario, strategies []string) (show func(campaign.Progress), end func()) {
	if d.quiet {
		return nil, func() {}
	}
	bar := newProgress(stderr, title, s, strategies)
	return bar.show, bar.end
}

// usable returns an error for a wrong flag.
func (d *delivery) usable() error {
	return oneOf("format", d.format, formats())
}

// writable returns an error if a report cannot be written to dir. It is called before the
// runs.
func (d *delivery) writable(dir string) error {
	if d.noReport {
		return nil
	}
	if err := reports.MayWrite(dir); err != nil {
		return usageError{err.Error()}
	}
	return nil
}

// contents describes the files of a report directory, a line each.
func contents() string {
	var b strings.Builder
	for _, c := range reports.Contents() {
		fmt.Fprintf(&b, "  %-14s %s\n", c.Name, c.Doc)
	}
	return b.String()
}

// dirOf returns the directory of a scenario's report. If there are several scenarios, each
// has its own.
func (d *delivery) dirOf(s *scenarios.Scenario, several bool) string {
	if several {
		return filepath.Join(d.out, s.Name)
	}
	return d.out
}

// deliver prints the results of one scenario, and writes its report into dir with the
// journal of its runs.
func (d *delivery) deliver(c *results.Campaign, s *scenarios.Scenario, dir string, runs io.WriterTo, stdout io.Writer) error {
	if !d.noReport {
		alone, err := s.Standalone()
		if err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if err := reports.WriteDir(dir, c, alone, runs); err != nil {
			return err
		}
		if err := summarise(dir); err != nil {
			return err
		}
	}
	if d.format == "json" {
		return results.WriteJSON(stdout, c)
	}
	o := tables.Options{Screen: screenOf(stdout), Metrics: d.metrics, Part: d.part}
	if !d.noReport {
		o.Report = filepath.Join(dir, "report.html")
	}
	return tables.Campaign(stdout, c, o)
}

// openRuns opens the journal of a campaign that reports into dir. The journal is beside dir,
// because dir is replaced as a whole. With resume it keeps the runs of the old journal, and
// adds those of the report in dir.
func openRuns(dir string, s *scenarios.Scenario, resume bool) (*campaign.Journal, error) {
	path := beside(dir)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, fmt.Errorf("journal: %w", err)
	}
	if !resume {
		return campaign.CreateJournal(path, s)
	}
	j, err := campaign.OpenJournal(path, s)
	if err != nil {
		return nil, err
	}
	err = addReported(j, reports.RunsPath(dir))
	// If the journal has runs, the report is older and may be of another scenario. Else its
	// runs are the only ones.
	if err != nil && j.Runs() == 0 {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// addReported adds the runs of a report, if there is one.
func addReported(j *campaign.Journal, path string) error {
	reported, err := campaign.ReadJournal(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return errors.Join(j.Import(reported), reported.Close())
}

// beside returns the path of a report's journal while its campaign runs.
func beside(dir string) string {
	dir = filepath.Clean(dir)
	if base := filepath.Base(dir); base == "." || base == ".." {
		if full, err := filepath.Abs(dir); err == nil {
			dir = full
		}
	}
	return dir + ".runs"
}
