package faults

import (
	"fmt"
	"slices"
)

// OnLink is a fault of a link, in one direction. One of its ends may be EachWorker.
type OnLink struct {
	// From and To name the ends: workers, or servers such as "lock" and "resource".
	From string `yaml:"from" doc:"one end of the link"`
	To   string `yaml:"to" doc:"the other end of the link"`
}

func (l *OnLink) names() []*string    { return []*string{&l.From, &l.To} }
func (l *OnLink) describe(info *Info) { info.Point = AnyPoint }
func (l *OnLink) words() []string     { return []string{l.From, "->", l.To} }

func (l *OnLink) read(r *reader) {
	l.From = r.word("begin of the link")
	r.expect("->")
	l.To = r.word("end of the link")
}

func (l *OnLink) check(_ Spec, workers, nodes []string) error {
	for _, end := range []struct{ param, name string }{{"from", l.From}, {"to", l.To}} {
		switch {
		case end.name == "":
			return &ParamError{end.param, "is missing"}
		case end.name != EachWorker && !slices.Contains(workers, end.name) && !slices.Contains(nodes, end.name):
			return unknownName(end.param, "worker or server", end.name)
		}
	}
	if l.From == l.To {
		return &ParamError{"to", fmt.Sprintf("a link from %s to %[1]s cannot be cut", l.To)}
	}
	return nil
}

// Ends implements Fault for an instant kind.
func (*OnLink) Ends(Scene) (text string, turning bool) { return "", false }

// label names the link in a story.
func (l *OnLink) label(s Scene) string { return s.Plain(l.From+" -> "+l.To, 50) }
