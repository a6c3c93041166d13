package redis

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"lockquake/faults"
	"lockquake/sim"
	"lockquake/sim/redis/client"
)

// popper starts a worker on its own node that waits for elements.
func popper(r *rig, name string, note func(string)) *sim.Process {
	k := r.AddNode(name, sim.NodeConfig{}).Process(name).Worker(name)
	k.Go("main", func() {
		c := client.New(k.Process(), r.resolve, client.Options{})
		v, err := c.BLPop(context.Background(), 20*time.Second, "l").Result()
		switch {
		case errors.Is(err, goredis.Nil):
			note(r.Time().Round(time.Millisecond).String() + " " + name + ": nothing")
		case err != nil:
			note(r.Time().Round(time.Millisecond).String() + " " + name + ": broken")
		default:
			note(r.Time().Round(time.Millisecond).String() + " " + name + ": " + v[1])
		}
	})
	return k.Process()
}

// blockedRun makes two workers wait for elements while a third one acts.
func blockedRun(t *testing.T, do func(r *rig, s *Server, c *goredis.Client, a *sim.Process)) []string {
	t.Helper()
	r := newRig(t)
	s := r.newServer(t, PersistAlways)
	var told []string
	note := func(line string) { told = append(told, line) }
	a := popper(r, "a", note)
	r.At(time.Millisecond, func() { popper(r, "b", note) })
	r.worker.Go("main", func() {
		_ = r.worker.Sleep(context.Background(), time.Second)
		do(r, s, client.New(r.worker.Process(), r.resolve, client.Options{}), a)
	})
	if err := r.Run(); err != nil {
		t.Fatal(err)
	}
	return told
}

// Blocked commands get elements in their order. One that gets none ends with nothing at its
// timeout: 20 s after 5 ms, and the way back.
func TestBlockedCommandsAreServedInOrder(t *testing.T) {
	told := blockedRun(t, func(_ *rig, _ *Server, c *goredis.Client, _ *sim.Process) { c.RPush(context.Background(), "l", "x") })
	if diff := cmp.Diff([]string{"1.006s a: x", "20.007s b: nothing"}, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A crashed process does not wait any more: the next one gets the element.
func TestACrashedProcessTakesNoElement(t *testing.T) {
	told := blockedRun(t, func(r *rig, _ *Server, c *goredis.Client, a *sim.Process) {
		a.Crash()
		_ = r.worker.Sleep(context.Background(), 10*time.Millisecond)
		c.RPush(context.Background(), "l", "x")
	})
	if diff := cmp.Diff([]string{"1.016s b: x"}, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// For the server, a client beyond a cut link still waits, and takes an element that it never
// receives.
func TestAnElementForAClientBeyondACutIsLost(t *testing.T) {
	told := blockedRun(t, func(r *rig, _ *Server, c *goredis.Client, _ *sim.Process) {
		for _, link := range [][2]string{{"a", "lock"}, {"lock", "a"}} {
			if err := r.CutLink(link[0], link[1], sim.CutDrop, time.Minute); err != nil {
				t.Error(err)
			}
		}
		n, err := c.RPush(context.Background(), "l", "x").Result()
		if n != 1 || err != nil {
			t.Errorf("RPUSH answers %d, %v", n, err)
		}
		if n := c.LLen(context.Background(), "l").Val(); n != 0 {
			t.Errorf("%d elements are left, want none", n)
		}
	})
	if len(told) != 2 || told[0] != "20.007s b: nothing" || told[1] != "30.004s a: broken" {
		t.Errorf("told %q", told)
	}
}

// A crash of the server ends blocked commands, and a push after its restart does not serve them.
func TestACrashOfTheServerBreaksBlockedCommands(t *testing.T) {
	told := blockedRun(t, func(_ *rig, s *Server, c *goredis.Client, _ *sim.Process) {
		s.Crash(faults.DataByPersistence)
		s.Restart()
		c.RPush(context.Background(), "l", "x")
		if n := c.LLen(context.Background(), "l").Val(); n != 1 {
			t.Errorf("%d elements are left, want 1", n)
		}
	})
	if diff := cmp.Diff([]string{"1s a: broken", "1s b: broken"}, told); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// A lock that is a list is granted to the worker whose blocked command is served.
func TestServingABlockedCommandIsRecorded(t *testing.T) {
	r := newRig(t)
	r.newServer(t, PersistNone)
	r.run(t, []string{
		"5ms lock: granted lock <list>",
		"7ms lock: freed lock <list>",
	}, func(ctx context.Context, c *goredis.Client) {
		c.RPush(ctx, "lock", "x")
		c.BLPop(ctx, time.Second, "lock")
	})
}
