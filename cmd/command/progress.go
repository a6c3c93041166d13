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

// How often progress is shown, at most.
const (
	redraw  = 100 * time.Millisecond // of a line on a terminal
	between = 10 * time.Second       // of two lines elsewhere
)

// progress shows how far a campaign has come: on a terminal in one line that
// is drawn again and taken away at the end, elsewhere in a line now and then.
// A campaign that is quickly done leaves nothing there.
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
}

// newProgress begins to show how far the runs of a scenario have come, of all its
// strategies or of those that were asked for.
func newProgress(out io.Writer, title string, s *scenarios.Scenario, asked []string) *progress {
	labels := asked
	if len(labels) == 0 {
		for _, use := range s.Strategies {
			labels = append(labels, use.Label)
		}
	}
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

// show takes in one finished run.
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
	took := now.Sub(p.began)
	// What a journal had took no time.
	left := time.Duration(float64(took) / float64(max(1, at.Done-at.Recalled)) * float64(at.Total-at.Done))
	if p.width == nil {
		p.next = now.Add(between)
		fmt.Fprintln(p.out, p.line(fmt.Sprintf("%v left", left.Round(time.Second)), 0))
		return
	}
	p.next = now.Add(redraw)
	// The last column stays free: some terminals break the line there.
	line := p.line(fmt.Sprintf("%v left", left.Round(time.Second)), p.width()-1)
	if p.color {
		line = "\x1b[2m" + line + "\x1b[0m"
	}
	fmt.Fprint(p.out, "\r\x1b[K"+line)
}

// end takes the line away, or says how it ended if others were said before.
func (p *progress) end() {
	took := p.now().Sub(p.began)
	switch {
	case p.last.Done == 0:
	case p.width != nil:
		fmt.Fprint(p.out, "\r\x1b[K")
	case took >= between:
		fmt.Fprintln(p.out, p.line(fmt.Sprintf("took %v", took.Round(time.Second)), 0))
	}
}

// mostLabels is how many strategies a line names, wide as it may be.
const mostLabels = 12

// line says how far the run is, in a width of at most columns characters; 0 is no limit.
// The strategies that do not fit are left out.
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
		if columns > 0 && needed > columns || i == mostLabels {
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

// columnsOf is how wide a text may be on a terminal: what is not ASCII may take
// two columns.
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

// widthOf is how many columns a terminal has, or is likely to have.
func widthOf(f *os.File) int {
	const usual = 80
	if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
		return width
	}
	return usual
}

// colours reports whether a stream is to be coloured: a terminal, and nobody
// who asked for none.
func colours(w any) bool {
	_, plain := os.LookupEnv("NO_COLOR")
	return isTerminal(w) && !plain && os.Getenv("TERM") != "dumb"
}
