package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// The limits of a file. A node is a key, a value, a list or a map, counted again each time that an
// alias repeats it.
const (
	MaxSize     = 4 << 20            // bytes
	MaxDuration = 87_600 * time.Hour // ten years
	maxDepth    = 32                 // lists and maps inside each other
	maxNodes    = 400_000
)

// parse returns the tree of the one document in data. The tree is safe to walk: no alias contains
// itself, every key is text and unique in its map, and the limits hold with all aliases expanded.
func parse(file string, data []byte) (*yaml.Node, error) {
	if err := checkBytes(file, data); err != nil {
		return nil, err
	}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	switch err := next(decoder, &document); {
	case errors.Is(err, io.EOF):
		return nil, &Error{file, 1, 1, "the file is empty"}
	case err != nil:
		return nil, syntaxError(file, data, err)
	}
	root := document.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, &Error{file, root.Line, root.Column, "the file is empty"}
	}
	switch err := next(decoder, &second); {
	case err == nil:
		return nil, &Error{file, second.Line, second.Column, "a second document begins here; a file holds one"}
	case !errors.Is(err, io.EOF):
		return nil, syntaxError(file, data, err)
	}
	t := tree{file: file, open: map[*yaml.Node]bool{}}
	if err := t.check(root, 0); err != nil {
		return nil, err
	}
	return root, nil
}

// next reads a document. If the library panics, it returns an error, as for any other file that
// cannot be read.
func next(decoder *yaml.Decoder, into *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("yaml: %v", r)
		}
	}()
	return decoder.Decode(into)
}

// checkBytes refuses data that is not text. The library would do so too, but without a position.
func checkBytes(file string, data []byte) error {
	if len(data) > MaxSize {
		return &Error{file, 1, 1, fmt.Sprintf("the file is larger than %d bytes", MaxSize)}
	}
	line, column := 1, 1
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		switch {
		case r == utf8.RuneError && size == 1:
			return &Error{file, line, column, fmt.Sprintf("byte %#02x is not UTF-8 text", rest[0])}
		case r == '\n':
			line, column = line+1, 0
		case r < ' ' && r != '\t' && r != '\r', r >= 0x7f && r < 0xa0, r == 0xfffe, r == 0xffff:
			return &Error{file, line, column, fmt.Sprintf("control character %U is not allowed", r)}
		}
		rest = rest[size:]
		column++
	}
	return nil
}

// syntaxError adds a position to an error of the library. The library gives at most a line, and its
// parser (but not its scanner) counts lines from 0. The column is where the text of the line
// begins.
func syntaxError(file string, data []byte, err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	line := 1
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(text); m != nil {
		text = text[len(m[0]):]
		line, _ = strconv.Atoi(m[1])
		if strings.HasPrefix(text, "did not find expected ") || text == "found undefined tag handle" ||
			strings.HasPrefix(text, "found duplicate %") {
			line++
		}
	}
	lines := strings.Split(string(data), "\n")
	if at, ok := tabbed(lines); ok && (strings.Contains(text, "tab character") || strings.Contains(text, "cannot start any token")) {
		return &Error{file, at, 1, "a tab indents this line, and YAML takes spaces only"}
	}
	line = min(max(line, 1), len(lines))
	column := 1
	if m := regexp.MustCompile(`^unknown anchor '(.*)' referenced$`).FindStringSubmatch(text); m != nil {
		text = fmt.Sprintf("no anchor &%s is defined before this", m[1])
		line, column = find(lines, "*"+m[1])
	} else if l := lines[line-1]; strings.TrimSpace(l) != "" {
		column += len(l) - len(strings.TrimLeft(l, " \t"))
	}
	return &Error{file, line, column, "not YAML: " + text}
}

// tabbed returns the first line that is indented by a tab.
func tabbed(lines []string) (line int, ok bool) {
	i := slices.IndexFunc(lines, func(l string) bool {
		indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]
		return strings.Contains(indent, "\t") && len(indent) < len(l)
	})
	return i + 1, i >= 0
}

// find returns the first position of a word, or the beginning.
func find(lines []string, word string) (line, column int) {
	for i, l := range lines {
		if before, _, ok := strings.Cut(l, word); ok {
			return i + 1, utf8.RuneCountInString(before) + 1
		}
	}
	return 1, 1
}

// tree checks a parsed document.
type tree struct {
	file  string
	nodes int
	open  map[*yaml.Node]bool // the targets of the aliases that are being expanded
	outer *yaml.Node          // the outermost of these aliases
}

func (t *tree) check(n *yaml.Node, depth int) error {
	t.nodes++
	at := n // the position of an error, as a reader would see it
	if len(t.open) > 0 {
		at = t.outer
	}
	switch {
	case t.nodes > maxNodes:
		return t.errorf(at, "the file holds more than %d values, aliases followed", maxNodes)
	case depth > maxDepth:
		return t.errorf(at, "lists and maps are nested more than %d deep", maxDepth)
	case n.Style&yaml.TaggedStyle != 0:
		return t.errorf(n, "the tag %s is not allowed", quote(n.Tag))
	}
	switch n.Kind {
	case yaml.AliasNode:
		return t.follow(n, depth)
	case yaml.MappingNode:
		return t.checkMap(n, depth)
	case yaml.ScalarNode, yaml.DocumentNode: // no nodes inside, or not a value
	case yaml.SequenceNode:
		for _, item := range n.Content {
			if err := t.check(item, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *tree) follow(alias *yaml.Node, depth int) error {
	if t.open[alias.Alias] {
		return t.errorf(alias, "the alias *%s is inside what it repeats", alias.Value)
	}
	if len(t.open) == 0 {
		t.outer = alias
	}
	t.open[alias.Alias] = true
	defer delete(t.open, alias.Alias)
	return t.check(alias.Alias, depth)
}

func (t *tree) checkMap(n *yaml.Node, depth int) error {
	first := map[string]int{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		switch {
		case key.Kind == yaml.ScalarNode && key.Tag == "!!merge":
			return t.errorf(key, "merge keys are not allowed; write the keys out")
		case key.Kind != yaml.ScalarNode:
			return t.errorf(key, "a key must be text")
		case key.Tag != "!!str":
			return t.errorf(key, "the key %s must be text; put it in quotes", quote(key.Value))
		case first[key.Value] != 0:
			return t.errorf(key, "the key %s is here twice, first in line %d", quote(key.Value), first[key.Value])
		}
		first[key.Value] = key.Line
		if err := t.check(n.Content[i+1], depth+1); err != nil {
			return err
		}
	}
	return nil
}

func (t *tree) errorf(n *yaml.Node, format string, args ...any) error {
	return &Error{t.file, n.Line, n.Column, fmt.Sprintf(format, args...)}
}
