package faults

import (
	"cmp"
	"fmt"
	"strings"
	"time"
)

// Error makes the server answer one request with an error instead of running it.
type Error struct {
	OnRequest
	// Text is the error; the default is the error of a busy Redis.
	Text string `yaml:"text" doc:"the error that the server answers with; ZooKeeper always answers that the request was throttled"`
}

// Info implements Fault.
func (*Error) Info() Info {
	return kind[Error](Info{
		Kind: "error", Instant: true, Effect: Fails,
		Doc: "makes the server answer one request with an error instead of executing it",
	})
}

// places leaves out read and write, because the resource has no such errors.
func (*Error) places() []Place {
	return []Place{{
		Name: "error", Letter: "e", Order: 110, Fault: &Error{}, Except: []string{"dial", "read", "write"},
		Doc: "the lock's server answers the request that leaves here with an error",
	}}
}

const busyError = "BUSY Redis is busy running a script."

func (f *Error) complete() { f.Text = cmp.Or(f.Text, busyError) }

func (f *Error) check(Spec, []string, []string) error {
	if strings.Join(strings.Fields(f.Text), " ") != f.Text {
		return &ParamError{"text", "must be words with one space between them"}
	}
	return nil
}

func (f *Error) words() []string { return strings.Fields(f.Text) }

func (f *Error) read(r *reader) {
	f.OnRequest.read(r)
	var words []string
	for len(r.words) > 1 {
		words = append(words, r.word("text"))
	}
	if f.Text = strings.Join(words, " "); f.Text == "" {
		r.fail("the line ends where the text of the error should be")
	}
}

// Apply implements Fault.
func (f *Error) Apply(on any, _ time.Duration) error {
	type failer interface{ FailMessage(text string) error }
	return ask(on, f, func(t failer) error { return t.FailMessage(f.Text) })
}

// Begins implements Fault.
func (f *Error) Begins(s Scene) string {
	if f.Text == busyError { // most other servers answer with an error of their own instead
		return fmt.Sprintf("lets the server answer the %s with an error", s.Message)
	}
	return fmt.Sprintf("lets the server answer the %s with the error %s", s.Message, s.Plain(f.Text, 40))
}
