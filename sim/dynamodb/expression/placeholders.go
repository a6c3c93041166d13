package expression

import (
	_ "embed"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	"lockquake/sim/dynamodb/attribute"
)

// Placeholders has the names and values for which the placeholders of a request stand, such as #n and
// :v. It remembers which ones its expressions use.
type Placeholders struct {
	Names  map[string]string
	Values attribute.Item
	used   map[string]bool
}

// Unused lists the placeholders of names and of values that no expression used, in order.
func (p *Placeholders) Unused() (names, values []string) {
	for _, name := range slices.Sorted(maps.Keys(p.Names)) {
		if !p.used[name] {
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.Values)) {
		if !p.used[name] {
			values = append(values, name)
		}
	}
	return names, values
}

// parser parses one expression.
type parser struct {
	*lexer
	*Placeholders
	faults
	reserved int // the rank of a reserved word
	// undefined is called for a placeholder of a name, or of a value, that is not defined.
	undefined func(isName bool, text string)
}

// faults keeps the error of an expression that has the lowest rank; of several, the first one. The
// server reports errors in this order.
type faults struct {
	rank int
	err  error
}

func (f *faults) add(rank int, text string) {
	if f.err == nil || rank < f.rank {
		f.rank, f.err = rank, Error(text)
	}
}

//go:embed reserved.txt
var reservedWords string // one a line, after an empty line

// reserved has the reserved words.
//
//nolint:gochecknoglobals // it never changes
var reserved = sync.OnceValue(func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(reservedWords) {
		words[word] = true
	}
	return words
})

// isReserved reports whether a word cannot be the name of an attribute in an expression.
func isReserved(word string) bool { return reserved()[strings.ToUpper(word)] }

// path parses a path.
func (p *parser) path() (Path, error) {
	var path Path
	for {
		step, err := p.name()
		if err != nil {
			return nil, err
		}
		path = append(path, step)
		for p.takeIf("[") {
			n, err := strconv.Atoi(p.peek())
			if err != nil || n < 0 {
				return nil, p.unexpected(p.next)
			}
			p.take()
			path = append(path, Step{Index: n})
			if err := p.expect("]"); err != nil {
				return nil, err
			}
		}
		if !p.takeIf(".") {
			return path, nil
		}
	}
}

// name parses a name or its placeholder.
func (p *parser) name() (Step, error) {
	word := p.peek()
	switch {
	case word != "" && isLetter(word[0]):
		p.take()
		if isReserved(word) {
			p.add(p.reserved, "Attribute name is a reserved keyword; reserved keyword: "+word)
		}
		return Step{Name: word}, nil
	case strings.HasPrefix(word, "#"):
		p.take()
		name, defined := p.Names[word]
		if !defined {
			p.undefined(true, "An expression attribute name used in the document path is not defined; attribute name: "+word)
		}
		p.use(word)
		return Step{Name: name}, nil
	}
	return Step{}, p.unexpected(p.next)
}

// value parses the placeholder of a value.
func (p *parser) value() attribute.Value {
	word := p.take()
	v, defined := p.Values[word]
	if !defined {
		p.undefined(false, "An expression attribute value used in expression is not defined; attribute value: "+word)
	}
	p.use(word)
	return v
}

func (p *Placeholders) use(word string) {
	if p.used == nil {
		p.used = map[string]bool{}
	}
	p.used[word] = true
}

// newParser returns a parser of an expression.
func newParser(text string, names *Placeholders) (*parser, error) {
	if text == "" {
		return nil, Error("The expression can not be empty;")
	}
	l, err := newLexer(text)
	if err != nil {
		return nil, err
	}
	return &parser{lexer: l, Placeholders: names}, nil
}

// end checks that nothing follows, and returns the error of the expression.
func (p *parser) end() error {
	if p.peek() != "" {
		return p.unexpected(p.next)
	}
	return p.err
}

// ParseProjection parses the paths of a projection.
func ParseProjection(text string, names *Placeholders) ([]Path, error) {
	p, err := newParser(text, names)
	if err != nil {
		return nil, err
	}
	p.reserved = 1
	p.undefined = func(_ bool, text string) { p.add(2, text) }
	var paths []Path
	for {
		path, err := p.path()
		if err != nil {
			return nil, err
		}
		paths = p.distinct(paths, path, 3)
		if !p.takeIf(",") {
			return paths, p.end()
		}
	}
}
