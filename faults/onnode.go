package faults

import (
	"slices"
	"time"
)

// workerKind is a kind of fault that takes hold of a worker.
func workerKind(kind Kind, doc string, params ...string) KindInfo {
	return KindInfo{
		Kind: kind, Doc: doc, Params: append([]string{"target"}, params...), Point: AnyPoint,
		validate: validateWorker,
		actions:  targets,
		words:    func(a Action) []string { return []string{a.Target} },
		parse:    func(r *stepReader) Action { return Action{Target: r.word("worker")} },
	}
}

// nodeKind is a kind of fault that takes hold of a worker or a server.
func nodeKind(kind Kind, doc string, params ...string) KindInfo {
	info := workerKind(kind, doc, params...)
	info.Server, info.validate = true, validateNode
	return info
}

// withBy puts into the text of a step by how much it does something, which is least
// or more.
func (info KindInfo) withBy(target string, least time.Duration) KindInfo {
	info.words = func(a Action) []string { return []string{a.Target, "by", a.By.String()} }
	info.parse = func(r *stepReader) Action {
		a := Action{Target: r.word(target)}
		r.expect("by")
		a.By = r.duration(least)
		return a
	}
	return info
}

// targets makes an action for each worker or server that a fault of one target
// takes hold of. Without a target it is the worker that comes to the point.
func targets(s Spec, workers []string) []Action {
	target := s.Params.Target
	if target == "" {
		target = lockServers
		if info, _ := kindInfo(s.Kind); !info.OnlyServer {
			target = s.When.Worker
		}
	}
	var actions []Action
	for _, name := range each(target, workers) {
		p := s.Params
		actions = append(actions, Action{
			Target: name, Task: p.Task, By: p.By, Clock: p.Clock, PPM: p.PPM, Data: p.Data, Key: p.Key, With: p.With,
		})
	}
	return actions
}

// lockServers stands for every server of the lock.
const lockServers = "lock"

// validateWorker refuses a target that is no worker.
func validateWorker(s Spec, workers, _ []string) error {
	return validateTarget(s, "worker", workers)
}

// validateNode refuses a target that is neither a worker nor a server.
func validateNode(s Spec, workers, nodes []string) error {
	return validateTarget(s, "worker or server", append(slices.Clone(workers), nodes...))
}

// validateServer refuses a target that is no server. Without one it is every
// server of the lock.
func validateServer(s Spec, _, nodes []string) error {
	if target := s.Params.Target; target != "" && !slices.Contains(nodes, target) {
		return unknownName("target", "server", target)
	}
	return nil
}

func validateTarget(s Spec, what string, known []string) error {
	switch target := s.Params.Target; {
	case target == "" && s.When == nil:
		return &ParamError{"target", "is missing"}
	case target != "" && target != EachWorker && !slices.Contains(known, target):
		return unknownName("target", what, target)
	}
	return nil
}
