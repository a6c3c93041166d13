package table

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"lockquake/sim/dynamodb/attribute"
	"lockquake/sim/dynamodb/expression"
)

// Schema describes a table: its key has one attribute, or two.
type Schema struct {
	Name string
	Keys []KeyAttribute
}

// KeyAttribute is an attribute of a key, of the kind S, N or B.
type KeyAttribute struct {
	Name string
	Kind attribute.Kind
}

// Store has tables.
type Store struct {
	tables map[string]*table
	tokens map[string]*token // of transactions that were executed
}

type table struct {
	Schema
	items map[string]attribute.Item // by key
}

// New returns a store with empty tables.
func New(schemas ...Schema) *Store {
	s := &Store{tables: map[string]*table{}, tokens: map[string]*token{}}
	for _, schema := range schemas {
		s.tables[schema.Name] = &table{schema, map[string]attribute.Item{}}
	}
	return s
}

// Clear empties all tables, and forgets the tokens of transactions.
func (s *Store) Clear() {
	for _, t := range s.tables {
		t.items = map[string]attribute.Item{}
	}
	s.tokens = map[string]*token{}
}

// Keys lists the keys of the items of a table, in order.
func (s *Store) Keys(table string) []string { return slices.Sorted(maps.Keys(s.tables[table].items)) }

// Item returns an item by its key, nil if there is none.
func (s *Store) Item(table, key string) attribute.Item { return s.tables[table].items[key] }

// Set sets an item as no request does; nil deletes it.
func (s *Store) Set(table, key string, item attribute.Item) { s.tables[table].set(key, item) }

func (t *table) set(key string, item attribute.Item) {
	if item == nil {
		delete(t.items, key)
		return
	}
	t.items[key] = item
}

// Execute executes a request at a time. The error is a *NotSimulatedError.
func (s *Store) Execute(now time.Time, r *Request) (*Answer, error) {
	var a *Answer
	var err error
	switch {
	case r.unread != nil:
		err = r.unread
	case r.Operation == TransactWriteItems:
		a, err = s.transact(now, r)
	case r.Operation == GetItem:
		a, err = s.get(r)
	default:
		var w *write
		if w, err = s.prepare(r); err == nil {
			a, err = w.execute()
		}
	}
	if failure, ok := err.(*Error); ok { //nolint:errorlint // a failure is never wrapped
		return &Answer{Failure: failure}, nil
	}
	return a, err
}

// table returns the table of a request.
func (s *Store) table(r *Request) (*table, error) {
	if t := s.tables[r.TableName]; t != nil {
		return t, nil
	}
	return nil, &Error{Status: http.StatusBadRequest, Type: service + "ResourceNotFoundException", Message: "Requested resource not found"}
}

// get executes GetItem.
func (s *Store) get(r *Request) (*Answer, error) {
	names, err := r.placeholders(r.ProjectionExpression != nil)
	if err != nil {
		return nil, err
	}
	var paths []expression.Path
	if r.ProjectionExpression != nil {
		paths, err = expression.ParseProjection(*r.ProjectionExpression, names)
		if err != nil {
			return nil, invalid("Invalid ProjectionExpression: %v", err)
		}
	}
	if err := unused(names); err != nil {
		return nil, err
	}
	t, err := s.table(r)
	if err != nil {
		return nil, err
	}
	key, err := t.key(r.Key)
	if err != nil {
		return nil, err
	}
	item := t.items[key]
	if item != nil && paths != nil {
		item = expression.Project(paths, item)
	}
	return &Answer{Item: item}, nil
}

// key returns the key that a request names.
func (t *table) key(key attribute.Item) (string, error) {
	for _, k := range t.Keys {
		if v, found := key[k.Name]; !found || v.Kind != k.Kind || len(key) != len(t.Keys) {
			return "", invalid("The provided key element does not match the schema")
		}
	}
	return t.keyOf(key, func(kind, name string) *Error {
		return badParameters("The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", kind, name)
	})
}

// itemKey returns the key of a new item.
func (t *table) itemKey(item attribute.Item) (string, error) {
	for _, k := range t.Keys {
		switch v, found := item[k.Name]; {
		case !found:
			return "", badParameters("Missing the key %s in the item", k.Name)
		case v.Kind != k.Kind:
			return "", badParameters("Type mismatch for key %s expected: %s actual: %s", k.Name, k.Kind, v.Kind)
		}
	}
	return t.keyOf(item, func(kind, name string) *Error {
		return invalid("One or more parameter values are not valid. The AttributeValue for a key attribute cannot contain an empty %s value. Key: %s", kind, name)
	})
}

// keyOf returns the values of the key attributes as one text.
func (t *table) keyOf(item attribute.Item, empty func(kind, name string) *Error) (string, error) {
	var texts []string
	for _, k := range t.Keys {
		v := item[k.Name]
		switch {
		case v.Text == "" && k.Kind == attribute.String:
			return "", empty("string", k.Name)
		case v.Text == "" && k.Kind == attribute.Binary:
			return "", empty("binary", k.Name)
		}
		texts = append(texts, v.Text)
	}
	return strings.Join(texts, "\x00"), nil
}
