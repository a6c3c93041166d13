package faults

import (
	"fmt"
	"slices"
)

// partitionKind cuts a link in one direction. Two of them cut it in both.
func partitionKind() KindInfo {
	return KindInfo{
		Kind:     Partition,
		Doc:      "cuts a link in one direction; its messages are held until it heals, or dropped, or its connections reset",
		Params:   []string{"from", "to", "mode", "every", "for"},
		Point:    AnyPoint,
		validate: validatePartition,
		actions: func(s Spec, workers []string) []Action {
			mode := s.Params.Mode
			if mode == "" {
				mode = ModeHold
			}
			actions := links(s, workers)
			for i := range actions {
				actions[i].Mode = mode
			}
			return actions
		},
		words: func(a Action) []string { return append(linkWords(a), string(a.Mode)) },
		parse: func(r *stepReader) Action {
			a := parseLink(r)
			a.Mode = Mode(r.word("mode"))
			if !slices.Contains(Modes(), a.Mode) {
				r.fail("unknown mode %q of a partition, known are %v", a.Mode, Modes())
			}
			return a
		},
	}
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
