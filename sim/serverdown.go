package sim

import "slices"

// Crash ends the node's server: every connection to it is reset for both ends, and Server.Closed is
// called for each. Requests that it had received and not served are lost. Until Restart, dials are
// refused and arriving messages are lost. The node's other processes go on.
//
// A client behind a cut link learns of the reset when the link heals.
func (n *Node) Crash() {
	if n.down {
		return
	}
	n.world.note(kindCrash, n.name, "server", 0)
	n.down = true
	if n.service != nil {
		n.service.abandon()
	}
	// A client that dialled a suspended node is refused when the node wakes.
	n.inbox = slices.DeleteFunc(n.inbox, func(m *message) bool { return !m.opens() })
	for _, c := range slices.Clone(n.conns) {
		c.serverCrashed()
	}
}

// Restart makes the node's server listen again. It has no connections from before the crash.
func (n *Node) Restart() {
	if !n.down {
		return
	}
	n.world.note(kindRestart, n.name, "server", 0)
	n.down = false
}

// Down reports whether the node's server has crashed and not been restarted.
func (n *Node) Down() bool { return n.down }

// serverCrashed ends a connection whose server has crashed.
func (c *Conn) serverCrashed() {
	// At once, even if the node is stopped: no process is left that could wait.
	c.serverClosed(ErrReset)
	back := c.down.link
	if back.open() {
		c.Reset()
		return
	}
	c.kill()
	back.resetLater(c)
}
