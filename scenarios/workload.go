package scenarios

import (
	"context"
	"fmt"
	"slices"
	"time"

	"lockquake/internal/draw"
	"lockquake/lock"
	"lockquake/lock/env"
	"lockquake/scenarios/results"
)

// WorkloadInfo describes a workload.
type WorkloadInfo struct {
	Name string
	Doc  string // one line
	// Initial is what each item holds before the run.
	Initial string
	// Params are the keys that it has beside kind, hold, think and heeds.
	Params []string
	// do carries out one section, or those of one unit of work. Its error says why
	// the work was not done; see Attempts of Workload.
	do func(ctx context.Context, w *work) error
}

// Workloads lists what workers can do under a lock.
func Workloads() []WorkloadInfo {
	return []WorkloadInfo{
		{
			Name: "counter", Initial: "0", Params: []string{"fails", "writes", "commit", "attempts"}, do: oneLock(counter),
			Doc: "read n, hold, write n+1: every increment must be there in the end",
		},
		{
			Name: "register", Params: []string{"writes"}, do: oneLock(register),
			Doc: "either write a value that nobody else writes, or read twice with the hold between: both must see one value",
		},
		{
			Name: "cron", Params: []string{"period", "hold-at-least", "key"}, do: cron,
			Doc: "each worker starts the task of every period's tick, by its own wall clock: each tick must be done once",
		},
		{
			Name: "reminders", Initial: "0", Params: []string{"period", "recheck"}, do: reminders,
			Doc: "one reminder is due for each resource and period; look which are not marked as sent, lock each, send it, mark it: each must be sent once",
		},
		{
			Name: "multi-lock", Initial: "0", Params: []string{"locks", "order", "writes"}, do: multiLock,
			Doc: "lock some of the resources one by one, and increment all of them: nobody may wait for ever",
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

// workloadParams lists the keys that only some workloads have.
func workloadParams() []string {
	var params []string
	for _, info := range Workloads() {
		for _, param := range info.Params {
			if !slices.Contains(params, param) {
				params = append(params, param)
			}
		}
	}
	return params
}

// work is one section's share of a workload.
type work struct {
	*recorder
	env      env.Env
	strategy lock.Strategy
	settings *Workload
	worker   string
	section  int
	unit     string   // the job, if it may take several sections
	attempt  int      // of the job, from 1
	items    []string // all that there are
	item     string   // the one that was drawn
	hold     time.Duration
	heeds    results.Heeds
	draw     draw.Draw // for choices of the workload's own, the same for each attempt
}

// oneLock is a workload that does its work under the lock of the item that was
// drawn.
func oneLock(body func(*work) lock.Body) func(context.Context, *work) error {
	return func(ctx context.Context, w *work) error { return w.locked(ctx, w.item, w.unit, body(w)) }
}

// workloads judges the parameters of the workload wherever the file sets them.
func (v *validator) workloads() error {
	has := func(param string) bool { return v.at.Has("workload." + param) }
	if err := v.workload("workload", v.Workload, has); err != nil {
		return err
	}
	for i, use := range v.Strategies {
		at := fmt.Sprintf("strategies[%d].workload", i)
		if use.Workload.Has("kind") {
			return v.at.Errorf(at+".kind", "%s.kind: all strategies of a scenario have one workload", at)
		}
		if err := v.workload(at, v.WorkloadOf(use), use.Workload.Has); err != nil {
			return err
		}
	}
	if slices.Contains(workloadInfo(v.Workload.Kind).Params, "period") && !has("period") {
		return v.missing("workload.period")
	}
	return nil
}

// workload judges those parameters that one part of the file has.
func (v *validator) workload(at string, w Workload, has func(string) bool) error {
	params := workloadInfo(w.Kind).Params
	for _, param := range workloadParams() {
		if has(param) && !slices.Contains(params, param) {
			return v.at.KeyErrorf(at+"."+param, "%s.%s: the workload %s has no %s", at, param, w.Kind, param)
		}
	}
	return judgeSettings(at, has, append(v.countSettings(workloadCounts(w)),
		v.heedsSetting(w.Heeds),
		v.durationSetting("period", w.Period, time.Millisecond),
		v.durationSetting("hold-at-least", w.HoldAtLeast, 0),
		v.nameSetting("commit", "moment of a commit", string(w.Commit), texts(commits())),
		v.nameSetting("key", "key", string(w.Key), texts(tickKeys())),
		v.nameSetting("order", "order", string(w.Order), texts(orders())),
	))
}

func (v *validator) heedsSetting(heeds results.Heeds) setting {
	return v.nameSetting("heeds", "way to heed a context", string(heeds), texts(results.Heedings()))
}

// workloadCounts are the whole numbers of a workload with their bounds.
func workloadCounts(w Workload) []count {
	return []count{
		{"fails", w.Fails, 0, percent},
		{"writes", w.Writes, 1, mostWrites},
		{"attempts", w.Attempts, 1, mostRetries},
		{"locks", w.Locks, 1, mostWorkers},
	}
}
