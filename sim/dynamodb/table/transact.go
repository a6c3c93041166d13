package table

import (
	"maps"
	"net/http"
	"slices"
	"time"
)

// tokenLife is how long the token of a transaction protects it from being executed again.
const tokenLife = 10 * time.Minute

// token is the token of a transaction that was executed.
type token struct {
	request string // that had it
	at      time.Time
}

// mostParts is the largest number of parts of a transaction.
const mostParts = 100

// transact executes TransactWriteItems: all its parts or none.
func (s *Store) transact(now time.Time, r *Request) (*Answer, error) {
	parts, err := s.parts(r)
	if err != nil {
		return nil, err
	}
	if t := s.tokens[r.ClientRequestToken]; r.ClientRequestToken != "" && t != nil && now.Sub(t.at) < tokenLife {
		if t.request != string(r.AppendTrace(nil)) {
			return nil, &Error{
				Status: http.StatusBadRequest, Type: service + "IdempotentParameterMismatchException",
				Message: "The request uses the same client token as a previous, but non-identical request. Do not reuse a client token with different requests, unless the requests are identical.",
			}
		}
		return &Answer{}, nil // its first copy was executed
	}
	reasons, failed := make([]Reason, len(parts)), false
	changes := make([]Change, len(parts))
	for n, w := range parts {
		reasons[n].Code = "None"
		item, err := w.outcome()
		changes[n] = w.change(w.table.items[w.key], item)
		failure, ok := err.(*Error) //nolint:errorlint // a failure is never wrapped
		switch {
		case err == nil:
			continue
		case !ok:
			return nil, err
		case failure.Code() == ConditionFailed:
			reasons[n] = Reason{"ConditionalCheckFailed", failure.Message, failure.Item}
		default:
			reasons[n] = Reason{Code: "ValidationError", Message: failure.Message}
		}
		failed = true
	}
	if failed {
		return nil, cancelled(reasons)
	}
	a := &Answer{}
	for n, w := range parts {
		if w.Operation != conditionCheck {
			w.table.set(w.key, changes[n].New)
			a.Changes = append(a.Changes, changes[n])
		}
	}
	if r.ClientRequestToken != "" {
		s.tokens[r.ClientRequestToken] = &token{string(r.AppendTrace(nil)), now}
	}
	return a, nil
}

// parts checks the parts of a transaction before it reads their items.
func (s *Store) parts(r *Request) ([]*write, error) {
	if n := len(r.TransactItems); n == 0 || n > mostParts {
		return nil, invalid("1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length less than or equal to %d and greater than or equal to 1", mostParts)
	}
	var all []*write
	seen := map[string]bool{}
	for _, part := range r.TransactItems {
		kinds := slices.DeleteFunc(slices.Sorted(maps.Keys(part)), func(kind string) bool { return part[kind] == nil })
		if len(kinds) != 1 {
			return nil, invalid("TransactItems can only contain one of Check, Put, Update or Delete")
		}
		kind := kinds[0]
		if !slices.Contains([]string{"Put", "Update", "Delete", conditionCheck}, kind) {
			return nil, &NotSimulatedError{"the part " + kind + " of a transaction"}
		}
		switch {
		case kind == conditionCheck && part[kind].ConditionExpression == nil:
			return nil, invalid("1 validation error detected: Value null at 'transactItems.1.member.conditionCheck.conditionExpression' failed to satisfy constraint: Member must not be null")
		case kind == "Update" && part[kind].UpdateExpression == nil:
			return nil, invalid("1 validation error detected: Value null at 'transactItems.1.member.update.updateExpression' failed to satisfy constraint: Member must not be null")
		}
		w, err := s.prepare(part[kind])
		if err != nil {
			return nil, err
		}
		if seen[w.String()] {
			return nil, invalid("Transaction request cannot include multiple operations on one item")
		}
		seen[w.String()] = true
		all = append(all, w)
	}
	return all, nil
}
