package sim

import "time"

const (
	// resendFor is how long the kernel sends unacknowledged data again before it gives up: the hypothetical timeout of
	// Linux for tcp_retries2 = 15 and the smallest retransmission timeout, 200 ms.
	resendFor = 924600 * time.Millisecond
	// clientProbe is how long a connection of Go's net.Dialer is idle before its kernel probes the server.
	clientProbe = 15 * time.Second
)

// SetKeepAlive makes the kernel of the node end connections whose client it cannot reach, because a link between them
// is cut in either direction, or because the client's machine is suspended. The kernel ends an idle connection after
// d, the time of TCP keep-alive. If the client has not acknowledged a message of the server, the kernel sends the
// message again instead of a probe, and gives up after 924.6 s. The server gets ErrTimeout. The client gets a reset as
// soon as a reset can reach it: after a suspend, in answer to its next message or probe. Without SetKeepAlive, the
// server learns of a lost connection when the link heals.
func (n *Node) SetKeepAlive(d time.Duration) { n.keepAlive = d }

// outage is a time in which the server's kernel cannot reach the client of a connection. Nothing is acknowledged in it.
type outage struct {
	probed    event // the end of keep-alive
	resent    event // the end of the retransmissions
	resending bool
}

// checkReach begins or ends the outages of the connections between two nodes after a change of a link.
func checkReach(a, b *Node) {
	for _, ends := range [][2]*Node{{a, b}, {b, a}} {
		client, server := ends[0], ends[1]
		if server.keepAlive == 0 {
			continue
		}
		for _, c := range server.conns {
			if c.process.node == client {
				c.checkReach()
			}
		}
	}
}

// checkReach begins or ends the outages of the connections of a node that falls asleep or wakes.
func (n *Node) checkReach() {
	for _, p := range n.processes {
		for _, c := range p.conns {
			c.checkReach()
		}
	}
}

func (c *Conn) checkReach() {
	server := c.node
	if server.keepAlive == 0 || !c.served || c.serverGone || c.broke != nil {
		return
	}
	reached := c.up.link.open() && c.down.link.open() && c.process.node.suspended == 0
	switch {
	case reached && c.outage != nil:
		c.endOutage()
	case !reached && c.outage == nil:
		o := &outage{}
		c.outage = o
		o.probed.what = funcFirer(func() {
			if !o.resending {
				c.timeOut()
			}
		})
		o.resent.what = funcFirer(c.timeOut)
		server.arm(&o.probed, server.keepAlive)
		if c.down.unacked > 0 {
			c.resend()
		}
	}
}

// resend begins the retransmission of a message of the server in an outage, unless it has begun.
func (c *Conn) resend() {
	if o := c.outage; !o.resending {
		o.resending = true
		c.node.arm(&o.resent, resendFor)
	}
}

func (c *Conn) endOutage() {
	c.node.world.cancel(&c.outage.probed)
	c.node.world.cancel(&c.outage.resent)
	c.outage = nil
}

// timeOut ends the connection at the server after an outage.
func (c *Conn) timeOut() {
	c.endOutage()
	c.kill()
	c.forgotten = true
	c.endServer(ErrTimeout)
	c.refuse()
}

// refuse sends a reset to the client of a connection that the server's kernel has ended.
func (c *Conn) refuse() {
	client, back := c.process.node, c.down.link
	switch {
	case !c.forgotten:
		return
	case c.err == nil && client.suspended > 0: // the reset is lost: a probe or a message of the client gets another one
		if c.probe == nil {
			c.probe = &event{what: funcFirer(c.refuse)}
			client.arm(c.probe, clientProbe)
		}
		return
	case c.probe != nil:
		c.node.world.cancel(c.probe)
	}
	c.forgotten = false
	switch {
	case c.err != nil:
	case back.open():
		c.Reset()
	default:
		back.resetLater(c)
	}
}
