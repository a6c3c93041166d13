package faults

import (
	"fmt"
	"slices"
)

// partitionKind cuts a link in one direction. Two of them cut it in both.
func partitionKind() KindInfo {
	return KindInfo{
		Kind:     Partition,
		Doc:      "cuts a link in one direction; its messages are held until it heals, or dropped",
		Params:   []string{"from", "to", "mode", "every", "for"},
		Point:    AnyPoint,
		validate: validatePartition,
		actions: func(s Spec, workers []string) []Action {
			mode := s.Params.Mode
			if mode == "" {
				mode = ModeHold
			}
			var actions []Action
			for _, from := range each(s.Params.From, workers) {
				for _, to := range each(s.Params.To, workers) {
					if from != to {
						actions = append(actions, Action{From: from, To: to, Mode: mode})
					}
				}
			}
			return actions
		},
		words: func(a Action) []string { return []string{a.From, "->", a.To, string(a.Mode)} },
		parse: func(r *stepReader) Action {
			var a Action
			a.From = r.word("begin of the link")
			r.expect("->")
			a.To = r.word("end of the link")
			a.Mode = Mode(r.word("mode"))
			if !slices.Contains(modes(), a.Mode) {
				r.fail("unknown mode %q of a partition, known are %v", a.Mode, modes())
			}
			return a
		},
	}
}

func modes() []Mode {
	return []Mode{ModeHold, ModeDrop}
}

func validatePartition(s Spec, workers, nodes []string) error {
	for _, end := range []struct{ param, name string }{{"from", s.Params.From}, {"to", s.Params.To}} {
		switch {
		case end.name == "":
			return &ParamError{end.param, "is missing"}
		case end.name != EachWorker && !slices.Contains(workers, end.name) && !slices.Contains(nodes, end.name):
			return unknownName(end.param, "worker or server", end.name)
		}
	}
	if s.Params.From == s.Params.To {
		return &ParamError{"to", fmt.Sprintf("a link from %s to %[1]s cannot be cut", s.Params.To)}
	}
	if mode := s.Params.Mode; mode != "" && !slices.Contains(modes(), mode) {
		return &ParamError{"mode", fmt.Sprintf("unknown mode %q, known are %v", mode, modes())}
	}
	return nil
}
