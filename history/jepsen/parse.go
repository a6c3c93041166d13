package jepsen

import (
	"bytes"
	"strings"

	"lockquake/internal/plaintext"
)

// Form is one of the two forms of a file.
type Form string

// The forms.
const (
	Log Form = "jepsen-log"
	EDN Form = "jepsen-edn"
)

// Parse reads a history that Jepsen has written, in either form. Every error is an *Error.
func Parse(data []byte) ([]Operation, Form, error) {
	if len(bytes.TrimSpace(data)) == 0 {
		return nil, "", Place{1, 1}.Errorf("the file is empty")
	}
	form, parse := Log, parseLog
	if isEDN(data) {
		form, parse = EDN, parseEDN
	}
	var f folder
	err := parse(data, &f)
	// A log may have other bytes in the lines that are skipped. Without an operation the file is not a log.
	if len(f.operations) == 0 {
		if binary := plaintext.First(data, nil); binary != nil {
			return nil, "", Place{binary.Line, binary.Column}.Errorf("%s", binary.Text)
		}
	}
	if err != nil {
		return nil, "", err
	}
	if len(f.operations) == 0 {
		return nil, "", Place{1, 1}.Errorf("there is no operation of a client in it, neither as a log of Jepsen nor as EDN")
	}
	return f.operations, form, nil
}

// isEDN decides the form by the beginning of the file. A log may begin with a bracket too, but not
// with one followed by a map.
func isEDN(data []byte) bool {
	r := newReader(data)
	if err := r.skip(); err != nil {
		return true
	}
	if b := r.peek(0); b != '[' && b != '(' {
		return b == '{' || b == '#'
	}
	r.advance(1)
	if err := r.skip(); err != nil {
		return true
	}
	return r.done() || strings.IndexByte("{#])", r.peek(0)) >= 0
}

// parseEDN reads maps, one after the other or all in one vector.
func parseEDN(data []byte, f *folder) error {
	r := newReader(data)
	lastIndex := int64(-1)
	for n, whole := 0, false; ; n++ {
		if err := r.skip(); err != nil || r.done() {
			return err
		}
		if whole {
			return r.at.Errorf("something follows the vector")
		}
		v, err := r.value()
		if err != nil {
			return err
		}
		items := []Value{v}
		if whole = n == 0 && (v.Kind == Vector || v.Kind == List); whole {
			items = v.Items
		}
		for _, item := range items {
			e, isOperation, err := parseMap(item, &lastIndex)
			if err == nil && isOperation {
				err = f.add(e)
			}
			if err != nil {
				return err
			}
		}
	}
}

// parseMap reads one event. Keys that do not matter, such as :node, may have any value.
func parseMap(v Value, lastIndex *int64) (e event, isOperation bool, err error) {
	if v.Kind == Tagged && v.Text[0] != ':' && v.Items[0].Kind == Map {
		v = v.Items[0] // a record is written as its class and its map
	}
	if v.Kind != Map {
		return event{}, false, v.Errorf("an operation is a map, not %s", v.what())
	}
	e.place = v.Place
	fields := map[string]Value{}
	for i := 0; i < len(v.Items); i += 2 {
		fields[v.Items[i].String()] = v.Items[i+1]
	}
	for _, key := range []string{":process", ":type", ":f"} {
		if _, ok := fields[key]; !ok {
			return event{}, false, v.Errorf("an operation without %s", key)
		}
	}
	for _, key := range []string{":index", ":time"} {
		if n, ok := fields[key]; ok && n.Kind != Int {
			return event{}, false, n.Errorf("%s is an integer, not %s", key, n.what())
		}
	}
	if index, ok := fields[":index"]; ok {
		if index.Int <= *lastIndex {
			return event{}, false, index.Errorf("index %d after %d: the file is out of order", index.Int, *lastIndex)
		}
		*lastIndex = index.Int
	}
	process, kind := fields[":process"], fields[":type"]
	if err := checkType(kind.String(), kind.Place); err != nil {
		return event{}, false, err
	}
	if process.Kind == Keyword && process.Text == ":nemesis" {
		return event{}, false, nil
	}
	if process.Kind != Int || process.Int < 0 {
		return event{}, false, process.Errorf("a process is a number or :nemesis, not %s", process.what())
	}
	e.process, e.kind, e.value = process.Int, kind.Text, fields[":value"]
	if e.value.Line == 0 {
		e.value.Place = v.Place
	}
	e.function, err = keyword(fields[":f"], ":f")
	return e, true, err
}

func keyword(v Value, what string) (string, error) {
	if v.Kind != Keyword {
		return "", v.Errorf("%s is a keyword, not %s", what, v.what())
	}
	return v.Text[1:], nil
}

func checkType(text string, at Place) error {
	switch text {
	case typeInvoke, typeOK, typeFail, typeInfo:
		return nil
	}
	return at.Errorf("unknown type %s; known are :invoke, :ok, :fail, :info", text)
}
