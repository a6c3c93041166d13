package jepsen

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// parseLog reads a text log. The last line must have a line end, since otherwise a value of 1 could
// be the first half of 12.
func parseLog(data []byte, f *folder) error {
	for n := 1; len(data) > 0; n++ {
		line, rest, ended := bytes.Cut(data, []byte("\n"))
		if !ended {
			return Place{n, utf8.RuneCount(line) + 1}.Errorf("the file ends within the line")
		}
		e, isOperation, err := parseLine(strings.TrimSuffix(string(line), "\r"), n)
		if err == nil && isOperation {
			err = f.add(e)
		}
		if err != nil {
			return err
		}
		data = rest
	}
	return nil
}

// parseLine reads one line of a log.
func parseLine(line string, n int) (e event, isOperation bool, err error) {
	fields, process := tabbed(line)
	if fields == nil {
		fields, process = blanked(line)
	}
	if fields == nil {
		return event{}, false, nil // an event of the nemesis, or not an operation
	}
	places := make([]Place, len(fields))
	for i, f := range fields {
		places[i] = Place{n, utf8.RuneCountInString(line[:f.from]) + 1}
	}
	e = event{place: Place{n, 1}, process: process, kind: fields[0].text}
	if err := checkType(e.kind, places[0]); err != nil {
		return event{}, false, err
	}
	if len(fields) < 3 {
		return event{}, false, Place{n, utf8.RuneCountInString(line) + 1}.Errorf("the line ends before the operation's value")
	}
	function, err := scalar(fields[1].text, places[1])
	if err != nil {
		return event{}, false, err
	}
	if e.function, err = keyword(function, "a function"); err != nil {
		return event{}, false, err
	}
	if e.kind == typeFail || e.kind == typeInfo {
		return e, true, nil // their value is often a reason in free text
	}
	r := &reader{data: []byte(fields[2].text), at: places[2]}
	if e.value, err = r.value(); err == nil {
		err = r.skip()
	}
	if err == nil && !r.done() {
		err = r.at.Errorf("something follows the value")
	}
	return e, true, err
}

// field is a part of a line between two separators, with its first byte.
type field struct {
	text string
	from int
}

// tabbed splits a line at its tabs into type, function, value and possibly an error text. The line
// is an operation if a process number comes right before the first tab and a keyword right after
// it. Otherwise it returns nil.
func tabbed(line string) (fields []field, process int64) {
	words := strings.SplitN(line, "\t", 5)
	process, isClient := processOf(words[0])
	if !isClient || len(words) < 2 || !strings.HasPrefix(words[1], ":") || strings.Contains(strings.TrimSpace(words[1]), " ") {
		return nil, 0
	}
	from := len(words[0]) + 1
	for i, word := range words[1:] {
		f := field{word, from}
		if i < 2 {
			f.text = strings.TrimSpace(word)
		}
		fields = append(fields, f)
		from += len(word) + 1
	}
	return fields, process
}

// blanked splits a line at its blanks and tabs into type, function and the rest, which begins with
// the value. The line is an operation if its first keyword is a type right after a process number.
// It is for logs that have lost their tabs.
func blanked(line string) (fields []field, process int64) {
	const blanks = " \t"
	types := []string{typeInvoke, typeOK, typeFail, typeInfo}
	before := ""
	for from := 0; from < len(line); {
		if strings.IndexByte(blanks, line[from]) >= 0 {
			from++
			continue
		}
		word := line[from:]
		if i := strings.IndexAny(word, blanks); i >= 0 {
			word = word[:i]
		}
		switch {
		case len(fields) == 2:
			return append(fields, field{line[from:], from}), process
		case len(fields) == 1:
			fields = append(fields, field{word, from})
		case strings.HasPrefix(word, ":"):
			n, isClient := processOf(before)
			if !isClient || !slices.Contains(types, word) {
				return nil, 0
			}
			fields, process = []field{{word, from}}, n
		}
		before, from = word, from+len(word)
	}
	return fields, process
}

// processOf returns the number at the end of a log's prefix.
func processOf(prefix string) (process int64, ok bool) {
	prefix = strings.TrimRight(prefix, " ")
	word := prefix[strings.LastIndexByte(prefix, ' ')+1:]
	n, err := strconv.ParseUint(word, 10, 63)
	return int64(n), err == nil
}
