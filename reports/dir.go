package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lockquake/history"
	"lockquake/reports/picture"
	"lockquake/reports/story"
	"lockquake/reports/tables"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// ErrForeignDir is the error for a directory that holds anything but a report, which a report would
// overwrite.
var ErrForeignDir = errors.New("the directory holds something that is no report: name another, or empty it")

// WriteDir writes the report of a campaign into a directory, with the files of Contents.
// Scenario is the text of each failure's scenario.yaml, as Standalone of the scenario
// returns it. Runs writes the journal of the campaign; nil if there is none. The directory
// appears at once and complete. WriteDir replaces an earlier report in it, and returns
// ErrForeignDir if it holds anything else.
func WriteDir(dir string, c *results.Campaign, scenario []byte, runs io.WriterTo) error {
	files, err := reportFiles(c, scenario)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	switch {
	case runs == nil:
	case tables.HasCases(c):
		files = append(files, file{path: packedRuns, long: packed{runs}})
	default:
		files = append(files, file{path: runsFile, long: runs})
	}
	return replaceDir(dir, files, Contents(), "results.json")
}

// MayWrite returns the error that WriteDir would return for a directory, as far as it can
// be known beforehand: the directory holds something else, it is a file, or its parent is
// not writable.
func MayWrite(dir string) error { return mayWrite(dir, Contents(), "results.json") }

// mayWrite is MayWrite for a directory with these contents and among them results.
func mayWrite(dir string, contents []content, results string) error {
	dir, err := target(dir)
	if err == nil {
		err = mayReplace(dir, contents, results)
	}
	if err != nil {
		return fmt.Errorf("report %s: %w", dir, err)
	}
	// WriteDir creates missing parents in the nearest directory that exists.
	parent := filepath.Dir(dir)
	for {
		_, err := os.Stat(parent)
		if err == nil || !errors.Is(err, fs.ErrNotExist) || parent == filepath.Dir(parent) {
			break
		}
		parent = filepath.Dir(parent)
	}
	probe, err := os.MkdirTemp(parent, ".lockquake-*")
	if err != nil {
		return fmt.Errorf("report %s: %w", dir, err)
	}
	return os.Remove(probe)
}

// replaceDir replaces a directory by one with these files. The old one must be empty, or
// hold only contents and among them results.
func replaceDir(dir string, files []file, contents []content, results string) (err error) {
	if dir, err = target(dir); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := mayReplace(dir, contents, results); err != nil {
		return fmt.Errorf("report %s: %w", dir, err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	// The files are written beside the directory, which is renamed at the end.
	beside, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-*")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	err = errors.Join(writeFiles(filepath.Join(beside, "new"), files, dir), os.RemoveAll(beside))
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// target returns the absolute path of a directory, with symbolic links resolved.
func target(dir string) (string, error) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Abs(dir)
}

// writeFiles writes the files into a fresh directory, and renames it to dir. It first
// renames an old dir, because removing one is not atomic; the caller removes it.
func writeFiles(fresh string, files []file, dir string) error {
	for _, f := range files {
		path := filepath.Join(fresh, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := f.write(path); err != nil {
			return err
		}
	}
	old := filepath.Join(filepath.Dir(fresh), "old")
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.Rename(fresh, dir); err != nil {
		// Restore the earlier report. If that fails, there was none, or it is still there.
		_ = os.Rename(old, dir)
		return err
	}
	return nil
}

// mayReplace returns an error if a directory holds files that are not contents, or no
// results.
func mayReplace(dir string, contents []content, results string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) == 0:
		return nil
	}
	for _, entry := range entries {
		if !slices.ContainsFunc(contents, func(c content) bool { return c.Name == entry.Name() }) {
			return fmt.Errorf("%w (%s)", ErrForeignDir, words.Plain(entry.Name(), 60))
		}
	}
	data, err := os.ReadFile(filepath.Join(dir, results))
	if err != nil {
		return ErrForeignDir
	}
	var c struct {
		Schema   int    `json:"schema"`
		Scenario string `json:"scenario"`
	}
	if json.Unmarshal(data, &c) != nil || c.Schema == 0 || c.Scenario == "" {
		return ErrForeignDir
	}
	return nil
}

// file is one file of a report, by its path with slashes.
type file struct {
	path string
	data []byte
	long io.WriterTo // instead of data, if the file is too long for memory
}

func (f file) write(path string) error {
	if f.long == nil {
		return os.WriteFile(path, f.data, 0o644)
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.long.WriteTo(out)
	return errors.Join(err, out.Close())
}

func reportFiles(c *results.Campaign, scenario []byte) ([]file, error) {
	var document bytes.Buffer
	if err := results.WriteJSON(&document, c); err != nil {
		return nil, err
	}
	svg, png, err := picture.Rates(c)
	if err != nil {
		return nil, err
	}
	var table bytes.Buffer
	if err := tables.CSV(&table, c); err != nil {
		return nil, err
	}
	failures, err := shownFailures(c)
	if err != nil {
		return nil, err
	}
	page, err := htmlReport(c, failures, svg)
	if err != nil {
		return nil, err
	}
	tests, err := junit(c)
	if err != nil {
		return nil, err
	}
	files := []file{
		{path: "report.html", data: page},
		{path: "junit.xml", data: tests},
		{path: "results.json", data: document.Bytes()},
		{path: "report.md", data: markdown(c)},
		{path: "rates.csv", data: table.Bytes()},
		{path: "rates.svg", data: svg},
		{path: "rates.png", data: png},
	}
	for _, shown := range failures {
		kept := shown.failures
		if tables.HasCases(c) {
			kept = kept[:1] // the others are the same run and the same story
		}
		for _, f := range kept {
			dir := failureDir(shown.stats, f)
			more, err := failureFiles(dir, f, scenario)
			if err != nil {
				return nil, err
			}
			files = append(files, more...)
			if shown.svg != nil {
				files = append(files, file{path: dir + "/timeline.svg", data: shown.svg})
			}
			if shown.svg != nil && !tables.HasCases(c) { // a PNG is a third of a megabyte, and with cases there are many
				files = append(files, file{path: dir + "/timeline.png", data: shown.png})
			}
		}
	}
	return files, nil
}

// failureDir returns the directory of a failure's files. It escapes labels so that two of
// them never share a directory: a space becomes an underscore, and any other character but
// letters, digits and - its code.
func failureDir(st results.StrategyStats, f results.Failure) string {
	var safe strings.Builder
	for i := range len(st.Label) {
		switch c := st.Label[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-':
			safe.WriteByte(c)
		case c == ' ':
			safe.WriteByte('_')
		default:
			fmt.Fprintf(&safe, "~%02x", c)
		}
	}
	return fmt.Sprintf("failures/%s-%s", safe.String(), f.Check)
}

func failureFiles(dir string, f results.Failure, scenario []byte) ([]file, error) {
	var events, told, verdict bytes.Buffer
	if err := history.Write(&events, f.Trial.History); err != nil {
		return nil, err
	}
	if err := story.TellCheck(f.Trial, f.Check).Write(&told, story.InFile()); err != nil {
		return nil, err
	}
	if err := results.WriteJSON(&verdict, f.Trial.Results); err != nil {
		return nil, err
	}
	return []file{
		{path: dir + "/plan.txt", data: []byte(f.Trial.Plan.String())},
		{path: dir + "/history.jsonl", data: events.Bytes()},
		{path: dir + "/story.txt", data: told.Bytes()},
		{path: dir + "/verdict.json", data: verdict.Bytes()},
		{path: dir + "/scenario.yaml", data: scenario},
		{path: dir + "/replay.txt", data: []byte(words.ReplayLine(f.Trial.Program, f.Trial.Replay) + "\n")},
	}, nil
}
