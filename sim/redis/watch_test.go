package redis

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	goredis "github.com/redis/go-redis/v9"

	"lockquake/history"
	"lockquake/internal/draw"
	"lockquake/lock"
	"lockquake/lock/env"
	"lockquake/sim"
	"lockquake/sim/redis/client"
)

// toldOf runs commands against a server with these options and returns the events of its locks.
func toldOf(t *testing.T, o Options, body func(ctx context.Context, c *goredis.Client)) []string {
	t.Helper()
	w := sim.New(sim.Config{Step: 10 * time.Microsecond, Latency: draw.Fixed(time.Millisecond), WakeLag: draw.Fixed(100 * time.Microsecond)})
	defer w.Close()
	var got []string
	o.Record = func(e history.Event) {
		text := fmt.Sprintf("%s %s %s", e.Type, e.Key, e.Owner)
		if e.Until != 0 {
			text += fmt.Sprintf(" for %v", (e.Until - e.At).Round(10*time.Millisecond))
		}
		got = append(got, text)
	}
	o.Unread = func(name, why string) { got = append(got, "unread "+name+": "+why) }
	if o.Locks == nil {
		o.Locks = func(key string) bool { return key == "lock" }
	}
	if _, err := New(w.AddNode("lock", sim.NodeConfig{}), o); err != nil {
		t.Fatal(err)
	}
	worker := w.AddNode("worker-1", sim.NodeConfig{}).Process("worker-1").Worker("worker-1")
	worker.Go("main", func() {
		body(env.WithOp(context.Background(), "acquire"), client.New(worker.Process(), at("lock"), client.Options{}))
	})
	if err := w.Run(); err != nil {
		t.Fatal(err)
	}
	return got
}

// A lock's Holders function sees every kind of record, with its deadline.
func TestHoldersAreReadFromEveryKindOfRecord(t *testing.T) {
	var seen []string
	o := Options{Holders: func(s lock.State) ([]lock.Holder, error) {
		r := s.Record(s.Key)
		text := fmt.Sprintf("%s %q %v", r.Kind, r.Text, r.Members)
		if !r.End.IsZero() {
			text += fmt.Sprintf(" for %v", r.End.Sub(s.Now).Round(10*time.Millisecond))
		}
		seen = append(seen, text)
		return nil, nil
	}}
	toldOf(t, o, func(ctx context.Context, c *goredis.Client) {
		c.Set(ctx, "lock", "a", 10*time.Second)
		c.Del(ctx, "lock")
		c.HSet(ctx, "lock", "owner", "a", "count", 1)
		c.PExpire(ctx, "lock", time.Second)
		c.Del(ctx, "lock")
		c.RPush(ctx, "lock", "b", "a")
		c.Del(ctx, "lock")
		c.SAdd(ctx, "lock", "b", "a")
		c.Del(ctx, "lock")
		c.ZAdd(ctx, "lock", goredis.Z{Score: 2, Member: "a"}, goredis.Z{Score: 1, Member: "b"})
		c.Del(ctx, "lock")
	})
	want := []string{
		`string "a" [] for 10s`, ` "" []`,
		`hash "" [{count 1 0} {owner a 0}]`, `hash "" [{count 1 0} {owner a 0}] for 1s`, ` "" []`,
		`list "" [{ b 0} { a 0}]`, ` "" []`,
		`set "" [{a  0} {b  0}]`, ` "" []`,
		`sorted set "" [{b  1} {a  2}]`, ` "" []`,
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("seen (-want +got):\n%s", diff)
	}
}

// The holders are guessed if the lock does not name them, and Unread is called if they cannot be
// guessed.
func TestHoldersAreGuessedIfALockDoesNotNameThem(t *testing.T) {
	stamp := func(d time.Duration, c *goredis.Client) string {
		return fmt.Sprint(c.Time(context.Background()).Val().Add(d).UnixMilli())
	}
	for _, tt := range []struct {
		name string
		body func(ctx context.Context, c *goredis.Client)
		want string // joined by ;
	}{
		{"a string", func(ctx context.Context, c *goredis.Client) {
			c.SetNX(ctx, "lock", "a", time.Second)
			c.SetNX(ctx, "lock", "b", time.Second)
			c.Del(ctx, "lock")
		}, "granted lock a for 1s; refused lock a for 1s; freed lock a"},
		{"a hash of the owner", func(ctx context.Context, c *goredis.Client) {
			c.HSet(ctx, "lock", "owner", "a")
			c.PExpire(ctx, "lock", time.Second)
		}, "granted lock a; renewed lock a for 1s; expired lock a"},
		{"a hash that counts for its owner", func(ctx context.Context, c *goredis.Client) {
			c.HIncrBy(ctx, "lock", "a", 1)
			c.HIncrBy(ctx, "lock", "a", 1)
			c.HDel(ctx, "lock", "a")
		}, "granted lock a; freed lock a"},
		{"the end in the value", func(ctx context.Context, c *goredis.Client) {
			c.Set(ctx, "lock", stamp(time.Second, c)+":a", 0)
		}, "granted lock …:a for 1s; expired lock …:a"},
		{"another time in the value", func(ctx context.Context, c *goredis.Client) {
			c.Set(ctx, "lock", `{"renewTime": `+stamp(0, c)+`}`, 0)
		}, "unread lock: its record has no deadline, and there is a time in its value"},
		{"a value in the place of another", func(ctx context.Context, c *goredis.Client) {
			c.Set(ctx, "lock", "a", time.Second)
			c.Set(ctx, "lock", "b", time.Second)
		}, "granted lock a for 1s; freed lock a; unread lock: a command put one value in the place of another; granted lock b for 1s; expired lock b"},
		{"a list", func(ctx context.Context, c *goredis.Client) { c.RPush(ctx, "lock", "a") }, "unread lock: its record is a list"},
		{
			"a hash of several fields", func(ctx context.Context, c *goredis.Client) { c.HSet(ctx, "lock", "a", "x", "b", "y") },
			"unread lock: its record is a hash of 2 fields, and none is called owner",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := toldOf(t, Options{Guess: true}, tt.body)
			for i, text := range got {
				if before, after, found := strings.Cut(text, ":a"); found {
					got[i] = before[:strings.LastIndex(before, " ")] + " …:a" + after
				}
			}
			if diff := cmp.Diff(strings.Split(tt.want, "; "), got); diff != "" {
				t.Errorf("told (-want +got):\n%s", diff)
			}
		})
	}
}

// A lock may have several records: it changes with any of them, and if one expires it may be handed
// over.
func TestALockChangesWithAnyOfItsRecords(t *testing.T) {
	o := Options{
		Locks: func(key string) bool { return strings.HasPrefix(key, "lock:") }, LockOf: func(string) string { return "lock" },
		Records: func(name string) []string { return []string{name + ":head", name + ":next"} },
		Holders: func(s lock.State) ([]lock.Holder, error) {
			switch {
			case len(s.Records) == 0:
				return nil, nil
			case s.Records[0].Kind != lock.RecordString:
				return nil, errors.New("no string")
			}
			return []lock.Holder{{Owner: s.Records[0].Text}}, nil
		},
	}
	got := toldOf(t, o, func(ctx context.Context, c *goredis.Client) {
		c.Set(ctx, "lock:head", "a", 100*time.Millisecond)
		c.Set(ctx, "lock:next", "b", time.Second)
	})
	want := []string{
		"granted lock a for 100ms", "refused lock a for 100ms", "expired lock a", "granted lock b for 900ms", "expired lock b",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}
