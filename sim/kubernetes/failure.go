package kubernetes

import (
	"strings"

	"lockquake/faults"
	"lockquake/sim"
	"lockquake/sim/kubernetes/api"
)

// Fail implements sim.Failer: the server answers a request with an error instead of executing it. A text that
// begins with 429 or 503 is that answer. Any other is the message of an error of etcd.
func (s *Server) Fail(c *sim.Call, text string) { c.Reply(failure(text)) }

func failure(text string) *api.Response {
	switch code, _, _ := strings.Cut(text, " "); code {
	case "429":
		return api.Throttled()
	case "503":
		return api.Unavailable()
	case "BUSY": // the default of the fault, which is an error of Redis
		text = "etcdserver: request timed out"
	}
	return api.Failed(text)
}

// refusal returns the answer to every request while a fault makes the server refuse them, nil if none does.
func (s *Server) refusal() *api.Response {
	switch {
	case s.refuses[faults.CodeUnavailable] > 0:
		return api.Unavailable()
	case s.refuses[faults.CodeThrottled] > 0:
		return api.Throttled()
	}
	return nil
}

// Refuses implements backend.Refuser.
func (c *Cluster) Refuses() []faults.Code {
	return []faults.Code{faults.CodeThrottled, faults.CodeUnavailable}
}

// Refuse implements backend.Refuser.
func (c *Cluster) Refuse(_ string, with faults.Code) { c.server.refuses[with]++ }

// Accept implements backend.Refuser.
func (c *Cluster) Accept(_ string, with faults.Code) { c.server.refuses[with]-- }
