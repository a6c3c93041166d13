package run

import (
	"lockquake/faults"
	"lockquake/scenarios"
)

// setLinks gives the links of the world that differ their latency.
func (r *run) setLinks() error {
	for _, link := range r.Scenario.Network.Links {
		for _, from := range r.end(link.From) {
			for _, to := range r.end(link.To) {
				if err := r.world.SetLatency(from, to, link.Latency); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// end returns the nodes that the name of a link's end stands for: none if this
// run has no such server.
func (r *run) end(name string) []string {
	switch name {
	case faults.EachWorker:
		var nodes []string
		for _, worker := range r.names {
			nodes = append(nodes, r.nodes(worker)...)
		}
		return nodes
	case scenarios.LockNode:
		return r.cluster.Names()
	}
	return r.nodes(name)
}
