package expression

import (
	"fmt"
	"strings"

	"lockquake/sim/dynamodb/attribute"
)

// Update is an update expression.
type Update struct {
	// Paths lists the paths that it sets, removes or adds to.
	Paths   []Path
	actions []action
}

// action is one action of an update.
type action struct {
	section string // SET, REMOVE or ADD
	path    Path
	value   term // of SET and ADD
}

// term is the right side of a SET: a path, a value, or a function of terms.
type term struct {
	path     Path
	value    *attribute.Value
	function string // if_not_exists, list_append, + or -
	args     []term
}

// The functions of updates.
const (
	ifNotExists = "if_not_exists"
	listAppend  = "list_append"
)

// The ranks of the errors of an update.
const (
	rankUpdateReserved = iota + 1
	rankUpdateFunction
	rankSection
	rankName
	rankValue
	rankOverlap
	rankConflict
	rankAdded
	rankArguments
)

// NotSimulatedError names a part of an expression that the simulation does not have.
type NotSimulatedError string

func (e NotSimulatedError) Error() string { return string(e) }

// ParseUpdate parses an update expression.
func ParseUpdate(text string, names *Placeholders) (*Update, error) {
	p, err := newParser(text, names)
	if err != nil {
		return nil, err
	}
	p.reserved = rankUpdateReserved
	p.undefined = func(isName bool, text string) {
		rank := rankValue
		if isName {
			rank = rankName
		}
		p.add(rank, text)
	}
	u := &updates{parser: p, seen: map[string]bool{}}
	for {
		if err := u.section(); err != nil {
			return nil, err
		}
		if p.peek() == "" {
			return &u.Update, p.end()
		}
	}
}

// updates parses an update.
type updates struct {
	*parser
	Update
	seen map[string]bool // the sections before
}

// section parses SET, REMOVE or ADD with its actions.
func (u *updates) section() error {
	name := strings.ToUpper(u.peek())
	switch name {
	case "SET", "REMOVE", "ADD":
	case "DELETE":
		return NotSimulatedError("DELETE in an update expression, which needs sets")
	default:
		return u.unexpected(u.next)
	}
	u.take()
	if u.seen[name] {
		u.add(rankSection, fmt.Sprintf("The %q section can only be used once in an update expression;", name))
	}
	u.seen[name] = true
	for {
		a := action{section: name}
		var err error
		if a.path, err = u.path(); err != nil {
			return err
		}
		switch name {
		case "SET":
			if err = u.expect("="); err == nil {
				a.value, err = u.sum()
			}
		case "ADD":
			a.value, err = u.added()
		}
		if err != nil {
			return err
		}
		u.Paths = u.distinct(u.Paths, a.path, rankOverlap)
		u.actions = append(u.actions, a)
		if !u.takeIf(",") {
			return nil
		}
	}
}

// added parses the value that ADD adds.
func (u *updates) added() (term, error) {
	if !strings.HasPrefix(u.peek(), ":") {
		return term{}, u.unexpected(u.next)
	}
	v := u.value()
	if kind := kindNames()[v.Kind]; v.Kind != attribute.Number && kind != "" {
		u.add(rankAdded, incorrect("operator", "ADD", kind))
	}
	return term{value: &v}, nil
}

// kindNames has the kinds as the errors of ADD name them.
func kindNames() map[attribute.Kind]string {
	return map[attribute.Kind]string{
		attribute.String: "STRING", attribute.Number: "NUMBER", attribute.Binary: "BINARY", attribute.Null: "NULL", attribute.Bool: "BOOLEAN",
		attribute.List: "LIST", attribute.Map: "MAP",
	}
}

// sum parses a term, or two terms with + or - between them.
func (u *updates) sum() (term, error) {
	first, err := u.term()
	if err != nil || u.peek() != "+" && u.peek() != "-" {
		return first, err
	}
	sum := term{function: u.take(), args: []term{first}}
	second, err := u.term()
	sum.args = append(sum.args, second)
	if err == nil {
		u.checkCall(&sum)
	}
	return sum, err
}

func (u *updates) term() (term, error) {
	word := u.peek()
	switch {
	case strings.HasPrefix(word, ":"):
		v := u.value()
		return term{value: &v}, nil
	case word != "" && isLetter(word[0]) && u.ahead(1) == "(":
		return u.call()
	}
	path, err := u.path()
	return term{path: path}, err
}

func (u *updates) call() (term, error) {
	call := term{function: u.take()}
	if call.function != ifNotExists && call.function != listAppend {
		u.add(rankUpdateFunction, "Invalid function name; function: "+call.function)
	}
	u.take() // the parenthesis
	for {
		arg, err := u.term()
		if err != nil {
			return call, err
		}
		call.args = append(call.args, arg)
		if !u.takeIf(",") {
			u.checkCall(&call)
			return call, u.expect(")")
		}
	}
}

// checkCall checks the operands of a function.
func (u *updates) checkCall(call *term) {
	const two = 2
	wanted := attribute.Number
	switch {
	case len(call.args) != two:
		u.add(rankArguments, fmt.Sprintf("Incorrect number of operands for operator or function; operator or function: %s, number of operands: %d", call.function, len(call.args)))
		return
	case call.function == ifNotExists:
		if call.args[0].path == nil {
			u.add(rankArguments, "Operator or function requires a document path; operator or function: "+ifNotExists)
		}
		return
	case call.function == listAppend:
		wanted = attribute.List
	}
	for _, arg := range call.args {
		if arg.value != nil && arg.value.Kind != "" && arg.value.Kind != wanted {
			u.add(rankArguments, incorrect(operatorOrFunction, call.function, arg.value.Kind))
		}
	}
}

// distinct adds a path to others, and checks that it does not overlap with any of them. The rank after
// rank is that of a conflict.
func (p *parser) distinct(paths []Path, path Path, rank int) []Path {
	for _, other := range paths {
		n := min(len(other), len(path))
		text := func() string {
			return fmt.Sprintf("must remove or rewrite one of these paths; path one: %s, path two: %s", other, path)
		}
		at := 0
		for at < n && other[at] == path[at] {
			at++
		}
		switch {
		case at == n:
			p.add(rank, "Two document paths overlap with each other; "+text())
		case (other[at].Name == "") != (path[at].Name == ""):
			p.add(rank+1, "Two document paths conflict with each other; "+text())
		}
	}
	return append(paths, path)
}
