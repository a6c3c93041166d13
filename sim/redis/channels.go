package redis

import (
	"slices"
	"strings"

	"lockquake/sim"
	"lockquake/sim/redis/keyspace"
	"lockquake/sim/redis/resp"
)

// channels has the sessions that listen to each channel, in the order in which they subscribed.
type channels map[string][]*sim.Session

// publish sends the message to all listeners of the channel, and returns their number.
func (ch channels) publish(channel, message string) int64 {
	for _, session := range ch[channel] {
		session.Push("message", &resp.Reply{Kind: resp.Array, Elems: []resp.Reply{
			{Kind: resp.Bulk, Text: "message"}, {Kind: resp.Bulk, Text: channel}, {Kind: resp.Bulk, Text: message},
		}})
	}
	return int64(len(ch[channel]))
}

func (ch channels) unsubscribe(session *sim.Session, channel string) {
	ch[channel] = slices.DeleteFunc(ch[channel], func(s *sim.Session) bool { return s == session })
	if len(ch[channel]) == 0 {
		delete(ch, channel)
	}
}

// count returns how many channels the session listens to.
func (ch channels) count(session *sim.Session) (n int64) {
	for _, sessions := range ch {
		if slices.Contains(sessions, session) {
			n++
		}
	}
	return n
}

// answerSubscriber answers SUBSCRIBE and UNSUBSCRIBE, and the commands of a connection that
// listens, which may send hardly anything else. It reports whether it has answered. The replies in
// more follow the answer.
func (s *Server) answerSubscriber(session *sim.Session, words []string) (answer resp.Reply, more []resp.Reply, ok bool) {
	if len(words) == 0 || len(s.channels) == 0 && !keyspace.Named(words, "subscribe") && !keyspace.Named(words, "unsubscribe") {
		return resp.Reply{}, nil, false
	}
	args, ok := s.keys.WellFormed(words)
	if !ok {
		return resp.Reply{}, nil, false
	}
	switch args[0] {
	case "subscribe", "unsubscribe":
		answer, more = s.subscribe(session, args[0], args[1:])
		return answer, more, true
	case "psubscribe", "punsubscribe", "ssubscribe", "sunsubscribe", "quit", "reset":
		return resp.Reply{}, nil, false
	}
	switch {
	case s.channels.count(session) == 0:
		return resp.Reply{}, nil, false
	case args[0] != "ping":
		return resp.Errorf("ERR Can't execute '%s': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context", args[0]), nil, true
	case len(args) > 2:
		return resp.Errorf("ERR wrong number of arguments for 'ping' command"), nil, true
	}
	return resp.Reply{Kind: resp.Array, Elems: []resp.Reply{
		{Kind: resp.Bulk, Text: "pong"}, {Kind: resp.Bulk, Text: strings.Join(args[1:], "")},
	}}, nil, true
}

// subscribe begins or ends subscriptions. Redis answers once for each channel: the first answer is
// the reply, and the others are pushed after it.
func (s *Server) subscribe(session *sim.Session, name string, names []string) (resp.Reply, []resp.Reply) {
	if len(names) == 0 {
		names = s.channels.of(session)
	}
	var answers []resp.Reply
	for _, channel := range names {
		switch {
		case name == "unsubscribe":
			s.channels.unsubscribe(session, channel)
		case !slices.Contains(s.channels[channel], session):
			s.channels[channel] = append(s.channels[channel], session)
		}
		answers = append(answers, resp.Reply{Kind: resp.Array, Elems: []resp.Reply{
			{Kind: resp.Bulk, Text: name}, {Kind: resp.Bulk, Text: channel}, {Kind: resp.Integer, Int: s.channels.count(session)},
		}})
	}
	if len(answers) == 0 { // it listened to nothing
		return resp.Reply{Kind: resp.Array, Elems: []resp.Reply{{Kind: resp.Bulk, Text: name}, {Kind: resp.Nil}, {Kind: resp.Integer}}}, nil
	}
	return answers[0], answers[1:]
}

// of returns the channels that the session listens to, sorted.
func (ch channels) of(session *sim.Session) []string {
	var names []string
	for name, sessions := range ch {
		if slices.Contains(sessions, session) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
