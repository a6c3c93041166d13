package sample

import (
	"time"

	"lockquake/scenarios/results"
)

// Matrix returns a matrix of two needs, with a cell of each state, and two pieces of advice.
func Matrix() *results.Matrix {
	m := &results.Matrix{Schema: 1, Scenario: results.MatrixName, Version: "0.1.0", Seeds: results.SeedRange{First: 1, Last: 30}, Screen: 4, Most: 240, Runs: 1234}
	cases := []results.MatrixCase{{Name: "no-fault", Must: true}, {Name: "pauses", Class: "P", Must: true}, {Name: "stale-reads", Class: "R"}}
	row := func(label string, verdict results.CellState, perJob float64, cells ...results.MatrixCell) results.MatrixRow {
		outage := 1200 * time.Millisecond
		r := results.MatrixRow{Label: label, Strategy: label, Doc: "the lock " + label, Verdict: verdict, Baseline: label == "none", Cells: cells, Cost: results.MatrixCost{
			PerJob: perJob, PerAcquisition: perJob / 2, WaitP50: 90 * time.Millisecond, WaitP99: 1300 * time.Millisecond, Outage: &outage, Finished: 0.97,
		}}
		for i := range cells {
			cells[i].Case = cases[i].Name
			cells[i].SetInterval()
			if cases[i].Must && verdict == results.CellHolds && cells[i].High > r.AtMost {
				r.Weakest, r.AtMost = cases[i].Name, cells[i].High
			}
		}
		return r
	}
	cell := func(state results.CellState, violating, runs int) results.MatrixCell {
		c := results.MatrixCell{State: state, Violating: violating, Runs: runs, Hit: 40, HitRuns: runs, Jobs: 500, Finished: 480}
		if violating > 0 {
			c.Worst, c.Replay, c.Checks = "lost-update", "need-database@1a2b3c4d5e6f:redis+under+pauses:1:0.1.0:0123456789abcdef", map[string]int{"lost-update": violating}
		}
		return c
	}
	unknown, idle := cell(results.CellUnknown, 0, 4), cell(results.CellIdle, 0, 30)
	unknown.Why, unknown.More = "4 runs, and 29 are needed", 25
	idle.Why, idle.Finished = "finished 4 % of its work, and another strategy 99 %", 20
	late := row("redis-late", results.CellIdle, 4, cell(results.CellHolds, 0, 30), idle, unknown)
	late.Why = "pauses: " + idle.Why
	rare := cell(results.CellUnknown, 0, 240)
	rare.HitRuns, rare.More, rare.Why = 24, 50, "a fault hit in 24 of 240 runs, and 29 are needed"
	seldom := row("redis-seldom", results.CellUnknown, 3, cell(results.CellHolds, 0, 30), rare, unknown)
	seldom.Why = "pauses: " + rare.Why
	m.Needs = []results.MatrixNeed{
		{
			Name: "database", Title: "data in one database", Asks: "lose no update of a row", Scenario: "need-database", Hash: "1a2b3c4d5e6f", Lease: 2 * time.Second, Cases: cases,
			Rows: []results.MatrixRow{
				row("pg-advisory-xact", results.CellHolds, 5.1, cell(results.CellHolds, 0, 30), cell(results.CellHolds, 0, 30), unknown),
				row("redis-fenced", results.CellHolds, 7.6, cell(results.CellHolds, 0, 30), cell(results.CellHolds, 0, 30), cell(results.CellFails, 6, 30)),
				seldom,
				late,
				row("redis", results.CellFails, 7.4, unknown, cell(results.CellFails, 3, 4), unknown),
				row("none", results.CellFails, 3, cell(results.CellFails, 4, 4), cell(results.CellFails, 4, 4), cell(results.CellFails, 4, 4)),
			},
			Answer: results.MatrixAnswer{Take: []string{"pg-advisory-xact", "redis-fenced"}, Avoid: []string{"redis"}, Unknown: []string{"redis-seldom", "redis-late"}, Hold: 2, Fail: 1, Undecided: 2},
		},
		{
			Name: "efficiency", Title: "efficiency only", Asks: "save work", Scenario: "need-efficiency", Hash: "6f5e4d3c2b1a", Lease: 2 * time.Second, Cases: cases, Saves: "stampede",
			Rows: []results.MatrixRow{
				row("redis", results.CellFails, 7.4, results.MatrixCell{State: results.CellFails, Worst: "stampede", Runs: 30, Repeated: 9, Finished: 240}, cell(results.CellHolds, 0, 30), unknown),
			},
			Answer: results.MatrixAnswer{Take: []string{}, Avoid: []string{"redis"}, Fail: 1, Note: "Without a lock every computation is repeated."},
		},
	}
	m.Advice = []results.MatrixAdvice{
		{
			Number: 1, Text: "Take redis for | money", Verdict: results.AdviceRefuted, Says: "it loses nothing: redis fails in 3 of 4 runs",
			Evidence: []results.AdviceEvidence{{Claim: "it loses nothing", Verdict: results.AdviceRefuted, Figure: "redis fails in 3 of 4 runs", Command: "matrix --need database --strategy redis --no-report"}},
		},
		{Number: 2, Text: "Measure first", Verdict: results.AdviceOpen, Says: "there is nothing to measure"},
	}
	return m
}
