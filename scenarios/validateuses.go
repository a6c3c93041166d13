package scenarios

import (
	"cmp"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"lockquake/lock"
)

// expand replaces patterns by the strategies that they match.
func (v *validator) expand() error {
	if len(v.Strategies) == 0 {
		return v.at.Errorf("strategies", "strategies must name at least one")
	}
	var uses []Strategy
	for i, use := range v.Strategies {
		at := fmt.Sprintf("strategies[%d]", i)
		names := []string{use.Name}
		switch {
		case use.Name == "":
			return v.missing(at + ".name")
		case use.Name == soundPattern, strings.ContainsAny(use.Name, `*?[\`):
			var err error
			if names, err = v.match(at, use); err != nil {
				return err
			}
		case !slices.Contains(v.known.strategies, use.Name):
			var ok bool
			if use, ok = asLibrary(use); !ok {
				return v.at.Errorf(at+".name", "%s", unknownStrategy(use.Name, slices.Concat(v.known.strategies, libraryNames()), len(v.known.own) == 0))
			}
			names = []string{use.Name}
		}
		pattern := use
		for _, name := range names {
			use.Name, use.Label = name, pattern.Label
			if pattern.Name != name {
				use.Label = strings.ReplaceAll(pattern.Label, "*", name)
			}
			uses = append(uses, use)
			v.uses = append(v.uses, at)
		}
	}
	v.Strategies = uses
	return nil
}

// needs checks that each strategy gets the work that it needs. A campaign judges the strategies that
// replace those of the file.
func (v *validator) needs() error {
	for i, use := range v.Strategies {
		if text := v.unfit(v.known.entries[use.Name], use); text != "" && !v.known.others() {
			return v.at.Errorf(v.uses[i], "%s", text)
		}
	}
	return nil
}

// selects reports whether a pattern selects a strategy.
func (v *validator) selects(pattern, name string) (bool, error) {
	if pattern == soundPattern {
		return !v.known.entries[name].Flawed && name != lock.None().Name, nil
	}
	return path.Match(pattern, name)
}

// match lists the strategies that match a pattern and get the work that they need.
func (v *validator) match(at string, pattern Strategy) ([]string, error) {
	var names []string
	unfit := ""
	for _, name := range v.known.strategies {
		matched, err := v.selects(pattern.Name, name)
		if err != nil {
			return nil, v.at.Errorf(at+".name", "%q is no pattern: %v", pattern.Name, err)
		}
		if !matched {
			continue
		}
		if text := v.unfit(v.known.entries[name], Strategy{Name: name, Workload: pattern.Workload}); text != "" {
			unfit = text
			continue
		}
		names = append(names, name)
	}
	switch {
	case len(names) == 0 && unfit != "":
		return nil, v.at.Errorf(at+".name", "%s", unfit)
	case len(names) == 0:
		return nil, v.at.Errorf(at+".name", "no strategy matches %q; known are %s", pattern.Name, strings.Join(v.known.strategies, ", "))
	case len(names) > 1 && v.at.Has(at+".label") && !strings.Contains(pattern.Label, "*"):
		return nil, v.at.Errorf(at+".label", "%s cannot be a label of %d strategies", pattern.Label, len(names))
	}
	return names, nil
}

// labels checks that every use of a strategy has a label of its own.
func (v *validator) labels() error {
	first := map[string]int{}
	for i := range v.Strategies {
		use, at := &v.Strategies[i], v.uses[i]
		if !v.at.Has(at + ".label") {
			use.Label = cmp.Or(use.Library, use.Name)
		}
		if use.Label != strings.TrimSpace(use.Label) || use.Label == "" || len(use.Label) > LongestName ||
			regexp.MustCompile(`[^\pL\pM\pN\pP\pS ]`).MatchString(use.Label) {
			return v.at.Errorf(at+".label", "%s.label must be one short line without space around it", at)
		}
		if before, ok := first[use.Label]; ok {
			line, _ := v.at.Of(v.uses[before])
			return v.at.Errorf(at+".label", "the label %q is that of line %d already; give one of them another label", use.Label, line)
		}
		first[use.Label] = i
		if use.Resource.Has("fence") {
			if err := v.name(at+".resource.fence", "fence policy", v.ResourceOf(*use).Fence, v.known.fences); err != nil {
				return err
			}
		}
		if err := v.home(at, *use); err != nil {
			return err
		}
		fenced := v.Lock.Has("fence") || use.Lock.Has("fence") || !v.known.tokenless[use.Name]
		if fence := v.ResourceOf(*use).Fence; fence != "off" && !fenced && !v.known.others() {
			return v.at.Errorf(at, "%s", tokenless(*use, fence))
		}
	}
	return nil
}
