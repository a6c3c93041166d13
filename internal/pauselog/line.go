package pauselog

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// form is one form of the lines that have a pause.
type form struct {
	kind    Kind
	word    string // every line of this form has it
	pattern *regexp.Regexp
	unit    time.Duration // of the figures that the pattern finds
}

// forms returns the forms of all kinds of logs.
func forms() []form {
	return []form{
		// gc 5 @0.791s 5%: 23+54+0.007 ms clock, ...
		{GoTrace, " ms clock, ", regexp.MustCompile(`\bgc \d+ @[\d.]+s \d+%.*?: ([\d.]+)\+[\d.]+\+([\d.]+) ms clock, `), time.Millisecond},
		// [3.154s][info][safepoint] Safepoint "G1CollectForAllocation", ..., Total: 24316523 ns
		{Safepoint, `Safepoint "`, regexp.MustCompile(`\bSafepoint ".*\bTotal:\s*(\d+) ns\b`), time.Nanosecond},
		{Safepoint, "threads were stopped: ", regexp.MustCompile(`\bTotal time for which application threads were stopped: ([\d.]+) seconds`), time.Second},
		// [3.153s][info][gc] GC(0) Pause Young (Normal) (G1 Evacuation Pause) 6M->3M(64M) 22.812ms
		{JVMGC, " Pause ", regexp.MustCompile(`\bGC\(\d+\) (?:\w: )?Pause .*\s([\d.]+)ms\s*$`), time.Millisecond},
		// 2026-11-29T14:33:10.123Z hiccup 152.317 ms
		{Hiccups, " hiccup ", regexp.MustCompile(`^\S+Z hiccup ([\d.]+) ms\s*$`), time.Millisecond},
	}
}

// part holds the pauses of one kind of log.
type part struct {
	Log
	line int           // of the first pause, from 1
	last time.Duration // latest stamp
}

// readLogs returns the pauses of each kind of log, in the order of their first lines.
func readLogs(lines []string) []*part {
	forms, stamp := forms(), newStamper()
	var logs []*part
	of := func(kind Kind, line int) *part {
		at := slices.IndexFunc(logs, func(p *part) bool { return p.Kind == kind })
		if at < 0 {
			at, logs = len(logs), append(logs, &part{Log: Log{Kind: kind}, line: line, last: unknown})
		}
		return logs[at]
	}
	for i, line := range lines {
		if over, ok := recorded(line); ok {
			recording := of(Hiccups, i+1)
			recording.Span = min(recording.Span+over, longest)
			continue
		}
		for _, f := range forms {
			pauses := f.read(line)
			if pauses == nil {
				continue
			}
			of(f.kind, i+1).add(pauses, stamp.of(line))
			break
		}
	}
	return logs
}

// add adds the pauses of a line. A stamp that goes back is of another process.
func (p *part) add(pauses []time.Duration, stamp time.Duration) {
	p.Pauses = append(p.Pauses, pauses...)
	if stamp == unknown {
		return
	}
	if p.last != unknown && stamp > p.last {
		p.Span = min(p.Span+stamp-p.last, longest)
	}
	p.last = stamp
}

// read returns the pauses of a line; nil if it is not of this form.
func (f form) read(line string) []time.Duration {
	if !strings.Contains(line, f.word) {
		return nil
	}
	found := f.pattern.FindStringSubmatch(line)
	if found == nil {
		return nil
	}
	var pauses []time.Duration
	for _, figure := range found[1:] {
		d, ok := scaled(figure, f.unit)
		if !ok {
			return nil
		}
		pauses = append(pauses, d)
	}
	return pauses
}

// longest is the longest time that a figure may say, ten years.
const longest = 10 * 365 * 24 * time.Hour

// scaled returns a figure in its unit, to the nanosecond.
func scaled(figure string, unit time.Duration) (time.Duration, bool) {
	x, err := strconv.ParseFloat(figure, 64)
	if err != nil || x*float64(unit) > float64(longest) {
		return 0, false
	}
	return time.Duration(x*float64(unit) + 0.5), true
}
