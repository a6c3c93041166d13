package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"lockquake/internal/plaintext"
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
	if f := plaintext.First(data, isControl); f != nil {
		return &Error{file, f.Line, f.Column, f.Text}
	}
	return nil
}

// isControl reports whether YAML does not allow a character.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\r' && r != '\n' || r >= 0x7f && r < 0xa0 || r == 0xfffe || r == 0xffff
}

// syntaxError returns an error of the library as an error of the file. It points to where
// the parser stopped. A quotation or a list in brackets that is still open there may have
// begun many lines before, and then it points to its beginning.
func syntaxError(file string, data []byte, err error) error {
	wrong, ok := errors.AsType[*yaml.LoadError](err)
	if !ok || wrong.Mark.Line == 0 {
		return &Error{file, 1, 1, "not YAML: " + err.Error()}
	}
	at, text := wrong.Mark, "not YAML: "+wrong.Message
	begins := wrong.ContextMark
	switch {
	case indentsWithTab(data, at):
		text = "a tab indents this line, and YAML takes spaces only"
	case begins.Line > 0 && begins.Line < at.Line && !strings.HasPrefix(wrong.ContextMsg, "while parsing a block"):
		at = begins
	case opensLine(data, at):
		text += "; is this line indented like those around it?"
	}
	return &Error{file, at.Line, at.Column, text}
}

// opensLine reports whether only an indentation is before a place in its line.
func opensLine(data []byte, at yaml.Mark) bool {
	lines := bytes.Split(data, []byte("\n"))
	return at.Line <= len(lines) && at.Column > 1 && at.Column <= len(lines[at.Line-1]) &&
		len(bytes.TrimLeft(lines[at.Line-1][:at.Column-1], " ")) == 0
}

// indentsWithTab reports whether a tab in the indentation of a line is at this place.
func indentsWithTab(data []byte, at yaml.Mark) bool {
	lines := bytes.Split(data, []byte("\n"))
	if at.Line > len(lines) || at.Column > len(lines[at.Line-1]) {
		return false
	}
	before, after := lines[at.Line-1][:at.Column-1], lines[at.Line-1][at.Column-1:]
	return len(bytes.TrimLeft(before, " \t")) == 0 && after[0] == '\t'
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
	case yaml.ScalarNode, yaml.DocumentNode, yaml.StreamNode: // no nodes inside, or not a value
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
