package api

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"lockquake/lock/kubernetes"
)

// step is one request of a sequence.
type step struct {
	client       int
	verb         Verb
	name         string
	spec         kubernetes.LeaseSpec
	version, uid reference
}

// reference names a resource version or a UID, which differ between the sides.
type reference string

// The references: none, the newest and the one before it that the answers about an object have had, and a text as it
// is.
const (
	none   reference = ""
	newest reference = "newest"
	older  reference = "older"
)

func literal(text string) reference { return "=" + reference(text) }

func (s step) String() string {
	return fmt.Sprintf("%d %s %s version %q uid %q %+v", s.client, s.verb, s.name, s.version, s.uid, s.spec)
}

type sequence []step

func (s sequence) String() string {
	var lines []string
	for _, st := range s {
		lines = append(lines, st.String())
	}
	return strings.Join(lines, "\n")
}

// side executes a request of a client.
type side func(client int, r *Request) (*Response, error)

// simulated returns a side with a store of its own.
func simulated() side {
	store := New()
	return func(_ int, r *Request) (*Response, error) { return store.Do(r), nil }
}

// run returns the answers of a side to a sequence, each as a line without what differs between the sides.
func (s sequence) run(do side) ([]string, error) {
	k := known{of: map[string]*seen{}}
	var lines []string
	for _, st := range s {
		r := &Request{Verb: st.verb, Lease: kubernetes.Lease{Name: st.name, Spec: st.spec}}
		r.Lease.ResourceVersion = resolve(st.version, k.object(st.name).versions)
		r.Lease.UID = resolve(st.uid, k.object(st.name).uids)
		response, err := do(st.client, r)
		if err != nil {
			return lines, fmt.Errorf("%v: %w", st, err)
		}
		lines = append(lines, k.text(st.name, response))
	}
	return lines, nil
}

// known holds the resource versions and UIDs that the answers have had, in the order in which they came.
type known struct {
	seen
	of map[string]*seen // by the name of the object
}

type seen struct{ versions, uids []string }

func (k *known) object(name string) *seen {
	if k.of[name] == nil {
		k.of[name] = &seen{}
	}
	return k.of[name]
}

func (s *seen) add(l kubernetes.Lease) {
	if l.ResourceVersion != "" && !slices.Contains(s.versions, l.ResourceVersion) {
		s.versions = append(s.versions, l.ResourceVersion)
	}
	if l.UID != "" && !slices.Contains(s.uids, l.UID) {
		s.uids = append(s.uids, l.UID)
	}
}

func resolve(r reference, seen []string) string {
	back := 1
	switch r {
	case none:
		return ""
	case older:
		back++
	case newest:
	default:
		return string(r[1:])
	}
	if len(seen) < back {
		return ""
	}
	return seen[len(seen)-back]
}

// text describes an answer. Resource versions and UIDs have their number among those seen.
func (k *known) text(name string, r *Response) string {
	k.add(r.Lease)
	k.object(name).add(r.Lease)
	l := r.Lease
	if l.Name == "" {
		return fmt.Sprintf("%d %s %s", r.Code, r.Reason, k.message(r.Message))
	}
	l.ResourceVersion, l.UID = symbol("v", k.versions, l.ResourceVersion), symbol("u", k.uids, l.UID)
	return string(appendLease(fmt.Appendf(nil, "%d %s ", r.Code, l.UID), l))
}

func symbol(kind string, seen []string, id string) string {
	if n := slices.Index(seen, id); n >= 0 {
		return fmt.Sprint(kind, n+1)
	}
	return id
}

var (
	uidText     = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	versionText = regexp.MustCompile(`\((\d+)\)`)
	nameRule    = regexp.MustCompile(`: a lowercase RFC 1123 subdomain must .*?\*'\)`)
)

// message returns a message without what differs, and without the rule for names, which no caller reads.
func (k *known) message(text string) string {
	text = uidText.ReplaceAllStringFunc(text, func(id string) string { return symbol("u", k.uids, id) })
	text = versionText.ReplaceAllStringFunc(text, func(id string) string { return "(" + symbol("v", k.versions, strings.Trim(id, "()")) + ")" })
	return nameRule.ReplaceAllString(text, "")
}
