package clientgo

import (
	"cmp"
	"fmt"
	"time"

	"lockquake/internal/twoworlds"
	"lockquake/lock/kubernetes"
	"lockquake/sim/kubernetes/api"
)

// script is a course of events at one Lease. It runs twice: with client-go, and with the model.
type script struct {
	name       string
	release    bool // ReleaseOnCancel, and the strategy that does the same
	candidates []candidate
	troubles   []trouble
	deletes    []time.Duration // when a third party deletes the Lease
	end        time.Duration
	timeout    time.Duration // of the clients; 0 for the usual one
	want       []string      // lines that the log must contain, so that no script is empty
}

func (s script) clientTimeout() time.Duration { return cmp.Or(s.timeout, timeout) }

// candidate is one process that stands for election.
type candidate struct {
	name        string
	start, stop time.Duration // stop is when its context ends; 0: at the end of the script
}

// trouble lets the server fail the requests of one client from one time to another. A client "" means every client.
type trouble struct {
	from, to time.Duration
	client   string
	does     effect
}

type effect int

const (
	throttles   effect = iota + 1 // 429 with Retry-After
	unavailable                   // 503
	fails                         // 500, and executes nothing
	losesReply                    // executes the request and never answers
	swallows                      // executes nothing and never answers
	stops                         // the same, and the process of the client is stopped; it began while a request was under way
)

// The renew deadline and the timeout of the client differ from the defaults of 10 s and 5 s. Two requests that hang, or
// five retry periods, would end at the deadline exactly, and it is left to chance which comes first in client-go.
const (
	renewDeadline = 10500 * time.Millisecond
	timeout       = 4900 * time.Millisecond
)

// leaseName is the name of the Lease that all candidates want.
const leaseName = "election"

// server is the API server of both worlds.
type server struct {
	script script
	store  *api.Store
	log    *twoworlds.Log
	began  time.Time
	names  map[string]string // of the candidates, by identity
}

func newServer(s script, log *twoworlds.Log, began time.Time) *server {
	return &server{script: s, store: api.New(), log: log, began: began, names: map[string]string{}}
}

// remove deletes the Lease, as a third party does.
func (s *server) remove() {
	r := &api.Request{Verb: api.Delete}
	r.Lease.Name = leaseName
	s.store.Do(r)
	s.add("the Lease is deleted")
}

// add adds a line until the end of the script.
func (s *server) add(format string, args ...any) {
	if s.log.Elapsed() < s.script.end {
		s.log.Add(format, args...)
	}
}

// trouble returns the present trouble of a client, the zero value if there is none.
func (s *server) trouble(client string) trouble {
	now := s.log.Elapsed()
	for _, t := range s.script.troubles {
		if t.from <= now && now < t.to && (t.client == "" || t.client == client) {
			return t
		}
	}
	return trouble{}
}

// handle handles a request of a client. It returns nil if the server never answers.
func (s *server) handle(client string, r *api.Request) *api.Response {
	if identity := r.Lease.Spec.HolderIdentity; identity != "" {
		s.names[identity] = client
	}
	does := s.trouble(client).does
	var response *api.Response
	switch does {
	case throttles:
		response = api.Throttled()
	case unavailable:
		response = api.Unavailable()
	case fails:
		response = api.Failed("etcdserver: request timed out")
	case swallows, stops:
		s.add("%s: %s, never arrives", client, s.text(r.Verb, r.Lease))
		return nil
	default:
		response = s.store.Do(r)
	}
	s.add("%s: %s: %d %s %s", client, s.text(r.Verb, r.Lease), response.Code, response.Reason, s.text("", response.Lease))
	if does == losesReply {
		return nil
	}
	return response
}

// text describes a request or its result, with times since the begin of the script.
func (s *server) text(verb api.Verb, l kubernetes.Lease) string {
	if verb == api.Get || l.Name == "" {
		return string(verb)
	}
	since := func(t time.Time) time.Duration { return t.Sub(s.began).Truncate(time.Microsecond) }
	return fmt.Sprintf("%s version %s, holder %q, %d s, %d transitions, acquired %v, renewed %v", verb, l.ResourceVersion, s.names[l.Spec.HolderIdentity],
		l.Spec.LeaseDurationSeconds, l.Spec.LeaseTransitions, since(l.Spec.AcquireTime), since(l.Spec.RenewTime))
}
