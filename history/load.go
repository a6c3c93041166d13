package history

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"sort"
)

// Names are the names that the header of a history may have.
type Names struct {
	Workloads, Fences []string
}

// Load reads a history that any program may have recorded, and returns it with its sections. It refuses what Read
// and Sections refuse. It also refuses names, numbers and values that no recorder may write, since the checks would
// blame the lock for them; docs/check.md lists them. Every error is a [*LineError].
func Load(file []byte, known Names) (*History, []*Section, error) {
	h, err := Read(bytes.NewReader(file))
	if err != nil {
		return nil, nil, err
	}
	at := func(line int, err error) error {
		text := lineOf(file, line)
		return &LineError{Line: line, Column: column(err, text), Err: err}
	}
	if err := h.Meta.check(known); err != nil {
		return nil, nil, at(1, err)
	}
	sections, err := h.Sections()
	if err != nil {
		// The shortest prefix with an error ends with the wrong event. Line 1 of the file
		// has the meta data, so event n is in line n+1.
		n := sort.Search(len(h.Events), func(n int) bool {
			part := History{Meta: h.Meta, Events: h.Events[:n]}
			_, err := part.Sections()
			return err != nil
		})
		return nil, nil, at(n+1, err)
	}
	r := newRules(h)
	for i := range h.Events {
		if err := r.check(&h.Events[i]); err != nil {
			return nil, nil, at(i+2, err)
		}
	}
	if n := len(h.Events); h.Meta.Checksum != "" && (n == 0 || h.Events[n-1].Type != Final) {
		return nil, nil, at(n+2, errors.New("the file ends before the run does: its last event is not a final value"))
	}
	return h, sections, nil
}

// lineOf returns a line of a file, counted from 1, with its end; nil if there is none.
func lineOf(file []byte, n int) []byte {
	for line := range bytes.Lines(file) {
		if n--; n == 0 {
			return line
		}
	}
	return nil
}

// UnknownWordError is the error of a field with a word that it cannot have.
type UnknownWordError struct {
	Field, Word string
	Known       []string
}

func (e *UnknownWordError) Error() string { return fmt.Sprintf("unknown %s %q", e.Field, e.Word) }

// fieldError is the error of the value of a field.
type fieldError struct{ field, text string }

func (e *fieldError) Error() string { return e.text }

func wrong(field, format string, args ...any) error {
	return &fieldError{field, fmt.Sprintf(format, args...)}
}

// word is a field whose value is one of a few words.
type word struct {
	field, is string
	known     []string
}

// checkWords returns an error for the first field with an unknown word. An empty word is known.
func checkWords(fields ...word) error {
	for _, w := range fields {
		if w.is != "" && !slices.Contains(w.known, w.is) {
			return &UnknownWordError{w.field, w.is, w.known}
		}
	}
	return nil
}

// check returns an error for a header that no recorder may write.
func (m *Meta) check(known Names) error {
	if !slices.Contains(known.Workloads, m.Workload) {
		return &UnknownWordError{"workload", m.Workload, known.Workloads}
	}
	if err := checkWords(
		word{"fence", m.Fence, known.Fences},
		word{"commit", m.Commit, []string{"after-release"}},
		word{"stopped", string(m.Stopped), []string{string(StopIdle), string(StopCalm)}},
	); err != nil {
		return err
	}
	for _, number := range []struct {
		field string
		is    int64
	}{
		{"max_hold", int64(m.MaxHold)},
		{"margin", int64(m.Margin)},
		{"nodes", int64(m.Nodes)},
		{"quorum", int64(m.Quorum)},
		{"members", int64(m.Members)},
		{"processes", int64(m.Processes)},
		{"ttl", int64(m.TTL)},
		{"counted", int64(m.Counted)},
		{"answer", int64(m.Answer)},
		{"node_timeout", int64(m.NodeTimeout)},
		{"slowest", int64(m.Slowest)},
		{"tries", int64(m.Tries)},
		{"limit", int64(m.Limit)},
		{"window", int64(m.Window)},
		{"permits", int64(m.Permits)},
		{"duration", int64(m.Duration)},
		{"end", int64(m.End)},
	} {
		if number.is < 0 {
			return wrong(number.field, "%s is %d, and must not be negative", number.field, number.is)
		}
	}
	if p := m.Part; p != nil {
		if least := min(int64(p.Locks), int64(p.Workers), int64(p.Longest), int64(p.Messages)); least < 0 {
			return wrong("part", "a number of part is %d, and must not be negative", least)
		}
	}
	return nil
}

// rules checks events, whose order is right, against the header and the events before them.
type rules struct {
	*History
	witnessed bool
	workers   map[string]bool
	last      map[string]int       // by worker: its last section
	keys      map[sectionID]string // by section: the key of its lock
	asked     map[int64]*Event     // by request: its invocation
	values    map[string]string    // by item: the value that the resource has, if a write has left it and nothing can have lost it
	had       map[itemValue]bool   // values that the resource had, or that a write may have left, beside the first ones
	restored  bool                 // a database, which may be that of the resource, may have lost its last writes
}

type itemValue struct{ item, value string }

func newRules(h *History) *rules {
	r := &rules{
		History: h, witnessed: h.Witnessed(), workers: map[string]bool{}, last: map[string]int{}, keys: map[sectionID]string{},
		asked: map[int64]*Event{}, values: map[string]string{}, had: map[itemValue]bool{},
	}
	for _, name := range h.Meta.Workers {
		r.workers[name] = true
	}
	return r
}

// check returns an error for an event that no recorder may write.
func (r *rules) check(e *Event) error {
	if e.At < 0 {
		return wrong("at", "at is %d, and must not be negative", e.At)
	}
	if r.Meta.End > 0 && e.At > r.Meta.End {
		return wrong("at", "at is %d, after the end of the run: end of the header is %d", e.At, r.Meta.End)
	}
	if err := checkWords(
		word{"class", string(e.Class), classes()},
		word{"mode", e.Mode, []string{"shared", "exclusive"}},
		word{"with", e.With, []string{"session", "transaction"}},
		word{"effect", string(e.Effect), effects()},
	); err != nil {
		return err
	}
	switch e.Type {
	case AcquireCalled:
		return r.called(e)
	case Acquired, Told, ReleaseCalled, Released:
		if key := r.keys[sectionID{e.Worker, e.Section}]; e.Key != "" && e.Key != key {
			return wrong("key", "%s of section %d of %s has the key %q, and it was called with %q", e.Type, e.Section, e.Worker, e.Key, key)
		}
	case Crashed:
		return r.listed(e)
	case Invoke:
		r.asked[e.Request] = e
		if e.Op == "write" && !r.witnessed {
			r.had[itemValue{e.Key, e.Value}] = true
		}
	case OK:
		return r.answered(e)
	case Promoted, Restarted:
		r.restored = true
		clear(r.values)
	case Applied:
		return r.applied(e)
	default:
	}
	return nil
}

func (r *rules) listed(e *Event) error {
	if !r.workers[e.Worker] {
		return &UnknownWordError{"worker", e.Worker, r.Meta.Workers}
	}
	return nil
}

// called checks the call of a section. The history of one lock lacks the sections of the others.
func (r *rules) called(e *Event) error {
	if err := r.listed(e); err != nil {
		return err
	}
	want := r.last[e.Worker] + 1
	if e.Section < want || e.Section > want && r.Meta.Part == nil {
		return wrong("section", "section %d of %s, whose next section is %d", e.Section, e.Worker, want)
	}
	r.last[e.Worker] = e.Section
	r.keys[sectionID{e.Worker, e.Section}] = e.Key
	return nil
}

// answered checks the answer to a read, if the resource has no record of it. An item that the header does not name
// begins empty, and has then only the values of writes. An empty answer, which a file leaves out, is no value of
// any other item.
func (r *rules) answered(e *Event) error {
	read := r.asked[e.Request]
	if r.witnessed || read.Op != "read" || r.couldHave(read.Key, e.Value) {
		return nil
	}
	first, named := r.Meta.Initial[read.Key]
	switch {
	case e.Value == "":
		return wrong("request", "request %d read item %s, and its ok has no value; the item began with %q", e.Request, read.Key, first)
	case !named:
		return wrong("value", "request %d read %q, which no write wrote to item %s before; if the item began with it, the header needs it in initial", e.Request, e.Value, read.Key)
	}
	return nil
}

// couldHave reports whether a value is the first one of an item, or one that a write before has left or may have left.
func (r *rules) couldHave(item, value string) bool {
	return value == r.Meta.Initial[item] || r.had[itemValue{item, value}]
}

// applied checks the record of the resource. A read may return an old value: a replica lags.
func (r *rules) applied(e *Event) error {
	asked := r.asked[e.Request]
	item := cmp.Or(e.Key, asked.Key)
	has, changed := r.values[item]
	switch {
	case changed:
	case r.restored && r.couldHave(item, e.Prior):
		has = e.Prior
	default:
		has = r.Meta.Initial[item]
	}
	switch {
	case !e.Accepted:
	case asked.Op == "read":
		if !r.couldHave(item, e.Value) {
			return wrong("value", "request %d read %q, and item %s never had that value", e.Request, e.Value, item)
		}
	case e.Prior != "" && e.Prior != has:
		return wrong("prior", "request %d was applied over %q, and item %s had %q", e.Request, e.Prior, item, has)
	default:
		r.values[item] = e.Value
		r.had[itemValue{item, e.Value}] = true
		return nil
	}
	if e.Prior != "" && !r.couldHave(item, e.Prior) {
		return wrong("prior", "request %d found %q, and item %s never had that value", e.Request, e.Prior, item)
	}
	return nil
}
