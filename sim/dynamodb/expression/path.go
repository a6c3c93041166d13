package expression

import (
	"slices"
	"strconv"
	"strings"

	"lockquake/sim/dynamodb/attribute"
)

// Path leads to a value inside an item, such as a.b[0].
type Path []Step

// Step is a step of a path: the name of an attribute, or the index of an element of a list.
type Step struct {
	Name  string
	Index int // with the Name ""
}

// String returns the path as messages have it.
func (p Path) String() string {
	steps := make([]string, len(p))
	for n, s := range p {
		steps[n] = s.Name
		if s.Name == "" {
			steps[n] = "[" + strconv.Itoa(s.Index) + "]"
		}
	}
	return "[" + strings.Join(steps, ", ") + "]"
}

// In returns the value to which the path leads, and whether there is one.
func (p Path) In(item attribute.Item) (attribute.Value, bool) {
	v := attribute.Value{Kind: attribute.Map, Map: item}
	for _, s := range p {
		var found bool
		switch {
		case s.Name != "":
			v, found = v.Map[s.Name]
		case s.Index < len(v.List):
			v, found = v.List[s.Index], true
		}
		if !found {
			return attribute.Value{}, false
		}
	}
	return v, true
}

// Project returns the parts of an item to which the paths lead.
func Project(paths []Path, item attribute.Item) attribute.Item {
	root := &part{}
	for _, p := range paths {
		if v, found := p.In(item); found {
			root.add(p, v)
		}
	}
	if root.names == nil {
		return attribute.Item{}
	}
	return root.value().Map
}

// part is a value of which a projection has some parts.
type part struct {
	whole    *attribute.Value
	names    map[string]*part
	elements map[int]*part
}

func (t *part) add(p Path, v attribute.Value) {
	if len(p) == 0 {
		t.whole = &v
		return
	}
	var child *part
	if p[0].Name != "" {
		if t.names == nil {
			t.names = map[string]*part{}
		}
		if child = t.names[p[0].Name]; child == nil {
			child = &part{}
			t.names[p[0].Name] = child
		}
	} else {
		if t.elements == nil {
			t.elements = map[int]*part{}
		}
		if child = t.elements[p[0].Index]; child == nil {
			child = &part{}
			t.elements[p[0].Index] = child
		}
	}
	child.add(p[1:], v)
}

// value returns the parts as a value. The elements of a list are without gaps.
func (t *part) value() attribute.Value {
	switch {
	case t.whole != nil:
		return *t.whole
	case t.elements != nil:
		v := attribute.Value{Kind: attribute.List}
		var order []int
		for n := range t.elements {
			order = append(order, n)
		}
		slices.Sort(order)
		for _, n := range order {
			v.List = append(v.List, t.elements[n].value())
		}
		return v
	}
	v := attribute.Value{Kind: attribute.Map, Map: attribute.Item{}}
	for name, child := range t.names {
		v.Map[name] = child.value()
	}
	return v
}
