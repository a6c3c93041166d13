package redis

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
)

// unknown says what an acquire does that got no answer.
type unknown struct {
	// forgets: the acquire counts as refused, and its value is not deleted.
	forgets bool
	// resends is how often the request is sent again.
	resends int
}

func unknowns() lock.Choice[unknown] {
	return lock.Choice[unknown]{Name: "unknown", Doc: "what an acquire means that nobody answered", Options: []lock.Option[unknown]{
		{Way: lock.Sound("clean-up", "compare-and-delete, and reported as unknown")},
		{Way: lock.Flaw("refused", "taken for a refusal, and the value is forgotten"), Do: unknown{forgets: true}},
		{Way: lock.Flaw("resend", "sent again, up to 3 times, and a refusal of that is believed"), Do: unknown{resends: 3}},
	}}
}

// askOne asks a server for a key, and again if it got no answer and the part says so.
func (l *locker) askOne(ctx context.Context, client goredis.Cmdable, keys []string, owner string) (int64, error) {
	n, err := l.grant(ctx, client, keys, owner)
	for i := 0; i < l.unknown.resends && unanswered(err) && ctx.Err() == nil; i++ {
		n, err = l.grant(ctx, client, keys, owner)
	}
	return n, err
}

// unanswered reports whether err comes from the network, and not from the server.
func unanswered(err error) bool {
	_, said := errors.AsType[goredis.Error](err)
	return err != nil && !said
}
