package redis

import (
	"context"
	"errors"

	goredis "github.com/redis/go-redis/v9"

	"lockquake/lock"
)

// unknown decides what an acquire does if it gets no reply. The zero value deletes the
// key if it is the acquire's own, and reports ErrUnknown.
type unknown struct {
	// forgets: the attempt counts as refused, and its key is not deleted.
	forgets bool
	// resends is the number of times that the request is sent again.
	resends int
}

func unknowns() lock.Choice[unknown] {
	return lock.Choice[unknown]{Name: "unknown", Doc: "what an acquire without a reply means", Options: []lock.Option[unknown]{
		{Way: lock.Sound("clean-up", "its outcome is unknown; a compare-and-delete removes the key that it may have set")},
		{Way: lock.Flaw("refused", "it counts as refused, and the key that it may have set stays"), Value: unknown{forgets: true}},
		{Way: lock.Flaw("resend", "it is sent again, up to 3 times, and a refusal of the resend is believed"), Value: unknown{resends: 3}},
	}}
}

// requestGrant asks a server for a key. Without a reply it resends the request, as often
// as the part allows.
func (l *locker) requestGrant(ctx context.Context, client goredis.Cmdable, keys []string, owner string) (int64, error) {
	n, err := l.grant(ctx, client, keys, owner)
	for i := 0; i < l.unknown.resends && unanswered(err) && ctx.Err() == nil; i++ {
		n, err = l.grant(ctx, client, keys, owner)
	}
	return n, err
}

// unanswered reports whether err comes from the network. An error reply of the server is
// an answer.
func unanswered(err error) bool {
	_, said := errors.AsType[goredis.Error](err)
	return err != nil && !said
}
