package toy

import (
	"context"

	"lockquake/lock/env"
	"lockquake/lock/toy"
	"lockquake/sim"
)

// client implements toy.Port for the workers of one process.
type client struct {
	process  *sim.Process
	node     string
	settings settings
	conn     *sim.Conn
}

func (c *client) Swap(ctx context.Context, q toy.Swap) (bool, error) {
	for n := 1; c.conn == nil || c.conn.Err() != nil; n++ {
		conn, err := c.process.Dial(ctx, c.node, c.settings.Toy.Wait)
		if err == nil {
			c.conn = conn
		} else if n >= c.settings.Toy.Dials {
			return false, err
		}
	}
	answer, err := c.conn.Call(ctx, env.Op(ctx), &request{q}, c.settings.Toy.Wait)
	if err != nil {
		c.conn.Close()
		return false, err
	}
	return answer.(*reply).swapped, nil
}
