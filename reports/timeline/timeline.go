package timeline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"lockquake/history"
	"lockquake/reports/story"
	"lockquake/reports/words"
	"lockquake/scenarios/results"
)

// Timeline is a story as a picture: a lane for each participant, spans for what lasts,
// arrows for messages, and steps, which are the lines of the story and point to spans and
// arrows. Everything comes from the history. Lanes, spans, arrows and steps refer to each
// other by index. Its JSON is the data of report.html.
type Timeline struct {
	Scenario string  `json:"scenario"`
	Strategy string  `json:"strategy"` // label of its use
	Check    string  `json:"check"`
	Seed     uint64  `json:"seed,string"`      // a number in JSON would lose its last digits
	NoLock   bool    `json:"noLock,omitempty"` // a span of the kind belief is a section, and no worker holds a lock
	From     Moment  `json:"from"`             // the window that is shown
	To       Moment  `json:"to"`
	Lanes    []Lane  `json:"lanes"` // lock servers, workers, others, resource
	Spans    []Span  `json:"spans"`
	Arrows   []Arrow `json:"arrows"`
	Steps    []Step  `json:"steps"`
	Ruler    []Knot  `json:"ruler"` // the time axis
}

// Moment is a true time since the run began. In JSON it is a number of milliseconds.
type Moment time.Duration

// MarshalJSON writes milliseconds with up to three decimals.
func (m Moment) MarshalJSON() ([]byte, error) {
	us := time.Duration(m).Round(time.Microsecond).Microseconds()
	return strconv.AppendFloat(nil, float64(us)/1000, 'f', -1, 64), nil
}

// Lane is a row of a timeline.
type Lane struct {
	Name string `json:"name"`
	Kind string `json:"kind"`           // worker, others, server, network or resource
	Rows int    `json:"rows,omitempty"` // of its leases, which several owners have at the same time; 0 for one
}

// Span is something that lasts.
type Span struct {
	Lane  int    `json:"lane"`
	Row   int    `json:"row,omitempty"` // of the lane, from 0 at the top
	Kind  string `json:"kind"`          // belief, lease, wait, fault, after: the call goes on after the belief, or quiet: merged spans outside the story
	From  Moment `json:"from"`          // cut to the window
	To    Moment `json:"to"`
	Label string `json:"label"` // a word or two
	Text  string `json:"text"`  // a sentence

	seqs []int64 // the events that bound it
}

// Arrow is a message from one lane to another.
type Arrow struct {
	From    int    `json:"fromLane"`
	To      int    `json:"toLane"`
	Sent    Moment `json:"sent"` // cut to the window
	Arrived Moment `json:"arrived"`
	Label   string `json:"label"`            // its token as #7, or ""
	Text    string `json:"text"`             // a sentence
	Failed  bool   `json:"failed,omitempty"` // it was refused, or its outcome is unknown

	seqs []int64
}

// Step is a line of the story. At is cut to the window; Time is the time that the story
// prints.
type Step struct {
	At       Moment `json:"at"`
	Time     string `json:"time"` // seconds
	Lane     int    `json:"lane"` // -1 for a line without a lane
	Actor    string `json:"actor"`
	Text     string `json:"text"`
	Believes string `json:"believes"` // as in [story.Line]
	Lease    string `json:"lease"`
	Resource string `json:"resource"`
	Decisive bool   `json:"decisive,omitempty"`
	Spans    []int  `json:"spans,omitempty"` // spans and arrows of its event
	Arrows   []int  `json:"arrows,omitempty"`
}

// maxWorkerLanes bounds the lanes of a picture. Further workers share the lane "others".
const maxWorkerLanes = 8

// Of returns the timeline of a run around the evidence of a check, as [story.TellCheck]
// tells it. It has no lanes if the history contradicts itself or is empty.
func Of(run *results.Trial, check string) Timeline {
	t := Timeline{
		Scenario: words.Plain(run.Scenario, 60), Strategy: words.Plain(run.Label, 60), Check: check, Seed: run.Seed, NoLock: story.NoLock(run),
		Lanes: []Lane{}, Spans: []Span{}, Arrows: []Arrow{}, Steps: []Step{}, Ruler: []Knot{},
	}
	sections, err := run.History.Sections()
	if err != nil {
		return t
	}
	d := drafter{t: &t, run: run, events: run.History.Events, primaries: story.PrimariesOf(run.History), lanes: map[string]int{}}
	d.story.Lines, d.scope = story.Around(run, sections, check)
	if len(d.story.Lines) == 0 {
		return t
	}
	d.setWindow(sections)
	d.addLanes()
	d.addSections(sections)
	d.walk()
	d.addQuiet()
	d.addRows()
	d.addSteps()
	d.dropOthers()
	return t
}

// drafter draws up a timeline.
type drafter struct {
	t     *Timeline
	run   *results.Trial
	story story.Story
	scope story.Scope

	events    []history.Event
	primaries story.Primaries
	lanes     map[string]int // by the name of the worker, server or resource
	quiet     []quietSpan
}

// quietSpan is a section or a lease that is not in the story.
type quietSpan struct {
	lane     int
	worker   string
	from, to time.Duration
}

// setWindow sets the window to the time between the first and the last line of the story.
// The values at the end of the run come long after that; they are drawn at the right edge.
func (d *drafter) setWindow(sections []*history.Section) {
	lines := d.story.Lines
	last := len(lines) - 1
	for last > 0 && (lines[last].Seq == 0 || d.events[lines[last].Seq-1].Type == history.Final) {
		last--
	}
	from, to := lines[0].At, lines[last].At
	for _, s := range sections {
		if s.Grant != 0 && s.Enter == lines[0].Seq {
			from = s.GrantAt // the window includes the grant of the first section
		}
	}
	to = max(to, min(to+max(time.Millisecond, (to-from)/50), d.run.History.Meta.End))
	d.t.From, d.t.To = Moment(from), Moment(to)
	moments := []Moment{d.t.From, d.t.To}
	for _, line := range lines[:last+1] {
		moments = append(moments, Moment(line.At))
	}
	slices.Sort(moments)
	d.t.Ruler = ruler(slices.Compact(moments))
}

// addLanes adds a lane for each worker and server in the story, and for the resource.
func (d *drafter) addLanes() {
	h := d.run.History
	told := map[string]bool{}
	for _, line := range d.story.Lines {
		told[line.Actor] = true
	}
	var servers []string
	add := func(name string) {
		if !slices.Contains(servers, name) {
			servers = append(servers, name)
		}
	}
	for i := range d.events {
		switch e := &d.events[i]; {
		case d.scope.About(e.Key) && story.ByServer(e.Type) && !d.primaries.Known():
			add(story.ServerName(e))
		case e.Type == history.FaultBegin && told[e.Target] && d.primaries.Known() && e.Target != story.LockServer &&
			e.Target != "resource" && !slices.Contains(h.Meta.Workers, e.Target):
			add(e.Target) // a member that does not lead, of whose fault the story tells
		}
	}
	for _, name := range d.primaries.Within(time.Duration(d.t.From), time.Duration(d.t.To)) {
		add(name)
	}
	// By number: lock-2 before lock-10.
	slices.SortFunc(servers, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
	for _, name := range servers {
		d.addLane(name, "server")
	}
	if told["network"] {
		d.addLane("network", "network")
	}
	workers := 0
	for _, worker := range h.Meta.Workers {
		// A worker of the evidence may have no line of its own.
		if (told[worker] || d.scope.Involves(worker)) && workers < maxWorkerLanes {
			d.addLane(worker, "worker")
			workers++
		}
	}
	if workers < len(h.Meta.Workers) {
		d.addLane("others", "others")
	}
	d.addLane("resource", "resource")
}

func (d *drafter) addLane(name, kind string) {
	if _, there := d.lanes[name]; there {
		return
	}
	d.lanes[name] = len(d.t.Lanes)
	d.t.Lanes = append(d.t.Lanes, Lane{Name: words.Plain(name, 24), Kind: kind})
}

// dropOthers removes the lane of the other workers if it is empty.
func (d *drafter) dropOthers() {
	others := d.lane("others")
	if others < 0 || slices.ContainsFunc(d.t.Spans, func(s Span) bool { return s.Lane == others }) ||
		slices.ContainsFunc(d.t.Steps, func(s Step) bool { return s.Lane == others }) ||
		slices.ContainsFunc(d.t.Arrows, func(a Arrow) bool { return a.From == others || a.To == others }) {
		return
	}
	d.t.Lanes = slices.Delete(d.t.Lanes, others, others+1)
	move := func(lane *int) {
		if *lane > others {
			*lane--
		}
	}
	for i := range d.t.Spans {
		move(&d.t.Spans[i].Lane)
	}
	for i := range d.t.Steps {
		move(&d.t.Steps[i].Lane)
	}
	for i := range d.t.Arrows {
		move(&d.t.Arrows[i].From)
		move(&d.t.Arrows[i].To)
	}
}

// lane returns the index of a lane by its name, -1 if there is none.
func (d *drafter) lane(name string) int {
	if i, ok := d.lanes[name]; ok {
		return i
	}
	return -1
}

// told reports whether a section is in the story and its worker has a lane.
func (d *drafter) told(worker string, section int) bool {
	return d.hasLane(worker) && d.scope.Tells(worker, section)
}

// hasLane reports whether a worker has a lane of its own.
func (d *drafter) hasLane(worker string) bool {
	i := d.lane(worker)
	return i >= 0 && d.t.Lanes[i].Kind == "worker"
}

// span adds a span, if it overlaps the window.
func (d *drafter) span(s Span) {
	if s.Lane < 0 || s.To < d.t.From || s.From > d.t.To {
		return
	}
	s.From, s.To = max(s.From, d.t.From), min(max(s.From, s.To), d.t.To)
	d.t.Spans = append(d.t.Spans, s)
}

// arrow adds an arrow, if it overlaps the window.
func (d *drafter) arrow(a Arrow) {
	if a.From < 0 || a.To < 0 || a.Arrived < d.t.From || a.Sent > d.t.To {
		return
	}
	a.Sent, a.Arrived = max(a.Sent, d.t.From), min(max(a.Sent, a.Arrived), d.t.To)
	d.t.Arrows = append(d.t.Arrows, a)
}

// addSteps turns the lines of the story into steps.
func (d *drafter) addSteps() {
	times := d.story.Times()
	for _, line := range d.story.Lines {
		step := Step{
			At: min(max(Moment(line.At), d.t.From), d.t.To), Time: strings.TrimSpace(times[line.At]), Lane: d.lane(line.Actor),
			Actor: words.Plain(line.Actor, 40), Text: line.Text, Believes: line.Believes, Lease: line.Lease, Resource: line.Resource,
			Decisive: line.Decisive,
		}
		if line.Seq != 0 {
			d.point(&step, &d.events[line.Seq-1])
		}
		d.t.Steps = append(d.t.Steps, step)
	}
}

// point sets the lane of a step to that of its event. It links the step to the spans and
// arrows that begin or end with the event, or else to the spans that cover it.
func (d *drafter) point(step *Step, e *history.Event) {
	switch {
	case e.Type == history.Applied || e.Type == history.Final:
		step.Lane = d.lane("resource")
	case story.ByServer(e.Type):
		step.Lane = d.lane(d.primaries.At(e))
	case step.Lane < 0 && step.Actor == story.LockServer: // all servers: their leader has a lane
		step.Lane = d.lane(d.primaries.Before(e))
	}
	for i, s := range d.t.Spans {
		if slices.Contains(s.seqs, e.Seq) {
			step.Spans = append(step.Spans, i)
		}
	}
	for i, a := range d.t.Arrows {
		if slices.Contains(a.seqs, e.Seq) {
			step.Arrows = append(step.Arrows, i)
		}
	}
	if len(step.Spans)+len(step.Arrows) > 0 {
		return
	}
	lane := d.lane(e.Worker)
	for i, s := range d.t.Spans {
		if (s.Lane == lane || s.Lane == step.Lane) && s.From <= Moment(e.At) && Moment(e.At) <= s.To {
			step.Spans = append(step.Spans, i)
		}
	}
}
