package client

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"lockquake/faults"
	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
)

// listen runs one go-redis client that listens and another that publishes. It returns the notes,
// with their times.
func listen(t *testing.T, body func(r *rig, c *goredis.Client, note func(format string, args ...any))) ([]string, error) {
	t.Helper()
	r := newRig(t, sim.Config{})
	var lines []string
	r.worker.Go("main", func() {
		body(r, r.client("lock", Options{}), func(format string, args ...any) {
			lines = append(lines, fmt.Sprintf("%v ", r.Time().Round(time.Millisecond))+fmt.Sprintf(format, args...))
		})
	})
	return lines, r.Run()
}

// A PubSub receives its confirmations in order, then the published messages, and nothing after it
// was closed.
func TestAPubSubReceivesPublishedMessages(t *testing.T) {
	ctx := context.Background()
	lines, err := listen(t, func(r *rig, c *goredis.Client, note func(string, ...any)) {
		ps := c.Subscribe(ctx, "news", "sports")
		note("subscribed")
		r.worker.Go("other", func() {
			_ = r.worker.Sleep(ctx, 100*time.Millisecond)
			n, err := c.Publish(ctx, "sports", "a goal\r\n").Result()
			note("told %d, %v", n, err)
			_ = r.worker.Sleep(ctx, 100*time.Millisecond)
			c.Publish(ctx, "news", "late")
		})
		for range 2 {
			m, err := ps.Receive(ctx)
			note("%v, %v", m, err)
		}
		m, err := ps.ReceiveMessage(ctx)
		note("%q on %s, %v", m.Payload, m.Channel, err)
		note("ping %v", ps.Ping(ctx, "x"))
		pong, err := ps.Receive(ctx)
		note("%v, %v", pong, err)
		note("unsubscribe %v", ps.Unsubscribe(ctx, "sports"))
		left, err := ps.Receive(ctx)
		note("%v, %v", left, err)
		m, err = ps.ReceiveMessage(ctx)
		note("%q on %s, %v", m.Payload, m.Channel, err)
		note("close %v", ps.Close())
		_ = r.worker.Sleep(ctx, 10*time.Millisecond)
		n, err := c.Publish(ctx, "news", "nobody").Result()
		note("told %d, %v", n, err)
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"4ms subscribed", "6ms subscribe: news, <nil>", "6ms subscribe: sports, <nil>",
		"110ms \"a goal\\r\\n\" on sports, <nil>", "110ms ping <nil>", "110ms told 1, <nil>",
		"112ms Pong<x>, <nil>", "112ms unsubscribe <nil>", "114ms unsubscribe: sports, <nil>",
		"212ms \"late\" on news, <nil>", "212ms close <nil>", "224ms told 0, <nil>",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A Receive ends at the deadline of its context, by the clock of the process.
func TestReceiveEndsAtTheDeadlineOfItsContext(t *testing.T) {
	lines, err := listen(t, func(r *rig, c *goredis.Client, note func(string, ...any)) {
		ps := c.Subscribe(context.Background(), "news")
		_, _ = ps.Receive(context.Background())
		ctx, cancel := r.worker.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_, err := ps.Receive(ctx)
		note("%v", err)
	})
	if err != nil || len(lines) != 1 || lines[0] != "1.01s i/o timeout" { // at 1.006 s, and go-redis connects again
		t.Errorf("%v, %v", lines, err)
	}
}

// A PubSub whose server restarts reports that once, and subscribes again.
func TestAPubSubSubscribesAgainAfterACrash(t *testing.T) {
	ctx := context.Background()
	lines, err := listen(t, func(r *rig, c *goredis.Client, note func(string, ...any)) {
		ps := c.Subscribe(ctx, "news")
		_, _ = ps.Receive(ctx)
		r.At(50*time.Millisecond, func() { r.server.Crash(faults.DataByPersistence); r.server.Restart() })
		_, err := ps.Receive(ctx)
		note("broken: %v", err != nil)
		m, err := ps.Receive(ctx)
		note("%v, %v", m, err)
		r.worker.Go("other", func() { c.Publish(ctx, "news", "again") })
		msg, err := ps.ReceiveMessage(ctx)
		note("%v, %v", msg, err)
	})
	if err != nil || len(lines) != 3 || !strings.HasSuffix(lines[0], "broken: true") || !strings.HasSuffix(lines[1], "subscribe: news, <nil>") || !strings.HasSuffix(lines[2], "Message<news: again>, <nil>") {
		t.Errorf("%v, %v", lines, err)
	}
}

// Anything that go-redis does by the machine's clock or on its own goroutines, and commands that
// are not simulated, end the run with an error that names them.
func TestAFeatureThatIsNotSimulatedEndsTheRun(t *testing.T) {
	ctx := context.Background()
	for name, test := range map[string]struct {
		body func(c *goredis.Client)
		want string
	}{
		"a command that is not there": {func(c *goredis.Client) { c.Do(ctx, "OBJECT", "ENCODING", "k") }, "sent OBJECT, which is not simulated"},
		"in a pipeline": {func(c *goredis.Client) {
			_, _ = c.Pipelined(ctx, func(p goredis.Pipeliner) error { p.ObjectEncoding(ctx, "k"); return nil })
		}, "sent OBJECT, "},
		"in a script":               {func(c *goredis.Client) { c.Eval(ctx, "return redis.pcall('OBJECT', 'ENCODING', 'k')", nil) }, "sent OBJECT, "},
		"a subscription by pattern": {func(c *goredis.Client) { _, _ = c.PSubscribe(ctx, "n*").Receive(ctx) }, "sent PSUBSCRIBE, "},
		"another database":          {func(c *goredis.Client) { c.Do(ctx, "SELECT", 3) }, "sent SELECT 3, "},
		"MULTI on any connection":   {func(c *goredis.Client) { c.Do(ctx, "MULTI") }, "sent MULTI outside of Client.Watch and TxPipelined, "},
		"WATCH on any connection":   {func(c *goredis.Client) { c.Do(ctx, "WATCH", "k") }, "sent WATCH outside of Client.Watch and TxPipelined, "},
		"a timeout of the machine":  {func(c *goredis.Client) { _, _ = c.Subscribe(ctx, "n").ReceiveTimeout(ctx, time.Second) }, "sent SUBSCRIBE with PubSub.ReceiveTimeout, which is not simulated: that goes by"},
		"a goroutine that listens": {func(c *goredis.Client) {
			<-c.Subscribe(ctx, "n").Channel(goredis.WithChannelHealthCheckInterval(0))
			c.Get(ctx, "k")
		}, "sent SUBSCRIBE with PubSub.Channel, "},
		"a script that comes to no end":   {func(c *goredis.Client) { c.Eval(ctx, "while true do end", nil) }, "sent A SCRIPT OF MORE THAN 10000000 INSTRUCTIONS, "},
		"a command unknown to Redis, too": {func(c *goredis.Client) { c.Do(ctx, "NONSENSE") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := listen(t, func(_ *rig, c *goredis.Client, _ func(string, ...any)) { test.body(c) })
			if _, missing := errors.AsType[*keyspace.NotSimulatedError](err); test.want != "" && (!missing || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("the run ends with %v, want %q", err, test.want)
			}
			if test.want == "" && err != nil {
				t.Error(err)
			}
		})
	}
}
