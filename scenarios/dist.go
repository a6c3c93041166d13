package scenarios

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lockquake/internal/draw"
	"lockquake/internal/pauselog"
	"lockquake/internal/strictyaml"
	"lockquake/scenarios/results"
)

// samples is the file of an empirical distribution.
type samples struct {
	file string // as the scenario names it
	data []byte // of the file
	log  pauselog.Log
}

// Files returns the files of empirical distributions, by the name that the scenario has for them. With
// [ParseWithFiles] the scenario can be read where they are not.
func (s *Scenario) Files() map[string][]byte {
	files := map[string][]byte{}
	for _, of := range s.samples {
		files[of.file] = of.data
	}
	return files
}

// sampleReader reads the file of an empirical distribution, by the name that the scenario has for it.
type sampleReader func(name string) ([]byte, pauselog.Log, error)

// samplesIn reads files from a folder, except those that are given.
func samplesIn(dir string, given map[string][]byte) sampleReader {
	return func(name string) ([]byte, pauselog.Log, error) {
		path := name
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		if data, ok := given[name]; ok {
			return fitPauses(path, data)
		}
		return readPauses(path)
	}
}

// Samples lists the files of empirical distributions.
func (s *Scenario) Samples() []results.Samples {
	var files []results.Samples
	for _, path := range slices.Sorted(maps.Keys(s.samples)) {
		of := s.samples[path]
		i := slices.IndexFunc(files, func(f results.Samples) bool { return f.File == of.file })
		if i < 0 {
			i, files = len(files), append(files, described(of.file, of.log))
		}
		files[i].Of = append(files[i].Of, path)
	}
	return files
}

// ParseDist reads a distribution in the form of a scenario file in the folder dir: a duration, or a
// map such as {dist: uniform, max: 3s}. Its error is one line.
func ParseDist(text, dir string) (draw.Dist, error) {
	decoder := strictyaml.Decoder{Hooks: hooks(samplesIn(dir, nil), sha256.New(), map[string]samples{})}
	var d struct {
		Distribution draw.Dist `yaml:"distribution"`
	}
	_, err := decoder.Decode("distribution", []byte("distribution: "+text), &d)
	if inFile, ok := errors.AsType[*strictyaml.Error](err); ok {
		err = errors.New(inFile.Text)
	}
	return d.Distribution, err
}

// MeasuredPauses reads a file of pauses, a list or a log, as a scenario does. It returns what the file is, and
// the durations in the order of the file. Its error is one line that names the file.
func MeasuredPauses(path string) (results.Samples, []time.Duration, error) {
	_, log, err := readPauses(path)
	if err != nil {
		return results.Samples{}, nil, err
	}
	return described(path, log), log.Pauses, nil
}

// described returns what a file of durations is.
func described(file string, log pauselog.Log) results.Samples {
	return results.Samples{File: file, Kind: string(log.Kind), Count: len(log.Pauses), Longest: log.Longest(), Span: log.Span}
}

// decodeDist reads a duration that is always the same, or a map that says how
// durations are spread.
func decodeDist(n *strictyaml.Node, into *draw.Dist, read sampleReader, sum hash.Hash) (of samples, err error) {
	*into = draw.Dist{}
	if !n.IsMap() {
		into.Kind = draw.Constant
		if err := n.Decode(&into.Value); err != nil {
			return of, err
		}
		if into.Value < 0 {
			return of, n.Errorf("%s must not be negative, and is %v", n.Path(), into.Value)
		}
	} else {
		type plain draw.Dist
		if err := n.Decode((*plain)(into)); err != nil {
			return of, err
		}
		if n.Field("dist") == nil {
			return of, n.Errorf("%s.dist is missing; known are %s", n.Path(), list(draw.Kinds()))
		}
		if !slices.Contains(draw.Kinds(), into.Kind) {
			return of, n.Field("dist").Errorf("%s", strictyaml.Unknown("distribution", string(into.Kind), texts(draw.Kinds())))
		}
	}
	if file := n.Field("file"); file != nil && into.Kind == draw.Empirical {
		if n.Field("samples") != nil {
			return of, n.Field("samples").Errorf("%s is set beside file, only one of them can be", n.Field("samples").Path())
		}
		of.file = into.File
		if of.data, of.log, err = read(into.File); err != nil {
			return of, file.Errorf("%s: %v", file.Path(), err)
		}
		sum.Write(plainText(of.data))
		into.Samples = of.log.Pauses
	}
	if err = into.Validate(); err == nil {
		return of, nil
	}
	// The complaint begins with the field that it is about.
	param, text, _ := strings.Cut(err.Error(), ": ")
	if field := n.Field(param); field != nil {
		return of, field.Errorf("%s: %s", field.Path(), text)
	}
	return of, n.Errorf("%s: %s: %s", n.Path(), param, text)
}

// maxSampleFile bounds the file of an empirical distribution, in bytes.
const maxSampleFile = 64 << 20

// ReadPauses reads a list of durations or a log of pauses of any length. Its error names the file.
func ReadPauses(path string) (pauselog.Log, error) {
	data, err := readFile(path)
	if err != nil {
		return pauselog.Log{}, err
	}
	return parseLog(path, data)
}

// readPauses reads the pauses that a scenario takes from a file.
func readPauses(path string) ([]byte, pauselog.Log, error) {
	data, err := readFile(path)
	if err != nil {
		return nil, pauselog.Log{}, err
	}
	return fitPauses(path, data)
}

// fitPauses reads the pauses that a scenario takes from the bytes of a file.
func fitPauses(path string, data []byte) ([]byte, pauselog.Log, error) {
	log, err := parseLog(path, data)
	if err != nil {
		return data, log, err
	}
	if err := log.Fit(); err != nil {
		return data, log, fmt.Errorf("%s: %w", path, err)
	}
	return data, log, nil
}

func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory, and has to be a file of durations or a log", path)
	case !info.Mode().IsRegular(): // it would be read more than once
		return nil, fmt.Errorf("%s is a pipe or a device: write what it has into a file first", path)
	case info.Size() > maxSampleFile:
		return nil, fmt.Errorf("%s has %d bytes, and may have at most %d", path, info.Size(), maxSampleFile)
	}
	return os.ReadFile(path)
}

func parseLog(path string, data []byte) (pauselog.Log, error) {
	log, err := pauselog.Read(path, data)
	if _, named := errors.AsType[*pauselog.LineError](err); err != nil && !named {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return log, err
}
