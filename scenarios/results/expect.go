package results

import "lockquake/checker"

// Expect is the expectation for one label. The bounds limit measures over all runs, which
// [Measures] describes.
type Expect struct {
	Holds     []string `yaml:"holds" doc:"checks that must be valid in every run"`
	Violates  []string `yaml:"violates" doc:"checks that must be violated in at least one run"`
	Finished  Bound    `yaml:"finished" json:"finished,omitzero"`
	Acquired  Bound    `yaml:"acquired" json:"acquired,omitzero"`
	Refused   Bound    `yaml:"refused" json:"refused,omitzero"`
	TimedOut  Bound    `yaml:"timed-out" json:"timed-out,omitzero"`
	Failed    Bound    `yaml:"failed" json:"failed,omitzero"`
	Contended Bound    `yaml:"contended" json:"contended,omitzero"`
	Lost      Bound    `yaml:"lost" json:"lost,omitzero"`
	GivenUp   Bound    `yaml:"given-up" json:"given-up,omitzero"`
	WaitP50   Bound    `yaml:"wait-p50" json:"wait-p50,omitzero"`
	WaitP90   Bound    `yaml:"wait-p90" json:"wait-p90,omitzero"`
	WaitP99   Bound    `yaml:"wait-p99" json:"wait-p99,omitzero"`
	WaitMax   Bound    `yaml:"wait-max" json:"wait-max,omitzero"`
	HoldP50   Bound    `yaml:"hold-p50" json:"hold-p50,omitzero"`
	HoldP90   Bound    `yaml:"hold-p90" json:"hold-p90,omitzero"`
	HoldP99   Bound    `yaml:"hold-p99" json:"hold-p99,omitzero"`
	HoldMax   Bound    `yaml:"hold-max" json:"hold-max,omitzero"`
	Commands  Bound    `yaml:"commands" json:"commands,omitzero"`
}

// Judge compares the figures of all runs with the bounds.
func (e *Expect) Judge(m *checker.Metrics) []BoundResult {
	var results []BoundResult
	for _, x := range Measures() {
		b := x.Of(e)
		if b.IsZero() {
			continue
		}
		r := BoundResult{Measure: x.Name, Bound: b.text}
		if figure, ok := x.figure(m, b.Unit); ok {
			r.Figure, r.Met = b.Unit.format(figure), b.met(figure)
		}
		results = append(results, r)
	}
	return results
}

// Bounded reports whether the expectation has a bound.
func (e *Expect) Bounded() bool { return len(e.Judge(&checker.Metrics{})) > 0 }
