package main

import (
	"fmt"
	"io"
	"time"

	"lockquake/scenarios"
)

// progress shows on a terminal how far a campaign has come. Elsewhere it
// shows nothing.
type progress struct {
	out      io.Writer
	terminal bool
	began    time.Time
	shown    time.Time
	violated int
}

func newProgress(w io.Writer) *progress {
	return &progress{out: w, terminal: isTerminal(w), began: time.Now()}
}

// show takes in one finished run.
func (p *progress) show(at scenarios.Progress) {
	if at.Violated {
		p.violated++
	}
	now := time.Now()
	if !p.terminal || now.Sub(p.shown) < 100*time.Millisecond {
		return
	}
	p.shown = now
	took := now.Sub(p.began)
	left := time.Duration(float64(took) / float64(at.Done) * float64(at.Total-at.Done))
	fmt.Fprintf(p.out, "\r\x1b[K%d of %d runs, %d with a violation, %v left", at.Done, at.Total, p.violated, left.Round(time.Second))
}

// clear takes the line away.
func (p *progress) clear() {
	if p.terminal && !p.shown.IsZero() {
		fmt.Fprint(p.out, "\r\x1b[K")
	}
}
