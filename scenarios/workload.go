package scenarios

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"lockquake/internal/draw"
	"lockquake/lock"
	"lockquake/lock/env"
)

// WorkloadInfo describes a workload.
type WorkloadInfo struct {
	Name string
	Doc  string // one line
	// Initial is what each item holds before the run.
	Initial string
	body    func(w *work) lock.Body
}

// Workloads lists what workers can do under a lock.
func Workloads() []WorkloadInfo {
	return []WorkloadInfo{
		{
			Name: "counter", Initial: "0", body: counter,
			Doc: "read n, hold, write n+1: every increment must be there in the end",
		},
		{
			Name: "register", body: register,
			Doc: "either write a value that nobody else writes, or read twice with the hold between: both must see one value",
		},
	}
}

// workloadInfo returns the workload of a name that a scenario was checked for.
func workloadInfo(name string) WorkloadInfo {
	for _, info := range Workloads() {
		if info.Name == name {
			return info
		}
	}
	panic("scenarios: no workload is called " + name)
}

// work is one section's share of a workload.
type work struct {
	env     env.Env
	worker  string
	section int
	item    string
	hold    time.Duration
	draw    draw.Draw // for choices of the workload's own
}

func counter(w *work) lock.Body {
	return func(ctx context.Context, s lock.Section) error {
		text, err := s.Read(ctx, w.item)
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return fmt.Errorf("%s does not hold a number: %w", w.item, err)
		}
		if err := w.env.Sleep(ctx, w.hold); err != nil {
			return err
		}
		return s.Write(ctx, w.item, strconv.FormatInt(n+1, 10))
	}
}

func register(w *work) lock.Body {
	if w.draw.Int64N(2) == 0 {
		return func(ctx context.Context, s lock.Section) error {
			if err := w.env.Sleep(ctx, w.hold); err != nil {
				return err
			}
			return s.Write(ctx, w.item, fmt.Sprintf("%s/%d", w.worker, w.section))
		}
	}
	return func(ctx context.Context, s lock.Section) error {
		if _, err := s.Read(ctx, w.item); err != nil {
			return err
		}
		if err := w.env.Sleep(ctx, w.hold); err != nil {
			return err
		}
		_, err := s.Read(ctx, w.item)
		return err
	}
}
