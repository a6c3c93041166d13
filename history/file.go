package history

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Schema is the version of the file format that this package writes and reads.
const Schema = 1

// maxLine limits the length of a line, including its end, so that Read refuses a huge line before
// it fills the memory.
const maxLine = 1 << 20

// Write writes h as JSON lines: the Meta first, then one event a line. It writes the current
// Schema, whatever h.Meta.Schema is. It returns the error of w, or an error that names a line too
// long for Read.
func Write(w io.Writer, h *History) error {
	out := bufio.NewWriter(w)
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	put := func(n int, v any) error {
		line.Reset()
		if err := enc.Encode(v); err != nil {
			return fmt.Errorf("write history: line %d: %w", n, err)
		}
		if line.Len() > maxLine {
			return fmt.Errorf("write history: line %d is longer than %d bytes", n, maxLine)
		}
		if _, err := out.Write(line.Bytes()); err != nil {
			return fmt.Errorf("write history: %w", err)
		}
		return nil
	}
	meta := h.Meta
	meta.Schema = Schema
	if err := put(1, &meta); err != nil {
		return err
	}
	for i := range h.Events {
		if err := put(i+2, &h.Events[i]); err != nil {
			return err
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write history: %w", err)
	}
	return nil
}

// Read reads what Write has written, and nothing else. It returns a LineError for an unknown field,
// another schema, a line that is cut, empty or longer than 1 MiB, and for events that are not
// numbered 1, 2, 3, ... or go back in time. History.Sections checks whether the events make sense
// together.
func Read(r io.Reader) (*History, error) {
	in := bufio.NewReaderSize(r, maxLine)
	h := &History{}
	for n := 1; ; n++ {
		line, err := in.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF) && len(line) == 0 && n > 1:
			return h, nil
		case errors.Is(err, io.EOF) && len(line) == 0:
			return nil, &LineError{Line: 1, Column: 1, Err: errors.New("the file is empty")}
		case errors.Is(err, io.EOF):
			err = errCut
		case errors.Is(err, bufio.ErrBufferFull):
			err = fmt.Errorf("longer than %d bytes", maxLine)
		case err != nil: // of r
		case n == 1:
			err = readMeta(line, &h.Meta)
		default:
			err = h.readEvent(line)
		}
		if err != nil {
			return nil, &LineError{Line: n, Column: column(err, line), Err: err}
		}
	}
}

// LineError says where Read found an error in a file. Line and Column count from 1, columns in
// bytes; Column is 1 if the whole line is wrong.
type LineError struct {
	Line, Column int
	Err          error
}

func (e *LineError) Error() string { return fmt.Sprintf("read history: line %d: %v", e.Line, e.Err) }

// Unwrap returns the error without its position.
func (e *LineError) Unwrap() error { return e.Err }

// errCut is the error of a last line without a line end.
var errCut = errors.New("the file ends within the line")

func readMeta(line []byte, m *Meta) error {
	// Check the schema first: a complaint about unknown fields of another version would be less
	// helpful.
	var version struct {
		Schema *int `json:"schema"`
	}
	if err := json.Unmarshal(line, &version); err != nil {
		return fmt.Errorf("the first line is not a header: %w", readable(err, line, &version))
	}
	if version.Schema == nil {
		return errors.New("the first line is not a header: it has no schema")
	}
	if *version.Schema != Schema {
		return wrong("schema", "schema %d, not %d", *version.Schema, Schema)
	}
	return decode(line, m)
}

func (h *History) readEvent(line []byte) error {
	var e Event
	if err := decode(line, &e); err != nil {
		return err
	}
	if want := int64(len(h.Events)) + 1; e.Seq != want {
		return wrong("seq", "sequence number %d, not %d", e.Seq, want)
	}
	if n := len(h.Events); n > 0 && e.At < h.Events[n-1].At {
		return wrong("at", "event %d is earlier than the one before it", e.Seq)
	}
	if e.Type == FaultBegin && e.Effect == "" {
		e.Effect = effectOf(e.Kind)
	}
	h.Events = append(h.Events, e)
	return nil
}

// decode reads exactly one JSON value with known fields only.
func decode(line []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	switch err := dec.Decode(v); {
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	case err != nil:
		return readable(err, line, v)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something follows the JSON value")
	}
	return nil
}
