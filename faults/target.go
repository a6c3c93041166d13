package faults

import "slices"

// targetKind is a kind of fault that takes hold of a target and needs no more
// to be said of it.
func targetKind(kind Kind, doc string, server bool) KindInfo {
	validate := validateWorker
	if server {
		validate = validateNode
	}
	return KindInfo{
		Kind: kind, Doc: doc, Params: []string{"target", "every", "for"}, Point: AnyPoint, Server: server,
		validate: validate,
		actions:  targets,
		words:    func(a Action) []string { return []string{a.Target} },
		parse:    func(r *stepReader) Action { return Action{Target: r.word("worker")} },
	}
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
			Target: name, Task: p.Task, By: p.By, Clock: p.Clock, PPM: p.PPM, Data: p.Data, Key: p.Key,
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
