package zookeeper

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"lockquake/lock/env"
)

// place is the place of one acquire in the queue of a lock.
type place struct {
	dir  string
	id   string // part of the name, by which the creator recognises the znode
	kind kind
	name string // of the znode; "" if it is unknown whether there is one
}

func (p *place) path() string { return p.dir + "/" + p.name }

// newPlace returns a place that is not in the queue yet. Its ID is that of the protected mode of
// Apache Curator.
func (l *locker) newPlace(key string) *place {
	return &place{dir: dirOf(key), id: fmt.Sprintf("_c_%016x%016x-", l.random.Uint64(), l.random.Uint64()), kind: l.kind}
}

// enqueue creates the znode of a place. After a lost reply it looks for the znode: a second one would
// keep all others out.
func (l *locker) enqueue(ctx context.Context, p *place) error {
	for {
		path, err := l.client.Create(env.WithOp(ctx, "acquire"), p.dir+"/"+p.id+string(p.kind)+"-", EphemeralSequential)
		switch {
		case err == nil:
			p.name = strings.TrimPrefix(path, p.dir+"/")
			return nil
		case errors.Is(err, ErrNoNode):
			if err := l.createDir(ctx, p.dir); err != nil {
				return err
			}
			continue
		case !errors.Is(err, ErrDisconnected):
			return err
		}
		if err := l.find(ctx, p); err != nil || p.name != "" {
			return err
		}
	}
}

// find looks for the znode of a place. A server may lag behind the one that has lost the reply, so
// it asks for a sync first.
func (l *locker) find(ctx context.Context, p *place) error {
	return l.retrying(ctx, func() error {
		if err := l.client.Sync(env.WithOp(ctx, "sync"), p.dir); err != nil {
			return err
		}
		names, _, err := l.client.Children(env.WithOp(ctx, "queue"), p.dir, false)
		if errors.Is(err, ErrNoNode) {
			return nil
		}
		for _, name := range names {
			if strings.HasPrefix(name, p.id) {
				p.name = name
			}
		}
		return err
	})
}

// createDir creates the znode of a lock and its parent.
func (l *locker) createDir(ctx context.Context, dir string) error {
	for _, path := range []string{root, dir} {
		err := l.retrying(ctx, func() error {
			_, err := l.client.Create(env.WithOp(ctx, "parent"), path, Persistent)
			if errors.Is(err, ErrExists) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// retrying repeats requests that may be repeated, as long as the connection fails.
func (l *locker) retrying(ctx context.Context, do func() error) error {
	for {
		err := do()
		if !fails(err) {
			return err
		}
		if err := l.env.Sleep(ctx, l.pause); err != nil {
			return err
		}
	}
}

// fails reports whether an error is one of the connection or of the session.
func fails(err error) bool {
	return errors.Is(err, ErrDisconnected) || errors.Is(err, ErrNotSent) || errors.Is(err, ErrExpired)
}
