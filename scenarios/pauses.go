package scenarios

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/scenarios/results"
)

// WithPauses returns the scenario with the lengths of its pauses from a file: a list of durations,
// or the log of a runtime (see [lockquake/internal/pauselog]). It overrides the "for" of every
// pause of a worker; how often they come does not change. The returned scenario expects no violation,
// since the scenario's expectations are about its own pauses. The pauses of servers stay as they are,
// since the log is of another process.
//
// The file is part of the scenario's hash, and its name is part of replay tokens. A relative path
// begins at the working directory.
func (s *Scenario) WithPauses(path string) (*Scenario, error) {
	if _, _, err := readPauses(path); err != nil {
		return nil, err
	}
	file, err := s.besideScenario(path)
	if err != nil {
		return nil, err
	}
	value := fmt.Sprintf("{dist: %s, file: %q}", draw.Empirical, filepath.ToSlash(file))
	var overrides []results.Override
	for i, spec := range s.Faults {
		pause, ok := spec.Fault.(*faults.Pause)
		if ok && (pause.Target == "" || pause.Target == faults.EachWorker || slices.Contains(s.WorkerNames(), pause.Target)) {
			overrides = append(overrides, results.Override{Path: fmt.Sprintf("faults[%d].pause.for", i), Value: value})
		}
	}
	if overrides == nil {
		return nil, fmt.Errorf("the scenario %s has no pause of a worker", s.Name)
	}
	with, err := s.With(overrides)
	if setting, ok := errors.AsType[*SettingError](err); ok {
		return nil, errors.New(setting.Text)
	}
	return with, err
}

// measuredPauses reports whether the pauses are those of a file that the caller gave.
func (s *Scenario) measuredPauses() bool {
	return slices.ContainsFunc(s.Overrides, func(o results.Override) bool {
		_, file := s.samples[o.Path]
		return file && strings.HasSuffix(o.Path, ".pause.for")
	})
}

// besideScenario returns a path from the working directory as one from the directory of the
// scenario, which is where a scenario looks for its files.
func (s *Scenario) besideScenario(path string) (string, error) {
	dir := filepath.Dir(s.Path)
	if filepath.IsAbs(path) || dir == "." {
		return path, nil
	}
	if filepath.IsAbs(dir) {
		return filepath.Abs(path)
	}
	return filepath.Rel(dir, path)
}
