package expression

import (
	"slices"

	"lockquake/sim/dynamodb/attribute"
)

// The errors of an update that its item does not fit.
const (
	errMissing Error = "The provided expression refers to an attribute that does not exist in the item"
	errPath    Error = "The document path provided in the update expression is invalid for update"
	errKind    Error = "An operand in the update expression has an incorrect data type"
)

// Apply returns the item after the update. All terms have their values before the update.
func (u *Update) Apply(item attribute.Item) (attribute.Item, error) {
	values := make([]attribute.Value, len(u.actions))
	for n, a := range u.actions {
		var err error
		switch a.section {
		case "SET":
			values[n], err = a.value.of(item)
		case "ADD":
			values[n], err = a.sum(item)
		}
		if err != nil {
			return nil, err
		}
	}
	root := attribute.Value{Kind: attribute.Map, Map: item.Clone()}
	removed := map[string][]int{} // the elements of lists to remove, by the path of the list
	for n, a := range u.actions {
		if err := change(&root, a.path, &values[n], a.section == "REMOVE"); err != nil {
			return nil, err
		}
		if last := a.path[len(a.path)-1]; a.section == "REMOVE" && last.Name == "" {
			list := a.path[:len(a.path)-1].String()
			removed[list] = append(removed[list], last.Index)
		}
	}
	for _, a := range u.actions {
		list := a.path[:len(a.path)-1]
		if indexes := removed[list.String()]; indexes != nil {
			delete(removed, list.String())
			shorten(&root, list, indexes)
		}
	}
	return root.Map, nil
}

// sum returns the value of an attribute after ADD.
func (a *action) sum(item attribute.Item) (attribute.Value, error) {
	old, found := a.path.In(item)
	switch {
	case !found:
		return *a.value.value, nil
	case old.Kind != attribute.Number:
		return attribute.Value{}, errKind
	}
	return old.Plus(*a.value.value, false)
}

// of returns the value of a term.
func (t *term) of(item attribute.Item) (attribute.Value, error) {
	switch {
	case t.value != nil:
		return *t.value, nil
	case t.function == "":
		if v, found := t.path.In(item); found {
			return v, nil
		}
		return attribute.Value{}, errMissing
	case t.function == ifNotExists:
		if v, found := t.args[0].path.In(item); found {
			return v, nil
		}
		return t.args[1].of(item)
	}
	a, err := t.args[0].of(item)
	if err != nil {
		return attribute.Value{}, err
	}
	b, err := t.args[1].of(item)
	if err != nil {
		return attribute.Value{}, err
	}
	if t.function == listAppend {
		if a.Kind != attribute.List || b.Kind != attribute.List {
			return attribute.Value{}, errKind
		}
		return attribute.Value{Kind: attribute.List, List: slices.Concat(a.List, b.List)}, nil
	}
	if a.Kind != attribute.Number || b.Kind != attribute.Number {
		return attribute.Value{}, errKind
	}
	return a.Plus(b, t.function == "-")
}

// change sets the value to which a path leads, or removes it from its map. The elements of lists are
// removed later, so that their indexes stay.
func change(in *attribute.Value, path Path, v *attribute.Value, remove bool) error {
	step, last := path[0], len(path) == 1
	switch {
	case step.Name != "" && in.Kind == attribute.Map:
		child, found := in.Map[step.Name]
		switch {
		case last && remove:
			delete(in.Map, step.Name)
			return nil
		case last:
			child = *v
		case !found:
			return errPath
		default:
			if err := change(&child, path[1:], v, remove); err != nil {
				return err
			}
		}
		in.Map[step.Name] = child
		return nil
	case step.Name == "" && in.Kind == attribute.List:
		switch {
		case last && remove:
			return nil
		case step.Index < len(in.List) && last:
			in.List[step.Index] = *v
			return nil
		case last:
			in.List = append(in.List, *v)
			return nil
		case step.Index < len(in.List):
			return change(&in.List[step.Index], path[1:], v, remove)
		}
	}
	return errPath
}

// shorten removes elements of the list to which a path leads.
func shorten(in *attribute.Value, path Path, indexes []int) {
	if len(path) == 0 {
		var kept []attribute.Value
		for n, e := range in.List {
			if !slices.Contains(indexes, n) {
				kept = append(kept, e)
			}
		}
		in.List = kept
		return
	}
	if step := path[0]; step.Name != "" {
		child := in.Map[step.Name]
		shorten(&child, path[1:], indexes)
		in.Map[step.Name] = child
	} else {
		shorten(&in.List[step.Index], path[1:], indexes)
	}
}
