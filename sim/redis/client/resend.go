package client

import (
	"context"
	"errors"
	"net"
	"strings"
	"time"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/sim"
)

// resend reports whether go-redis would resend the command after err. A timeout counts only if it
// was the command's own.
func resend(err error, sent bool) bool {
	var refused *net.OpError
	if errors.As(err, &refused) && refused.Op == "dial" {
		return true
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	if errors.Is(err, sim.ErrTimeout) {
		return sent
	}
	if text, ok := serverError(err); ok {
		code, _, _ := strings.Cut(text, " ")
		switch code {
		case "LOADING", "READONLY", "CLUSTERDOWN", "TRYAGAIN", "MASTERDOWN", "NOREPLICAS":
			return true
		}
		return strings.HasPrefix(text, "ERR max number of clients reached")
	}
	return errors.Is(err, goredis.ErrPoolTimeout) || errors.Is(err, sim.ErrReset)
}

// serverError returns the text of an error reply.
func serverError(err error) (string, bool) {
	if sent, ok := errors.AsType[goredis.Error](err); ok {
		return sent.Error(), true
	}
	return "", false
}

// backoff draws the pause before the given attempt.
func (c *hook) backoff(attempt int) time.Duration {
	shortest, longest := c.options.MinRetryBackoff, c.options.MaxRetryBackoff
	if shortest < 0 || longest < 0 {
		return 0
	}
	spread := shortest << attempt
	if spread < shortest {
		return longest
	}
	if c.random == nil {
		c.random = c.env.Rand("backoff to " + c.first)
	}
	return min(shortest+time.Duration(c.random.Int64N(int64(spread))), longest)
}
