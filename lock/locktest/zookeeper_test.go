package locktest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"lockquake/lock"
	"lockquake/sim"
)

// silent drops the messages of the client.
type silent struct{}

// Printf implements zk.Logger.
func (silent) Printf(string, ...any) {}

// dialZooKeeper returns a client of go-zookeeper.
func dialZooKeeper(d Deps) *zk.Conn {
	conn, _, err := zk.Connect(d.ZooKeeper.Servers, d.TTL, zk.WithDialer(d.ZooKeeper.Dial), zk.WithLogger(silent{}))
	if err != nil {
		panic(err)
	}
	d.AtEnd(conn.Close)
	return conn
}

func newZooKeeperLock(d Deps) lock.Locker {
	conn := dialZooKeeper(d)
	return Locker(func(_ context.Context, key string) (Lease, error) {
		l := zk.NewLock(conn, "/locks/"+key, zk.WorldACL(zk.PermAll))
		return l, l.Lock()
	})
}

func TestALockInZooKeeper(t *testing.T) {
	Run(t, "zookeeper-pause", newZooKeeperLock, Seeds(2), Violates("lost-update"))
	Run(t, "zookeeper-pause", newZooKeeperLock, Seeds(2), Set("faults", "[]"), Set("each", "[]"), Set("sections", "5"), Holds("lost-update", "exclusion"))
}

// inZooKeeper runs do once, with a client, and returns the outcome of the run.
func inZooKeeper(t *testing.T, do func(*zk.Conn)) string {
	t.Helper()
	t.Chdir(t.TempDir())
	return outcome(t, "zookeeper-pause", func(d Deps) lock.Locker {
		inner := newZooKeeperLock(d)
		conn := dialZooKeeper(d)
		return Locker(func(ctx context.Context, key string) (Lease, error) {
			do(conn)
			return inner.Acquire(ctx, key)
		})
	}, Seeds(1), Set("workers", "1"), Set("each", "[]"), Set("sections", "1"))
}

// The client of go-zookeeper gets the answers and the events of a ZooKeeper server.
func TestTheProtocolOfZooKeeper(t *testing.T) {
	var got []string
	inZooKeeper(t, func(c *zk.Conn) {
		got = nil
		add := func(format string, args ...any) { got = append(got, fmt.Sprintf(format, args...)) }
		acl := zk.WorldACL(zk.PermAll)
		path, err := c.Create("/a", []byte("data"), 0, acl)
		add("create %s %v", path, err)
		_, err = c.Create("/a", nil, 0, acl)
		add("create again: %v", err)
		data, stat, err := c.Get("/a")
		add("get %s version %d length %d %v", data, stat.Version, stat.DataLength, err)
		stat, err = c.Set("/a", []byte("more"), 0)
		add("set version %d %v", stat.Version, err)
		_, err = c.Set("/a", nil, 0)
		add("set an old version: %v", err)
		exists, _, changed, err := c.ExistsW("/a/b")
		add("exists %v %v", exists, err)
		path, err = c.Create("/a/b", nil, zk.FlagEphemeral, acl)
		add("create %s %v", path, err)
		event := <-changed
		add("event %v %s", event.Type, event.Path)
		names, stat, changed, err := c.ChildrenW("/a")
		add("children %v of %d %v", names, stat.NumChildren, err)
		add("sync %v", errorOf(c.Sync("/a")))
		_, stat, err = c.Get("/a/b")
		add("ephemeral of the session: %v %v", stat.EphemeralOwner == c.SessionID(), err)
		add("delete a parent: %v", c.Delete("/a", -1))
		add("delete %v", c.Delete("/a/b", -1))
		event = <-changed
		add("event %v %s", event.Type, event.Path)
		add("get what is gone: %v", errorOf(c.Get("/a/b")))
		time.Sleep(time.Minute) // pings keep the session
		exists, stat, err = c.Exists("/a")
		add("exists %v with children %d %v", exists, stat.NumChildren, err)
		add("delete %v", c.Delete("/a", 1))
	})
	want := []string{
		"create /a <nil>", "create again: zk: node already exists", "get data version 0 length 4 <nil>", "set version 1 <nil>", "set an old version: zk: version conflict",
		"exists false <nil>", "create /a/b <nil>", "event EventNodeCreated /a/b", "children [b] of 1 <nil>", "sync <nil>", "ephemeral of the session: true <nil>",
		"delete a parent: zk: node has children", "delete <nil>", "event EventNodeChildrenChanged /a", "get what is gone: zk: node does not exist",
		"exists true with children 0 <nil>", "delete <nil>",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// errorOf returns the last of the results of a request.
func errorOf(results ...any) any { return results[len(results)-1] }

// What is not simulated ends the run with its name.
func TestAnOperationThatTheSimulatedZooKeeperDoesNotHave(t *testing.T) {
	got := inZooKeeper(t, func(c *zk.Conn) {
		if _, _, err := c.GetACL("/a"); err == nil {
			t.Error("GetACL returned no error")
		}
	})
	const want = "zookeeper: operation 6 of the protocol is not simulated"
	if !strings.Contains(got, want) || strings.Contains(got, "\n") {
		t.Errorf("got %q, want %q in one line", got, want)
	}
}

// A family of a program with its own servers has no client in Deps.
func TestAFamilyWithoutAClient(t *testing.T) {
	type port struct{}
	_, err := process{worker: new(sim.Worker)}.deps(lock.Deps{Port: port{}})
	const want = "locktest: Deps has no client of these servers yet (locktest.port): test the lock with RunEntry"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
