package lock

import (
	"strings"
	"testing"
)

func TestTopologyRefusesEvenNumbersAndReplicasOfSeveralServers(t *testing.T) {
	for _, test := range []struct {
		topology Topology
		quorum   int
		wrong    string
	}{
		{Topology{}, 1, ""},
		{Topology{Nodes: 1, Replicas: 1}, 1, ""},
		{Topology{Nodes: 3}, 2, ""},
		{Topology{Nodes: 4}, 3, "take an odd number"},
		{Topology{Nodes: 5}, 3, ""},
		{Topology{Nodes: 3, Replicas: 1}, 2, "only a single server"},
		{Topology{Replicas: 2}, 1, "at most one replica"},
		{Topology{Nodes: 1, Members: 3}, 1, ""},
		{Topology{Nodes: 1, Members: 4}, 1, "take an odd number"},
		{Topology{Nodes: 3, Members: 3}, 2, "its only servers"},
	} {
		err := test.topology.Validate()
		if test.wrong == "" && err != nil || test.wrong != "" && (err == nil || !strings.Contains(err.Error(), test.wrong)) {
			t.Errorf("%+v: %v, want %q", test.topology, err, test.wrong)
		}
		if got := test.topology.Quorum(); got != test.quorum {
			t.Errorf("%+v: a quorum of %d, want %d", test.topology, got, test.quorum)
		}
	}
}
