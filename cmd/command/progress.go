package command

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

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
	out    io.Writer
	title  string
	labels []string
	now    func() time.Time
	width  func() int // of the terminal; nil if there is none
	color  bool

	runs, violating map[string]int // by label
	began, next     time.Time
	last            campaign.Progress
	drawn           bool // the terminal shows a line
}

// newProgress starts the progress of a scenario, for the strategies that are asked for, or
// for all.
func newProgress(out io.Writer, title string, s *scenarios.Scenario, asked []string) *progress {
	labels := asked
	if len(labels) == 0 {
		for _, use := range s.Strategies {
			labels = append(labels, use.Label)
		}
	}
	return progressOf(out, title, labels)
}

// progressOf starts the progress of runs with these labels, which may be none.
func progressOf(out io.Writer, title string, labels []string) *progress {
	p := &progress{out: out, title: title, labels: labels, now: time.Now, color: colours(out)}
	if f, ok := out.(*os.File); ok && isTerminal(out) && os.Getenv("TERM") != "dumb" {
		p.width = func() int { return widthOf(f) }
	}
	return p.begin()
}

// begin starts the clock.
func (p *progress) begin() *progress {
	p.runs, p.violating = map[string]int{}, map[string]int{}
	p.began = p.now()
	if p.next = p.began; p.width == nil {
		p.next = p.began.Add(between)
	}
	return p
}

// show counts one finished run, and updates the output if it is time.
func (p *progress) show(at campaign.Progress) {
	p.last = at
	p.runs[at.Label]++
	if at.Violated {
		p.violating[at.Label]++
	}
	now := p.now()
	if now.Before(p.next) {
		return
	}
	// Runs from a journal took no time.
	left := time.Duration(float64(now.Sub(p.began)) / float64(max(1, at.Done-at.Recalled)) * float64(at.Total-at.Done))
	p.draw(now, func(columns int) string { return p.line(fmt.Sprintf("%v left", left.Round(time.Second)), columns) })
}

// say shows a text in place of counts of runs, if it is time to update the output.
func (p *progress) say(text string) {
	if now := p.now(); !now.Before(p.next) {
		p.draw(now, func(columns int) string { return cut(p.title+": "+text, columns) })
	}
}

// draw updates the output. Line returns the text, in at most columns characters; 0 is no limit.
func (p *progress) draw(now time.Time, line func(columns int) string) {
	if p.width == nil {
		p.next = now.Add(between)
		fmt.Fprintln(p.out, line(0))
		return
	}
	p.next = now.Add(redraw)
	// The last column stays free: some terminals break the line there.
	text := line(p.width() - 1)
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
	case p.last.Done == 0 || p.width != nil:
	case took >= between:
		fmt.Fprintln(p.out, p.line(fmt.Sprintf("took %v", took.Round(time.Second)), 0))
	}
}

// maxLabels bounds the strategies in a line, even if more would fit.
const maxLabels = 12

// line prints the progress in at most columns characters; 0 is no limit. It leaves out
// strategies that do not fit.
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
		needed := columnsOf(line + part)
		if i < len(p.labels)-1 {
			needed += len(more)
		}
		if columns > 0 && needed > columns || i == maxLabels {
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

// columnsOf returns the largest width of a text on a terminal: a character that is not
// ASCII may take two columns.
func columnsOf(text string) int {
	columns := 0
	for _, r := range text {
		columns += columnsOfRune(r)
	}
	return columns
}

func columnsOfRune(r rune) int {
	if r < 0x80 {
		return 1
	}
	return 2
}

func cut(line string, columns int) string {
	if columns <= 0 {
		return line
	}
	var kept strings.Builder
	for _, r := range line {
		if columns -= columnsOfRune(r); columns < 0 {
			break
		}
		kept.WriteRune(r)
	}
	return kept.String()
}

// isTerminal reports whether a stream is a terminal.
func isTerminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// widthOf returns the number of columns of a terminal, or 80 if it is not known.
func widthOf(f *os.File) int {
	const usual = 80
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width
	}
	return usual
}

// colours reports whether output to a stream is coloured: the stream is a terminal or
// CLICOLOR_FORCE is set, and the environment does not forbid colours.
func colours(w any) bool {
	if os.Getenv("NO_COLOR") != "" {
		return false
	}
	if force := os.Getenv("CLICOLOR_FORCE"); force != "" && force != "0" {
		return true
	}
	return isTerminal(w) && os.Getenv("TERM") != "dumb"
}
