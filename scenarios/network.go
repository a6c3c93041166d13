package scenarios

import (
	"fmt"
	"slices"

	"lockquake/faults"
	"lockquake/internal/draw"
)

// Network is how long messages are under way.
type Network struct {
	// Latency is that of every link, in each direction.
	Latency draw.Dist `yaml:"latency"`
	// Links are those that differ from it. A later one wins.
	Links []Link `yaml:"links"`
}

// Link is one direction between workers and servers.
type Link struct {
	// From and To are the names of a worker or of a server, or "each worker";
	// "lock" stands for all servers of the lock.
	From string `yaml:"from"`
	To   string `yaml:"to"`
	// Latency takes the place of the network's.
	Latency draw.Dist `yaml:"latency"`
}

// network judges the links that differ from the others.
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

// ends sees that a link exists: one between workers and a server, or between
// two servers of the lock.
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
