package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"lockquake/lock/env"
	"lockquake/lock/etcd"
)

// step is one step of a sequence: a client sends a request, begins or ends a watch, or time passes.
// Revisions count from the begin of the sequence, at which the store is empty and compacted.
type step struct {
	client  int
	request etcd.Request
	name    string // of a watch
	watch   *etcd.Watch
	wait    time.Duration
	fault   string // something happens to the cluster, see side
}

type sequence []step

func (s step) String() string {
	switch {
	case s.request != nil:
		return fmt.Sprintf("%d %s", s.client, etcd.Text(s.request))
	case s.watch != nil:
		return fmt.Sprintf("%d watch %s %+v", s.client, s.name, *s.watch)
	case s.name != "":
		return fmt.Sprintf("%d ends %s", s.client, s.name)
	case s.fault != "":
		return s.fault
	}
	return fmt.Sprintf("%v pass", s.wait)
}

func (s sequence) String() string {
	var lines []string
	for _, st := range s {
		lines = append(lines, st.String())
	}
	return strings.Join(lines, "\n")
}

// sight holds what a client can see after a step: the response, and what each watch received.
type sight struct {
	response string
	watches  map[string][]string
}

func (s *sight) String() string {
	lines := []string{s.response}
	for _, name := range sortedKeys(s.watches) {
		for _, text := range s.watches[name] {
			lines = append(lines, name+" "+text)
		}
	}
	return strings.Join(lines, "\n  ")
}

// driver runs a sequence with the clients of one side.
type driver struct {
	env     env.Env
	clients []etcd.Client
	fault   func(name string) error
	base    int64
	mu      sync.Mutex // the watches of the real side run on goroutines
	watches map[string]*running
	behind  bool // a watch began in the past, and may not have been brought up to date
}

// running is a watch with what it has received since the last step.
type running struct {
	etcd.Watcher
	stop     context.CancelCauseFunc
	received []string
}

// run runs a sequence. Want has what the other side has seen; nil: rest after each step until nothing
// more comes.
func (d *driver) run(s sequence, want []sight) ([]sight, error) {
	d.watches, d.behind = map[string]*running{}, false
	if err := d.reset(); err != nil {
		return nil, fmt.Errorf("reset: %w", err)
	}
	var all []sight
	for i, st := range s {
		response, err := d.do(st)
		if err != nil {
			return all, err
		}
		var expected *sight
		if want != nil {
			expected = &want[i]
		}
		d.rest(expected, i == len(s)-1)
		all = append(all, sight{response, d.seen()})
	}
	for _, name := range sortedKeys(d.watches) {
		d.end(name)
	}
	return all, nil
}

// reset deletes all that there is, and compacts the store.
func (d *driver) reset() error {
	ctx, cancel := d.env.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	c := d.clients[0]
	leases, err := c.Do(ctx, &etcd.Leases{})
	if err != nil {
		return err
	}
	for _, id := range leases.IDs {
		if _, err := c.Do(ctx, &etcd.Revoke{ID: id}); err != nil && !errors.Is(err, etcd.ErrLeaseNotFound()) {
			return err
		}
	}
	if _, err := c.Do(ctx, &etcd.Delete{Keys: etcd.Keys{Key: "\x00", End: etcd.FromKey}}); err != nil {
		return err
	}
	put, err := c.Do(ctx, &etcd.Put{Key: "begin"})
	if err != nil {
		return err
	}
	gone, err := c.Do(ctx, &etcd.Delete{Keys: etcd.Keys{Key: "begin"}})
	if err != nil {
		return err
	}
	d.base = gone.Revision
	_, err = c.Do(ctx, &etcd.Compact{Revision: put.Revision + 1})
	return err
}

// absolute returns a revision of the sequence as one of the store.
func (d *driver) absolute(rev int64) int64 {
	if rev == 0 {
		return 0
	}
	return d.base + rev
}

// translate returns a request with revisions of the store.
func (d *driver) translate(r etcd.Request) etcd.Request {
	switch r := r.(type) {
	case *etcd.Range:
		c := *r
		for _, rev := range []*int64{&c.Revision, &c.MinMod, &c.MaxMod, &c.MinCreate, &c.MaxCreate} {
			*rev = d.absolute(*rev)
		}
		return &c
	case *etcd.Compact:
		return &etcd.Compact{Revision: d.absolute(r.Revision)}
	case *etcd.Txn:
		c := &etcd.Txn{If: slices.Clone(r.If)}
		for i := range c.If {
			if f := c.If[i].Field; f == etcd.ByCreate || f == etcd.ByMod {
				c.If[i].Number = d.absolute(c.If[i].Number)
			}
		}
		for _, op := range r.Then {
			c.Then = append(c.Then, d.translate(op))
		}
		for _, op := range r.Else {
			c.Else = append(c.Else, d.translate(op))
		}
		return c
	}
	return r
}

// requestTimeout is how long a request may take, so that a server that has ended fails the test.
const requestTimeout = 20 * time.Second

func (d *driver) do(st step) (string, error) {
	ctx, cancel := d.env.WithTimeout(context.Background(), requestTimeout)
	defer cancel()
	switch {
	case st.request != nil:
		// The server brings watches up to date every 100 ms. Before that, a compaction ends them.
		if _, ok := st.request.(*etcd.Compact); ok && d.behind {
			d.behind = false
			if err := d.env.Sleep(ctx, 200*time.Millisecond); err != nil {
				return "", err
			}
		}
		answer, err := d.clients[st.client].Do(ctx, d.translate(st.request))
		if err != nil {
			return errorText(err), nil
		}
		if _, ok := st.request.(*etcd.KeepAlive); ok && answer.TTL == 0 {
			return "no lease", nil // the official client does not tell the revision
		}
		return d.responseText(answer), nil
	case st.watch != nil:
		return d.begin(ctx, st), nil
	case st.name != "":
		d.end(st.name)
		return "", nil
	case st.fault != "":
		return "", d.fault(st.fault)
	}
	return "", d.env.Sleep(ctx, st.wait)
}

// longestSequence is more than the time of a random sequence, in seconds.
const longestSequence = 30

func errorText(err error) string {
	if e, ok := errors.AsType[*etcd.Error](err); ok {
		return e.Code + " " + e.Message
	}
	return "another error"
}

// begin begins a watch.
func (d *driver) begin(ctx context.Context, st step) string {
	w := *st.watch
	d.behind = d.behind || w.Revision != 0
	w.Revision = d.absolute(w.Revision)
	watcher, err := d.clients[st.client].Watch(ctx, &w)
	if err != nil {
		return "no watch"
	}
	watching, stop := d.env.WithCancel(context.Background())
	r := &running{Watcher: watcher, stop: stop}
	d.mu.Lock()
	d.watches[st.name] = r
	d.mu.Unlock()
	d.env.Go("watch", func() {
		for {
			changes, err := watcher.Next(watching)
			if err != nil {
				return
			}
			d.receive(r, changes)
		}
	})
	return ""
}

// receive notes a message. How many messages its events come in is left open.
func (d *driver) receive(r *running, c *etcd.Changes) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, e := range c.Events {
		text := "put " + d.keyText(&e.KV)
		if e.Deleted {
			text = "delete " + d.keyText(&e.KV)
		}
		if e.Prev != nil {
			text += " was " + d.keyText(e.Prev)
		}
		r.received = append(r.received, text)
	}
	if c.Compacted != 0 {
		r.received = append(r.received, fmt.Sprintf("compacted %d", c.Compacted-d.base))
	} else if c.Ended {
		r.received = append(r.received, "ended "+c.Reason)
	}
}

func (d *driver) end(name string) {
	if r := d.watches[name]; r != nil {
		r.stop(nil)
		r.Close()
	}
}

// rest waits until each watch has received what the other side has seen, or until nothing more comes.
func (d *driver) rest(want *sight, last bool) {
	const idle, poll, limit = 250 * time.Millisecond, time.Millisecond, 3 * time.Second
	if want == nil {
		_ = d.env.Sleep(context.Background(), idle)
		return
	}
	for began := d.env.Mono(); !d.have(want) && d.env.Mono()-began < limit; {
		_ = d.env.Sleep(context.Background(), poll)
	}
	if last {
		_ = d.env.Sleep(context.Background(), 3*poll)
	}
}

func (d *driver) have(want *sight) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	for name, texts := range want.watches {
		if r := d.watches[name]; r == nil || len(r.received) < len(texts) {
			return false
		}
	}
	return true
}

// seen returns what the watches have received since the last step.
func (d *driver) seen() map[string][]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	all := map[string][]string{}
	for name, r := range d.watches {
		if len(r.received) > 0 {
			all[name], r.received = r.received, nil
		}
	}
	return all
}

func (d *driver) responseText(a *etcd.Response) string {
	text := "no rev"
	if a.Revision != 0 {
		text = fmt.Sprintf("rev %d", a.Revision-d.base)
	}
	for i := range a.KVs {
		text += " " + d.keyText(&a.KVs[i])
	}
	slices.Sort(a.IDs)
	ttl := fmt.Sprint(a.TTL)
	if a.Granted > 0 && a.TTL > 0 && a.Granted-a.TTL < longestSequence { // time passes at different rates
		ttl = "nearly all"
	}
	text += fmt.Sprintf(" count %d more %t deleted %d succeeded %t id %d ttl %s of %d keys %q ids %v", a.Count, a.More, a.Deleted, a.Succeeded, a.ID, ttl, a.Granted, sorted(a.Keys), a.IDs)
	for i := range a.Results {
		text += " {" + d.responseText(&a.Results[i]) + "}"
	}
	return text
}

func (d *driver) keyText(kv *etcd.KeyValue) string {
	create := kv.Create
	if create != 0 {
		create -= d.base
	}
	return fmt.Sprintf("%s=%s(%d %d %d %d)", kv.Key, kv.Value, create, kv.Mod-d.base, kv.Version, kv.Lease)
}

func sorted(list []string) []string {
	slices.Sort(list)
	return list
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for key := range m {
		keys = append(keys, key)
	}
	return sorted(keys)
}
