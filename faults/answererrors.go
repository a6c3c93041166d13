package faults

import (
	"fmt"
	"slices"
	"time"
)

// AnswerErrors makes a server refuse commands with an error for a while.
type AnswerErrors struct {
	OnServer
	// With is the error that it answers with.
	With Code `yaml:"with" doc:"the error, which decides which requests are refused; of Redis: READONLY: writes; LOADING: all commands but those about the connection; OOM: commands that may need memory; MISCONF: writes; CLUSTERDOWN: commands with keys; of services with an HTTP interface: THROTTLED: all requests, as above a rate limit; UNAVAILABLE: all requests, as in an outage"`
}

// Code names the error that a server answers with. It decides which requests the server refuses. The
// codes of Redis are the first words of its errors.
type Code string

// The codes.
const (
	CodeReadOnly    Code = "READONLY"    // it was made a replica: writes
	CodeLoading     Code = "LOADING"     // it reads its data: nearly everything
	CodeMemory      Code = "OOM"         // it is out of memory: commands that may need more
	CodeDisk        Code = "MISCONF"     // its last snapshot failed: writes
	CodeClusterDown Code = "CLUSTERDOWN" // its cluster is down: commands with keys
	CodeThrottled   Code = "THROTTLED"   // the client sends too many requests: all requests
	CodeUnavailable Code = "UNAVAILABLE" // the service is down: all requests
)

// Noun implements Word.
func (Code) Noun() string { return "error" }

// Words implements Word.
func (Code) Words() []string {
	return asStrings(CodeReadOnly, CodeLoading, CodeMemory, CodeDisk, CodeClusterDown, CodeThrottled, CodeUnavailable)
}

// refuses names the commands that a server refuses with the error.
func (c Code) refuses() string {
	switch c {
	case CodeReadOnly, CodeDisk:
		return "writes"
	case CodeMemory:
		return "what needs memory"
	case CodeClusterDown:
		return "commands with keys"
	case CodeThrottled, CodeUnavailable:
		return "all requests"
	case CodeLoading:
	}
	return "all commands"
}

// Info implements Fault.
func (*AnswerErrors) Info() Info {
	return kind[AnswerErrors](Info{
		Kind: "answer-errors", Doc: "makes the lock's server refuse requests with an error, such as READONLY of Redis or throttling of a service",
	})
}

func (*AnswerErrors) places() []Place {
	with := func(code Code) *AnswerErrors { return &AnswerErrors{OnServer{lockServers}, code} }
	return []Place{
		{Name: "readonly", Letter: "w", Order: 140, Fault: with(CodeReadOnly), Doc: "the lock's server refuses writes for a while"},
		{Name: "loading", Letter: "l", Order: 150, Fault: with(CodeLoading), Doc: "the lock's server refuses all commands for a while"},
		{Name: "oom", Letter: "m", Order: 160, Fault: with(CodeMemory), Doc: "the lock's server refuses what may need memory for a while"},
	}
}

func (f *AnswerErrors) check(s Spec, workers, nodes []string) error {
	switch {
	case f.With == "":
		return &ParamError{"with", fmt.Sprintf("is missing: one of %v", f.With.Words())}
	case f.Target == "resource":
		return &ParamError{"target", "the resource has no such errors"}
	}
	if err := checkParam("with", f.With); err != nil {
		return err
	}
	return f.OnServer.check(s, workers, nodes)
}

func (f *AnswerErrors) words() []string { return append(f.OnServer.words(), "with", string(f.With)) }

func (f *AnswerErrors) read(r *reader) {
	f.OnServer.read(r)
	r.expect("with")
	f.With = Code(r.word("error"))
	r.known(f.With)
}

func (f *AnswerErrors) supported(servers any) bool {
	s, can := servers.(interface{ Refuses() []Code })
	return can && slices.Contains(s.Refuses(), f.With)
}

// Apply implements Fault.
func (f *AnswerErrors) Apply(on any, d time.Duration) error {
	type refuser interface {
		AnswerErrors(server string, with Code, d time.Duration) error
	}
	return ask(on, f, func(t refuser) error { return t.AnswerErrors(f.Target, f.With, d) })
}

// Begins implements Fault.
func (f *AnswerErrors) Begins(s Scene) string {
	return fmt.Sprintf("refuses %s for %s (%s)", f.With.refuses(), s.Length, f.With)
}

// Ends implements Fault.
func (f *AnswerErrors) Ends(Scene) (text string, turning bool) {
	return fmt.Sprintf("refuses nothing any more (%s)", f.With), false
}
