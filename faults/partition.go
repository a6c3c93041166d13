package faults

import (
	"cmp"
	"fmt"
	"slices"
)

// partitionKind cuts a link in one direction. Two of them cut it in both.
func partitionKind() KindInfo {
	info := linkKind(Partition,
		"cuts a link in one direction; its messages are held until it heals, or dropped, or its connections reset", "mode", "every", "for")
	info.validate = validatePartition
	info.actions = func(s Spec, workers []string) []Action {
		mode := cmp.Or(s.Params.Mode, ModeHold)
		actions := links(s, workers)
		for i := range actions {
			actions[i].Mode = mode
		}
		return actions
	}
	info.words = func(a Action) []string { return append(linkWords(a), string(a.Mode)) }
	info.parse = func(r *stepReader) Action {
		a := parseLink(r)
		a.Mode = Mode(r.word("mode"))
		if !slices.Contains(Modes(), a.Mode) {
			r.fail("unknown mode %q of a partition, known are %v", a.Mode, Modes())
		}
		return a
	}
	return info
}

func validatePartition(s Spec, workers, nodes []string) error {
	if err := validateLink(s, workers, nodes); err != nil {
		return err
	}
	if mode := s.Params.Mode; mode != "" && !slices.Contains(Modes(), mode) {
		return &ParamError{"mode", fmt.Sprintf("unknown mode %q, known are %v", mode, Modes())}
	}
	return nil
}
