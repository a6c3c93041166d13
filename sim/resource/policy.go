package resource

import "time"

// Policy says what a resource does with a fence token.
type Policy string

// The policies. Under every policy but Off a request without a token is
// refused.
const (
	// Off ignores tokens.
	Off Policy = "off"
	// Writes refuses a write whose token is lower than the highest that a
	// write presented.
	Writes Policy = "writes"
	// Strict refuses a write whose token is lower than that or equal to it.
	Strict Policy = "strict"
	// ReadsWrites looks at reads as well: they present their token, raise the
	// mark, and are refused below it.
	ReadsWrites Policy = "reads-writes"
	// Equal accepts only the first token that it ever saw.
	Equal Policy = "equal"
	// CheckThenWrite is Writes in two steps, with time between them.
	CheckThenWrite Policy = "check-then-write"
	// Volatile is Writes with a mark that a restart forgets.
	Volatile Policy = "volatile"
)

// PolicyInfo describes a policy for a reader.
type PolicyInfo struct {
	Policy Policy
	Doc    string
	Flawed bool
}

// Policies lists all policies, sound ones first.
func Policies() []PolicyInfo {
	return []PolicyInfo{
		{Off, "ignores tokens", false},
		{Writes, "refuses a write with a token lower than the highest that a write presented", false},
		{Strict, "refuses a write with a token lower than or equal to that: one write for each grant", false},
		{ReadsWrites, "refuses reads and writes with a token lower than the highest that either presented", false},
		{Equal, "accepts only the first token that it ever saw", true},
		{CheckThenWrite, "compares the token and writes in two steps, with up to 2 ms between them", true},
		{Volatile, "as writes, and forgets the highest token in a restart", true},
	}
}

// marks are the tokens that an item remembers.
type marks struct {
	written int64 // highest that a write presented
	any     int64 // highest that a read or write presented
	first   int64
}

// admits reports whether the policy accepts the request.
func (p Policy) admits(m *marks, r *Request) bool {
	if p == Off {
		return true
	}
	if r.Token == 0 {
		return false
	}
	if p == ReadsWrites {
		return r.Token >= m.any
	}
	if !r.Write {
		return true
	}
	switch p {
	case Strict:
		return r.Token > m.written
	case Equal:
		return m.first == 0 || r.Token == m.first
	default:
		return r.Token >= m.written
	}
}

// raise remembers the token of an accepted request.
func (m *marks) raise(p Policy, r *Request) {
	m.any = max(m.any, r.Token)
	if r.Write {
		m.written = max(m.written, r.Token)
		if p == Equal && m.first == 0 {
			m.first = r.Token
		}
	}
}

// highest is the mark that the policy compares with.
func (m *marks) highest(p Policy) int64 {
	if p == ReadsWrites {
		return m.any
	}
	return m.written
}

// meanGap is how long a check-then-write resource takes from its check to its
// write on average; it is drawn uniformly from 0 to twice that.
const meanGap = time.Millisecond
