package sim

import "slices"

// Crash ends the process of the node's server: every connection to it is reset
// for both ends, and the server is told so as if the clients had done it. What
// it had received and not served is gone. Until Restart a dial is refused and
// a message that arrives is lost. The other processes of the node live on.
//
// A client that the node cannot reach, because the link to it is cut, learns
// of the reset when the link heals.
func (n *Node) Crash() {
	if n.down {
		return
	}
	n.world.note(kindCrash, n.name, "server", 0)
	n.down = true
	if n.service != nil {
		n.service.abandon()
	}
	// A client that dialled a node that sleeps is refused when it wakes.
	n.inbox = slices.DeleteFunc(n.inbox, func(m *message) bool { return !m.opens() })
	for _, c := range slices.Clone(n.conns) {
		c.loseServer()
	}
}

// Restart lets the node's server listen again. It knows no connection of its
// former life.
func (n *Node) Restart() {
	if !n.down {
		return
	}
	n.world.note(kindRestart, n.name, "server", 0)
	n.down = false
}

// Down reports whether the node's server has crashed and not been restarted.
func (n *Node) Down() bool { return n.down }

// loseServer is the end of a connection whose server has crashed.
func (c *Conn) loseServer() {
	// At once, even if the node is stopped: there is nobody who could wait.
	c.serverClosed(ErrReset)
	back := c.down.link
	if back.open() {
		c.reset()
		return
	}
	c.die()
	back.broken = append(back.broken, c)
}
