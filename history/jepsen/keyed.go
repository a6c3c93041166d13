package jepsen

import "lockquake/history"

// Key is one of several independent keys, with its operations.
type Key struct {
	Value
	Operations []Operation // with their values for that key alone
}

// Keyed reports whether a history has several independent keys, as jepsen.independent writes it:
// every value is a vector of a key and the value for that key. A vector of two may also be a plain
// value. So at least one operation must be readable only as keyed: a read, an acquire or a release
// of [key nil], or a cas of [key [old new]].
//
// It returns an *Error if some operations have a key and others have none, or if all of them could
// be read both ways.
func Keyed(operations []Operation) (bool, error) {
	var with, without, either *Operation // the first of each
	for i := range operations {
		o := &operations[i]
		switch first := shape(o); {
		case first == withKey && with == nil:
			with = o
		case first == withoutKey && without == nil:
			without = o
		case first == withOrWithout && either == nil:
			either = o
		}
	}
	switch {
	case with != nil && without != nil:
		late := with
		if without.Call > with.Call {
			late = without
		}
		return false, late.Begin.Errorf("the :%s of line %d has [key value], and the :%s of line %d has no key: a history has keys in all values or in none",
			with.Function, with.Begin.Line, without.Function, without.Begin.Line)
	case with != nil:
		return true, nil
	case without == nil && either != nil:
		return false, either.Begin.Errorf("%s may be a key with its value or a value by itself; --keyed or --keyed=false says which", either.Input)
	}
	return false, nil
}

// reading is a way in which the value of an operation can be read.
type reading int

const (
	withoutKey reading = iota
	withKey
	withOrWithout
)

func shape(o *Operation) reading {
	if !o.Input.pair() {
		return withoutKey
	}
	first, second := o.Input.Items[0], o.Input.Items[1]
	switch o.Function {
	case "read", "acquire", "release":
		if second.Kind == Nil {
			return withKey
		}
	case "cas":
		if first.Scalar() && second.Scalar() {
			return withoutKey
		}
		if first.Scalar() && second.pair() {
			return withKey
		}
	}
	return withOrWithout
}

func (v Value) pair() bool { return v.Kind == Vector && len(v.Items) == 2 }

// ByKey splits a history of several independent keys, in the order in which the keys first occur.
// Positions and places remain those of the whole history. It returns an *Error that names an
// operation without a key, or one that ends with another key than it began with.
func ByKey(operations []Operation) ([]Key, error) {
	var keys []Key
	index := map[string]int{}
	for _, o := range operations {
		if !o.Input.pair() {
			return nil, o.Begin.Errorf("the :%s has %s where a key and its value should be", o.Function, o.Input)
		}
		key := o.Input.Items[0]
		o.Input = o.Input.Items[1]
		if o.Outcome == history.OutcomeOK {
			if !o.Output.pair() || !o.Output.Items[0].Equal(key) {
				return nil, o.End.Errorf("the :%s of line %d is of key %s, and ends with %s", o.Function, o.Begin.Line, key, o.Output)
			}
			o.Output = o.Output.Items[1]
		}
		i, ok := index[key.Identity()]
		if !ok {
			i = len(keys)
			index[key.Identity()] = i
			keys = append(keys, Key{Value: key})
		}
		keys[i].Operations = append(keys[i].Operations, o)
	}
	return keys, nil
}
