package scenarios

import "lockquake/scenarios/workload"

// ParseKnowing reads a scenario as Parse does, and knows more workloads.
func ParseKnowing(name string, data []byte, workloads ...workload.Info) (*Scenario, error) {
	c := known(nil)
	c.workloads = append(c.workloads, workloads...)
	return parse(name, data, c)
}
