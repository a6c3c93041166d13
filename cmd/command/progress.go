package command

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"lockquake/reports/words"
	"lockquake/scenarios"
	"lockquake/scenarios/campaign"
)

// The least time between two updates of the progress.
const (
	redraw  = 100 * time.Millisecond // on a terminal, where the line is drawn again
	between = 10 * time.Second       // elsewhere, where each update is a line
)

// progress shows the progress of a campaign. On a terminal it redraws one line and clears
// it at the end. Elsewhere it prints a line every 10 s, and so none for a short campaign.
type progress struct {
	out     io.Writer
	title   string
	labels  []string          // of the uses of strategies, without their cases
	use     map[string]string // the use of each label that names a case
	now     func() time.Time
	redraws bool       // on a terminal, where the line is drawn again
	width   func() int // of a line, in columns
	color   bool

	runs, violating map[string]int // by label
	began, next     time.Time
	last            campaign.Progress
	drawn           bool // the terminal shows a line
}

// newProgress starts the progress of a scenario, for the strategies that are asked for, or
// for all. The cases of a strategy count together.
func newProgress(out io.Writer, title string, s *scenarios.Scenario, asked []string) *progress {
	p := progressOf(out, title)
	p.use = map[string]string{}
	for _, use := range s.Strategies {
		p.use[use.Label] = use.Use()
		if len(asked) == 0 {
			p.labels = append(p.labels, use.Use())
		}
	}
	for _, label := range asked {
		p.labels = append(p.labels, p.useOf(label))
	}
	p.labels = slices.Compact(p.labels)
	return p
}

// useOf returns the use of a strategy whose runs have a label.
func (p *progress) useOf(label string) string { return cmp.Or(p.use[label], label) }

// progressOf starts a progress that shows no strategies.
func progressOf(out io.Writer, title string) *progress {
	p := &progress{out: out, title: title, now: time.Now, color: colours(out), redraws: isTerminal(out) && os.Getenv("TERM") != "dumb"}
	p.width = func() int { return screenOf(out).Columns() }
	if f, ok := out.(*os.File); ok && p.redraws {
		// The last column stays free: some terminals break the line there.
		p.width = func() int { return widthOf(f) - 1 }
	}
	return p.begin()
}

// begin starts the clock.
func (p *progress) begin() *progress {
	p.runs, p.violating = map[string]int{}, map[string]int{}
	p.began = p.now()
	if p.next = p.began; !p.redraws {
		p.next = p.began.Add(between)
	}
	return p
}

// show counts one finished run, and updates the output if it is time.
func (p *progress) show(at campaign.Progress) {
	p.last = at
	p.runs[p.useOf(at.Label)]++
	if at.Violated {
		p.violating[p.useOf(at.Label)]++
	}
	now := p.now()
	if now.Before(p.next) {
		return
	}
	p.draw(now, p.line(fmt.Sprintf("%v left", left(at, now.Sub(p.began)).Round(time.Second)), p.width()))
}

// left returns how long the rest of some runs takes, if those so far took a time. Runs from a journal took none.
func left(at campaign.Progress, took time.Duration) time.Duration {
	if at.Share > 0 {
		return time.Duration(float64(took) / at.Share * (1 - at.Share))
	}
	return time.Duration(float64(took) / float64(max(1, at.Done-at.Recalled)) * float64(at.Total-at.Done))
}

// say shows a text in place of counts of runs, if it is time to update the output.
func (p *progress) say(text string) {
	if now := p.now(); !now.Before(p.next) {
		p.draw(now, cut(p.title+": "+text, p.width()))
	}
}

// draw updates the output.
func (p *progress) draw(now time.Time, text string) {
	if !p.redraws {
		p.next = now.Add(between)
		fmt.Fprintln(p.out, text)
		return
	}
	p.next = now.Add(redraw)
	if p.color {
		text = "\x1b[2m" + text + "\x1b[0m"
	}
	fmt.Fprint(p.out, "\r\x1b[K"+text)
	p.drawn = true
}

// clear removes the line from a terminal, so that something else can be printed.
func (p *progress) clear() {
	if p.drawn {
		fmt.Fprint(p.out, "\r\x1b[K")
		p.drawn = false
	}
}

// end clears the line on a terminal. Elsewhere it prints a last line, if there was one
// before.
func (p *progress) end() {
	p.clear()
	took := p.now().Sub(p.began)
	switch {
	case p.last.Done == 0 || p.redraws:
	case took >= between:
		fmt.Fprintln(p.out, p.line(fmt.Sprintf("took %v", took.Round(time.Second)), p.width()))
	}
}

// line prints the progress in at most columns characters. It leaves out strategies that do not fit.
func (p *progress) line(clock string, columns int) string {
	line := fmt.Sprintf("%s: %d/%d runs, %s", p.title, p.last.Done, p.last.Total, clock)
	const more = ", ..."
	joint := "; rates: "
	for i, label := range p.labels {
		rate := "-" // no run yet
		if n := p.runs[label]; n > 0 {
			rate = fmt.Sprintf("%d %%", (100*p.violating[label]+n/2)/n)
		}
		part := joint + label + " " + rate
		needed := words.Width(line + part)
		if i < len(p.labels)-1 {
			needed += len(more)
		}
		if needed > columns {
			if i > 0 {
				line += more
			}
			break
		}
		line += part
		joint = ", "
	}
	return cut(line, columns)
}

// cut returns the beginning of a line that fits into columns.
func cut(line string, columns int) string {
	var kept strings.Builder
	for _, r := range line {
		if columns -= words.Width(string(r)); columns < 0 {
			break
		}
		kept.WriteRune(r)
	}
	return kept.String()
}
