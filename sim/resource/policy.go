package resource

import "time"

// Policy says how a resource checks fencing tokens.
type Policy string

// The policies. Every policy but Off refuses a request without a token.
const (
	// Off ignores tokens.
	Off Policy = "off"
	// Writes refuses a write whose token is lower than the highest token of an earlier write.
	Writes Policy = "writes"
	// Strict refuses a write whose token is lower than or equal to that.
	Strict Policy = "strict"
	// ReadsWrites checks reads as well: their tokens raise the mark too, and a read with a lower
	// token is refused.
	ReadsWrites Policy = "reads-writes"
	// Equal accepts only the first token that it has seen.
	Equal Policy = "equal"
	// CheckThenWrite does the same as Writes, but time passes between the check and the write.
	CheckThenWrite Policy = "check-then-write"
	// Volatile does the same as Writes, but a restart loses the mark.
	Volatile Policy = "volatile"
)

// PolicyInfo describes a policy.
type PolicyInfo struct {
	Policy Policy
	Doc    string
	Flawed bool
}

// Policies returns all policies, sound ones first.
func Policies() []PolicyInfo {
	return []PolicyInfo{
		{Off, "ignores tokens", false},
		{Writes, "refuses a write with a token lower than the highest that a write presented", false},
		{Strict, "refuses a write with a token lower than or equal to that: one write for each grant", false},
		{ReadsWrites, "refuses reads and writes with a token lower than the highest that either presented", false},
		{Equal, "accepts only the first token that it has seen", true},
		{CheckThenWrite, "compares the token and writes in two steps, with up to 2 ms between them", true},
		{Volatile, "as writes, and loses the highest token in a restart", true},
	}
}

// marks are the tokens that an item keeps.
type marks struct {
	written int64 // highest token of a write
	any     int64 // highest token of a read or write
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

// raise updates the marks with an accepted request.
func (m *marks) raise(p Policy, r *Request) {
	m.any = max(m.any, r.Token)
	if r.Write {
		m.written = max(m.written, r.Token)
		if p == Equal && m.first == 0 {
			m.first = r.Token
		}
	}
}

// highest returns the mark that the policy compares with.
func (m *marks) highest(p Policy) int64 {
	if p == ReadsWrites {
		return m.any
	}
	return m.written
}

// meanGap is the average time between the check and the write of a check-then-write resource. The
// time is drawn uniformly from 0 to twice that.
const meanGap = time.Millisecond
