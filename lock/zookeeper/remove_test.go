package zookeeper

import (
	"context"
	"errors"
	"testing"
	"time"

	"lockquake/lock"
	"lockquake/lock/env"
)

// replies is a client of a lock that is free. It answers deletions with the given errors, in order.
type replies struct {
	Client
	session int64
	errs    []error
	delete  func(c *replies)
}

func (c *replies) Delete(context.Context, string) error {
	if c.delete != nil {
		c.delete(c)
	}
	err := c.errs[0]
	c.errs = c.errs[1:]
	return err
}

func (c *replies) Status() Status {
	return Status{Session: c.session, Connected: true, Changed: never{}}
}

// never is a signal that does not happen.
type never struct{}

func (never) Wait(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// A znode that is missing was deleted by the request whose reply was lost, if the session goes on.
func TestReleaseAfterALostReply(t *testing.T) {
	expire := func(c *replies) { c.session = 2 }
	for _, c := range []struct {
		name   string
		errs   []error
		delete func(*replies)
		want   error
	}{
		{name: "deleted", errs: []error{nil}},
		{name: "deleted by a third party", errs: []error{ErrNoNode}, want: lock.ErrLost},
		{name: "deleted, and the reply was lost", errs: []error{ErrDisconnected, ErrNoNode}},
		{name: "not sent, and deleted by a third party", errs: []error{ErrNotSent, ErrNoNode}, want: lock.ErrLost},
		{name: "throttled, and then deleted", errs: []error{errors.New("the operation was throttled"), nil}},
		{name: "the reply was lost, and the session has expired", errs: []error{ErrDisconnected, ErrNoNode}, delete: expire, want: lock.ErrUnknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			client := &replies{session: 1, errs: c.errs, delete: c.delete}
			l := &locker{env: env.Real(), client: client, timeout: time.Minute, pause: time.Millisecond, kind: writer, lost: func(*lease, Status) bool { return false }}
			p := &place{dir: dirOf("x"), name: "_c_1-lock-0000000001"}
			err := l.newLease(context.Background(), "x", p, Znode{}, client.Status()).Release(context.Background())
			if !errors.Is(err, c.want) {
				t.Errorf("the release answers %v, want %v", err, c.want)
			}
		})
	}
}
