package lock

import "fmt"

// Part is one part of a lock, such as the renewal of its lease. It can be made in
// several ways.
type Part struct {
	// Name is the key in the lock section of a scenario file.
	Name string
	Doc  string // one sentence
	// Ways lists the ways, the default first.
	Ways []Way
	// Families names the families whose locks have the part.
	Families []string
}

// Defaults returns the first way of each part.
func Defaults(parts []Part) Parts {
	ways := Parts{}
	for _, p := range parts {
		ways[p.Name] = p.Ways[0].Name
	}
	return ways
}

// WayNames lists the names of the ways, the default first.
func (p Part) WayNames() []string {
	names := make([]string, len(p.Ways))
	for i, w := range p.Ways {
		names[i] = w.Name
	}
	return names
}

// Way is one way to make a part of a lock.
type Way struct {
	Name string
	Doc  string // one sentence
	// Flaw: the way is a published bug.
	Flaw bool
}

// Sound returns a way without a known bug.
func Sound(name, doc string) Way { return Way{Name: name, Doc: doc} }

// Flaw returns a way with a published bug.
func Flaw(name, doc string) Way { return Way{Name: name, Doc: doc, Flaw: true} }

// Option is one way to make a part, with its value: a function, or a struct of
// functions and flags.
type Option[T any] struct {
	Way
	Value T
}

// Choice is a part whose ways have values of type T. The first option is the
// default.
type Choice[T any] struct {
	Name, Doc string
	Options   []Option[T]
}

// Part returns the part without its values.
func (c Choice[T]) Part() Part {
	p := Part{Name: c.Name, Doc: c.Doc}
	for _, o := range c.Options {
		p.Ways = append(p.Ways, o.Way)
	}
	return p
}

// In returns the value of the way that the parameters name, or of the first way if
// they name none. It panics if the part has no such way: scenarios have validated the
// names before.
func (c Choice[T]) In(p Params) T {
	way := p.Parts[c.Name]
	for _, o := range c.Options {
		if way == "" || o.Name == way {
			return o.Value
		}
	}
	panic(fmt.Sprintf("the part %s has no way %q", c.Name, way))
}
