package official

import (
	"context"
	"errors"

	clientv3 "go.etcd.io/etcd/client/v3"

	"lockquake/lock/etcd"
)

// Watch implements etcd.Client.
func (c client) Watch(ctx context.Context, w *etcd.Watch) (etcd.Watcher, error) {
	options := append(rangeEnd(w.Keys), clientv3.WithRev(w.Revision), clientv3.WithCreatedNotify())
	if w.PrevKV {
		options = append(options, clientv3.WithPrevKV())
	}
	if w.NoPut {
		options = append(options, clientv3.WithFilterPut())
	}
	if w.NoDelete {
		options = append(options, clientv3.WithFilterDelete())
	}
	watching, stop := context.WithCancel(context.WithoutCancel(ctx))
	created := context.AfterFunc(ctx, stop) // Watch itself does not return while there is no connection
	watch := &watcher{c.Client.Watch(watching, w.Key, options...), stop}
	first, err := watch.receive(ctx)
	if err == nil && first.Canceled && first.CompactRevision == 0 {
		err = first.Err()
	}
	if !created() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		stop()
		return nil, err
	}
	return watch, nil
}

type watcher struct {
	messages clientv3.WatchChan
	stop     context.CancelFunc
}

// errEnded is the error of a watch that has ended.
var errEnded = errors.New("etcd: the watch has ended")

func (w *watcher) receive(ctx context.Context) (*clientv3.WatchResponse, error) {
	select {
	case m, ok := <-w.messages:
		if !ok {
			return nil, errEnded
		}
		return &m, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Next implements etcd.Watcher.
func (w *watcher) Next(ctx context.Context) (*etcd.Changes, error) {
	m, err := w.receive(ctx)
	if err != nil {
		return nil, err
	}
	changes := &etcd.Changes{Revision: m.Header.Revision, Compacted: m.CompactRevision, Ended: m.Canceled}
	if err := m.Err(); err != nil && m.CompactRevision == 0 {
		changes.Reason = err.Error()
	}
	for _, e := range m.Events {
		event := etcd.Event{Deleted: e.Type == clientv3.EventTypeDelete, KV: keyValue(e.Kv)}
		if e.PrevKv != nil {
			kv := keyValue(e.PrevKv)
			event.Prev = &kv
		}
		changes.Events = append(changes.Events, event)
	}
	return changes, nil
}

// Close implements etcd.Watcher.
func (w *watcher) Close() { w.stop() }
