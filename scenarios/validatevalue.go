package scenarios

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"lockquake/internal/strictyaml"
)

// isName reports whether a text can name a scenario or a case.
func isName(text string) bool {
	return len(text) <= LongestName && regexp.MustCompile(namePattern).MatchString(text)
}

// count is a whole number of a scenario with its bounds.
type count struct {
	path              string
	value, low, above int
}

// setting is a value that a part of a file may set, with its check.
type setting struct {
	path  string // within that part
	judge func(at string) error
}

// judgeSettings checks the settings that the part of the file at a path has.
func judgeSettings(at string, has func(path string) bool, settings []setting) error {
	for _, s := range settings {
		if !has(s.path) {
			continue
		}
		if err := s.judge(at + "." + s.path); err != nil {
			return err
		}
	}
	return nil
}

func (v *validator) durationSetting(path string, d, shortest time.Duration) setting {
	return setting{path, func(at string) error { return v.duration(at, d, shortest, longestTime) }}
}

func (v *validator) nameSetting(path, sort, word string, known []string) setting {
	return setting{path, func(at string) error { return v.name(at, sort, word, known) }}
}

func (v *validator) countSettings(counts []count) []setting {
	var settings []setting
	for _, n := range counts {
		settings = append(settings, setting{n.path, func(at string) error { return v.count(at, n) }})
	}
	return settings
}

// worker checks that name is a worker; others are the other allowed words.
func (v *validator) worker(at, name string, others ...string) error {
	switch {
	case slices.Contains(v.workers, name):
		return nil
	case regexp.MustCompile(`^worker-[0-9]+$`).MatchString(name):
		return v.at.Errorf(at, "%s: there is no %s; the last worker is %s", at, name, v.workers[len(v.workers)-1])
	case slices.Contains(others, ResourceNode) && regexp.MustCompile(`^(`+nodePattern()+`|lock-.*)$`).MatchString(name):
		return v.at.Errorf(at, "%s: there is no server %s; the servers are %s", at, name, strings.Join(v.nodes(), ", "))
	case slices.Contains(others, ResourceNode):
		return v.at.Errorf(at, "%s: %s", at, strictyaml.Unknown("worker or server", name, append(others, v.workers...)))
	default:
		return v.at.Errorf(at, "%s: %s", at, strictyaml.Unknown("worker", name, append(others, v.workers...)))
	}
}

// name checks that word is one of the known names of its sort.
func (v *validator) name(at, sort, word string, known []string) error {
	if slices.Contains(known, word) {
		return nil
	}
	return v.at.Errorf(at, "%s", strictyaml.Unknown(sort, word, known))
}

func (v *validator) count(at string, n count) error {
	if n.value < n.low || n.value > n.above {
		return v.at.Errorf(at, "%s must be between %d and %d, and is %d", at, n.low, n.above, n.value)
	}
	return nil
}

func (v *validator) duration(at string, d, shortest, longest time.Duration) error {
	if d < shortest || d > longest {
		return v.at.Errorf(at, "%s must be between %v and %v, and is %v", at, shortest, longest, d)
	}
	return nil
}

func (v *validator) missing(path string) error {
	return v.at.Errorf(path, "%s is missing", path)
}
