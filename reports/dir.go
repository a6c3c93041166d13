package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"lockquake/history"
	"lockquake/scenarios"
)

// ErrForeignDir says that a report would overwrite a directory that holds
// something else.
var ErrForeignDir = errors.New("the directory holds something that is no report: name another, or empty it")

// WriteDir writes the report of a campaign into a directory: results.json,
// report.md, rates.csv, rates.svg, rates.png, and under failures what is to be
// known of the first failure of each strategy and check. The directory is
// complete or it is not there; an earlier report in it is replaced.
func WriteDir(dir string, c *scenarios.Campaign, s *scenarios.Scenario) error {
	files, err := reportFiles(c, s)
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	dir = filepath.Clean(dir)
	if err := mayReplace(dir); err != nil {
		return fmt.Errorf("report %s: %w", dir, err)
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	fresh, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+"-*")
	if err != nil {
		return fmt.Errorf("report: %w", err)
	}
	defer os.RemoveAll(fresh)
	for _, f := range files {
		path := filepath.Join(fresh, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("report: %w", err)
		}
		if err := os.WriteFile(path, f.data, 0o644); err != nil {
			return fmt.Errorf("report: %w", err)
		}
	}
	if err := os.Chmod(fresh, 0o755); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	if err := os.Rename(fresh, dir); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// mayReplace refuses a directory that is not empty and no report.
func mayReplace(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case len(entries) == 0:
		return nil
	}
	data, err := os.ReadFile(filepath.Join(dir, "results.json"))
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
}

func reportFiles(c *scenarios.Campaign, s *scenarios.Scenario) ([]file, error) {
	var results bytes.Buffer
	if err := JSON(&results, c); err != nil {
		return nil, err
	}
	var svg, png, table bytes.Buffer
	for _, err := range []error{writeSVG(&svg, c), writePNG(&png, c), writeCSV(&table, c)} {
		if err != nil {
			return nil, err
		}
	}
	stories := map[string]Story{}
	for _, st := range failed(c) {
		stories[st.Label] = Tell(st.Failures[0].Trial)
	}
	files := []file{
		{"results.json", results.Bytes()}, {"report.md", markdown(c, stories)},
		{"rates.csv", table.Bytes()}, {"rates.svg", svg.Bytes()}, {"rates.png", png.Bytes()},
	}
	for _, st := range failed(c) {
		for _, f := range st.Failures {
			more, err := failureFiles(failureDir(st, f), f, s)
			if err != nil {
				return nil, err
			}
			files = append(files, more...)
		}
	}
	return files, nil
}

// failureDir is where a failure's files stand. Labels are data, so that what
// could mean something to a file system is replaced.
func failureDir(st scenarios.StrategyStats, f scenarios.Failure) string {
	safe := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_':
			return r
		}
		return '_'
	}, st.Label)
	return fmt.Sprintf("failures/%s-%s", safe, f.Check)
}

func failureFiles(dir string, f scenarios.Failure, s *scenarios.Scenario) ([]file, error) {
	var events, story, verdict bytes.Buffer
	if err := history.Write(&events, f.Trial.History); err != nil {
		return nil, err
	}
	if err := TellCheck(f.Trial, f.Check).Write(&story, Options{}); err != nil {
		return nil, err
	}
	e := json.NewEncoder(&verdict)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(f.Trial.Results); err != nil {
		return nil, err
	}
	return []file{
		{dir + "/plan.txt", []byte(f.Trial.Plan.String())},
		{dir + "/history.jsonl", events.Bytes()},
		{dir + "/story.txt", story.Bytes()},
		{dir + "/verdict.json", verdict.Bytes()},
		{dir + "/scenario.yaml", s.Text},
		{dir + "/replay.txt", []byte("lockquake replay " + f.Trial.Replay + "\n")},
	}, nil
}
