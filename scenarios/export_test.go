package scenarios

import (
	"lockquake/scenarios/workload"
	"lockquake/sim/backend"
)

// ParseKnowing reads a scenario as Parse does, and knows more families of servers and
// more workloads.
func ParseKnowing(name string, data []byte, more []backend.Family, workloads ...workload.Info) (*Scenario, error) {
	c := known(append(Families(), more...), nil)
	c.workloads = append(c.workloads, workloads...)
	return parse(name, data, c)
}

// SchemaKnowing is the schema of a program with more families of servers.
func SchemaKnowing(more ...backend.Family) map[string]any {
	return families(append(Families(), more...)).schema(nil)
}
