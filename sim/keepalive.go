package sim

import (
	"slices"
	"time"
)

// SetKeepAlive makes the kernel of the node probe idle connections: the node's server is told of a
// client that has been cut off for d. Without it the server learns of a lost connection when the
// link heals.
func (n *Node) SetKeepAlive(d time.Duration) { n.keepAlive = d }

// keepAlive ends the connections between two nodes for their server if the link, which has just
// begun to drop messages, does so for too long. A probe and its answer need both directions.
func (l *link) keepAlive(a, b *Node) {
	t := l.inTrouble()
	t.cuts++
	cut := t.cuts
	for _, ends := range [][2]*Node{{a, b}, {b, a}} {
		client, server := ends[0], ends[1]
		if server.keepAlive == 0 {
			continue
		}
		l.world.At(l.world.Time()+server.keepAlive, func() {
			if l.drops == 0 || t.cuts != cut {
				return
			}
			for _, c := range slices.Clone(server.conns) {
				if c.process.node == client {
					c.kill()
					t.broken = append(t.broken, c)
					c.serverClosed(ErrTimeout)
				}
			}
		})
	}
}
