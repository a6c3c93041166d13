package scenarios

import (
	"fmt"
	"slices"

	"lockquake/faults"
	"lockquake/internal/draw"
)

// Network has the latencies of messages.
type Network struct {
	Latency draw.Dist `yaml:"latency" doc:"latency of a message, in each direction"`
	Links   []Link    `yaml:"links" doc:"links with their own latency, one direction each; a later entry overrides an earlier one"`
}

// Link is one direction between workers and servers.
type Link struct {
	From    string    `yaml:"from" doc:"where the messages come from: a worker, each worker or a server; lock stands for all servers of the lock"`
	To      string    `yaml:"to" doc:"where the messages go"`
	Latency draw.Dist `yaml:"latency" doc:"latency of a message in this direction"`
}

// network checks the links that differ from the others.
func (v *validator) network() error {
	for i, link := range v.Network.Links {
		at := fmt.Sprintf("network.links[%d]", i)
		if err := v.ends(at, link.From, link.To); err != nil {
			return err
		}
		if known := v.nodes(); slices.Contains(known, link.From) && slices.Contains(known, link.To) {
			return v.at.Errorf(at+".to", "%s.to: one end must be a worker or each worker; how far a replica is behind is servers.lag", at)
		}
		if !v.at.Has(at + ".latency") {
			return v.missing(at + ".latency")
		}
	}
	return nil
}

// ends checks that a link exists: one between workers and a server, or between two servers of the
// lock.
func (v *validator) ends(at, from, to string) error {
	servers, known := 0, v.nodes()
	for _, end := range []struct{ param, name string }{{"from", from}, {"to", to}} {
		switch {
		case end.name == "":
			return v.missing(at + "." + end.param)
		case slices.Contains(known, end.name):
			servers++
		case end.name != faults.EachWorker:
			if err := v.worker(at+"."+end.param, end.name, append(known, faults.EachWorker)...); err != nil {
				return err
			}
		}
	}
	switch {
	case servers == 0:
		return v.at.Errorf(at+".to", "%s.to: two workers have no link; one end must be lock or resource", at)
	case servers == 2 && (from == ResourceNode || to == ResourceNode):
		return v.at.Errorf(at+".to", "%s.to: the lock and the resource have no link; one end must be a worker or each worker", at)
	}
	return nil
}
