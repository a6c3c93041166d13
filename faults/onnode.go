package faults

import "slices"

// OnNode is a fault of a worker or a server.
type OnNode struct {
	// Target is a worker's name, EachWorker, or a server: "lock" for every server of the
	// lock, "lock-2" or "lock-replica" for one of them, "resource". With When, the
	// default is the worker that comes to the point.
	Target string `yaml:"target" doc:"the target of the fault; with when, by default the worker that reaches the point"`
}

func (n *OnNode) names() []*string    { return []*string{&n.Target} }
func (n *OnNode) describe(info *Info) { info.Point, info.Server = AnyPoint, true }
func (n *OnNode) words() []string     { return []string{n.Target} }
func (n *OnNode) read(r *reader)      { n.Target = r.word("worker or server") }

func (n *OnNode) check(s Spec, workers, nodes []string) error {
	return checkTarget(s, n.Target, "worker or server", append(slices.Clone(workers), nodes...))
}

// OnWorker is a fault of a worker.
type OnWorker struct {
	// Target is a worker's name or EachWorker. With When, the default is the worker that
	// comes to the point.
	Target string `yaml:"target" doc:"the target of the fault; with when, by default the worker that reaches the point"`
}

func (w *OnWorker) names() []*string    { return []*string{&w.Target} }
func (w *OnWorker) describe(info *Info) { info.Point = AnyPoint }
func (w *OnWorker) words() []string     { return []string{w.Target} }
func (w *OnWorker) read(r *reader)      { w.Target = r.word("worker") }

func (w *OnWorker) check(s Spec, workers, _ []string) error {
	return checkTarget(s, w.Target, "worker", workers)
}

// Ends implements Fault for an instant kind, and for one whose end changes nothing at once.
func (*OnWorker) Ends(Scene) (text string, turning bool) { return "", false }

func checkTarget(s Spec, target, what string, known []string) error {
	switch {
	case target == "" && s.When == nil:
		return &ParamError{"target", "is missing"}
	case target != "" && target != EachWorker && !slices.Contains(known, target):
		return unknownName("target", what, target)
	}
	return nil
}
