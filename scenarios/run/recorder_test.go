package run_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/run"
)

// layer is a strategy without a lock between its work and the
// resource. Its writes are those of the last section until they are flushed.
type layer struct {
	lock.Resource
	deps  lock.Deps
	known string // what it believes the item to hold, "" for nothing

	caches, drops, later, buffers, fails bool
	flush                                func(context.Context) error
}

func (b *layer) Do(ctx context.Context, _ string, r lock.Resource, body lock.Body) error {
	b.Resource, b.flush = r, nil
	err := body(ctx, b)
	if b.fails {
		return errors.Join(err, lock.ErrUnknown)
	}
	if flush := b.flush; flush != nil && b.later {
		b.deps.Env.Go("flush", func() { _ = flush(ctx) })
	} else if flush != nil {
		err = errors.Join(err, flush(ctx))
	}
	return err
}

func (b *layer) Token() int64 { return 0 }
func (b *layer) Check() error { return nil }

func (b *layer) Read(ctx context.Context, item string) (string, error) {
	if b.caches && b.known != "" {
		return b.known, nil
	}
	return b.Resource.Read(ctx, item, 0)
}

func (b *layer) Write(ctx context.Context, item, value string) error {
	b.known = value
	write := func(ctx context.Context) error { return b.Resource.Write(ctx, item, value, 0) }
	switch {
	case b.drops:
		return nil
	case b.buffers, b.later:
		b.flush = write
		return nil
	}
	return write(ctx)
}

// A lock whose work does not reach the resource cannot be judged by what becomes
// of it, and that is no pass. What is late, or was never promised, can.
func TestWorkThatDoesNotReachTheResource(t *testing.T) {
	const text = `
name: between
duration: 2s
workers: 1
sections: 3
workload: {kind: counter, hold: 10ms, think: 100ms}
network: {latency: 1ms}
strategies: [mine]
`
	for _, test := range []struct {
		name string
		is   layer
		want string // of the error, "" for none
	}{
		{"hands everything on", layer{}, ""},
		{"writes when the work is done", layer{buffers: true}, ""},
		{"writes after its answer", layer{later: true}, ""},
		{"writes nothing, and says that it does not know", layer{drops: true, fails: true}, ""},
		{"writes nothing", layer{drops: true}, `worker-1, section 1: the work was told that it has written "1" to resource-1, but the strategy never sent`},
		{"answers from memory", layer{caches: true}, `worker-1, section 2: the work was told that resource-1 holds "1", but the resource has not returned`},
	} {
		t.Run(test.name, func(t *testing.T) {
			s, err := scenarios.Parse("between.yaml", []byte(text), lock.Entry{Name: "mine", New: func(d lock.Deps) lock.Strategy {
				b := test.is
				b.deps = d
				return &b
			}})
			if err != nil {
				t.Fatal(err)
			}
			trial, err := run.Once(s, run.Request{Label: "mine", Seed: 1})
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want == "" && trial.Acquisitions != 3:
				t.Errorf("%d sections were entered", trial.Acquisitions)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("it ended with %v, want %q", err, test.want)
			}
		})
	}
}
