package faults

import "slices"

// OnServer is a fault of a server.
type OnServer struct {
	// Target is a server, as in OnNode. The default is every server of the lock.
	Target string `yaml:"target" doc:"the target of the fault; with when, by default the worker that reaches the point"`
}

func (s *OnServer) names() []*string { return []*string{&s.Target} }
func (s *OnServer) words() []string  { return []string{s.Target} }
func (s *OnServer) read(r *reader)   { s.Target = r.word("server") }

func (s *OnServer) describe(info *Info) {
	info.Point, info.Server, info.OnlyServer = AnyPoint, true, true
}

func (s *OnServer) check(_ Spec, _, nodes []string) error {
	if s.Target != "" && !slices.Contains(nodes, s.Target) {
		return unknownName("target", "server", s.Target)
	}
	return nil
}

// Ends implements Fault for an instant kind, and for one whose end another event tells.
func (*OnServer) Ends(Scene) (text string, turning bool) { return "", false }
