package scenarios

import (
	"errors"
	"fmt"
	"hash"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lockquake/internal/draw"
	"lockquake/internal/pauselog"
	"lockquake/internal/strictyaml"
	"lockquake/scenarios/results"
)

// samples is the file of an empirical distribution.
type samples struct {
	file string // as the scenario names it
	log  pauselog.Log
}

// Samples lists the files of empirical distributions.
func (s *Scenario) Samples() []results.Samples {
	var files []results.Samples
	for _, path := range slices.Sorted(maps.Keys(s.samples)) {
		of := s.samples[path]
		i := slices.IndexFunc(files, func(f results.Samples) bool { return f.File == of.file })
		if i < 0 {
			i, files = len(files), append(files, results.Samples{
				File: of.file, Kind: string(of.log.Kind), Count: len(of.log.Pauses), Longest: of.log.Longest(), Span: of.log.Span,
			})
		}
		files[i].Of = append(files[i].Of, path)
	}
	return files
}

// decodeDist reads a duration that is always the same, or a map that says how
// durations are spread.
func decodeDist(n *strictyaml.Node, into *draw.Dist, dir string, sum hash.Hash) (log pauselog.Log, err error) {
	*into = draw.Dist{}
	if !n.IsMap() {
		into.Kind = draw.Constant
		if err := n.Decode(&into.Value); err != nil {
			return log, err
		}
		if into.Value < 0 {
			return log, n.Errorf("%s must not be negative, and is %v", n.Path(), into.Value)
		}
	} else {
		type plain draw.Dist
		if err := n.Decode((*plain)(into)); err != nil {
			return log, err
		}
		if n.Field("dist") == nil {
			return log, n.Errorf("%s.dist is missing; known are %s", n.Path(), list(draw.Kinds()))
		}
		if !slices.Contains(draw.Kinds(), into.Kind) {
			return log, n.Field("dist").Errorf("%s", strictyaml.Unknown("distribution", string(into.Kind), texts(draw.Kinds())))
		}
	}
	if file := n.Field("file"); file != nil && into.Kind == draw.Empirical {
		if n.Field("samples") != nil {
			return log, n.Field("samples").Errorf("%s is set beside file, only one of them can be", n.Field("samples").Path())
		}
		if log, err = readSamples(file, into.File, dir, sum); err != nil {
			return log, err
		}
		into.Samples = log.Pauses
	}
	if err = into.Validate(); err == nil {
		return log, nil
	}
	// The complaint begins with the field that it is about.
	param, text, _ := strings.Cut(err.Error(), ": ")
	if field := n.Field(param); field != nil {
		return log, field.Errorf("%s: %s", field.Path(), text)
	}
	return log, n.Errorf("%s: %s: %s", n.Path(), param, text)
}

// maxSampleFile bounds the file of an empirical distribution, in bytes.
const maxSampleFile = 64 << 20

// readSamples reads the file of an empirical distribution, and adds it to the hash sum.
func readSamples(n *strictyaml.Node, path, dir string, sum hash.Hash) (pauselog.Log, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	data, log, err := readPauses(path)
	if err != nil {
		return log, n.Errorf("%s: %v", n.Path(), err)
	}
	sum.Write(data)
	return log, nil
}

// ReadPauses reads a list of durations or a log of pauses of any length. Its error names the file.
func ReadPauses(path string) (pauselog.Log, error) {
	_, log, err := readLog(path)
	return log, err
}

// readPauses reads the pauses that a scenario takes from a file.
func readPauses(path string) ([]byte, pauselog.Log, error) {
	data, log, err := readLog(path)
	if err != nil {
		return data, log, err
	}
	if err := log.Fit(); err != nil {
		return data, log, fmt.Errorf("%s: %w", path, err)
	}
	return data, log, nil
}

func readLog(path string) ([]byte, pauselog.Log, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, pauselog.Log{}, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxSampleFile {
		return nil, pauselog.Log{}, fmt.Errorf("%s is no file of at most %d bytes", path, maxSampleFile)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, pauselog.Log{}, err
	}
	log, err := pauselog.Read(path, data)
	if _, named := errors.AsType[*pauselog.LineError](err); err != nil && !named {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return data, log, err
}
