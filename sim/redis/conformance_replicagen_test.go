package redis

import (
	"slices"
	"strconv"
	"strings"

	"lockquake/sim/redis/keyspace"
)

// replicaGenerator draws steps for a primary and its replica. In addition to what generator leaves
// out, it leaves out WAITs whose answer by a real server cannot be predicted: for 0 replicas, or in
// a transaction.
type replicaGenerator struct {
	generator
	all     []step
	stopped bool
}

// steps returns a random sequence.
func (g *replicaGenerator) steps() []step {
	const shortest, spread = 8, 10
	for n := shortest + g.IntN(spread); len(g.all) < n; {
		switch {
		case g.stopped:
			g.whileStopped()
		case g.chance(50):
			g.write(g.one(connA, connA, connB))
		case g.chance(60):
			g.read()
		case g.chance(30):
			g.wait(g.one(connA, connB))
		case g.chance(40):
			g.happen(pause)
		case g.chance(40):
			g.happen(doStop)
			g.stopped = true
		case g.chance(70):
			g.happen(doPromote)
		default:
			g.happen(doFresh)
		}
	}
	if g.stopped {
		g.happen(doGoOn)
	}
	g.read()
	return g.all
}

func (g *replicaGenerator) happen(what string) {
	s := step{at: what}
	if what == pause {
		s.ms = strconv.Itoa(1 + g.IntN(4))
	}
	g.all = append(g.all, s)
}

func (g *replicaGenerator) tell(at string, s sequence) {
	for _, unit := range s.units() {
		g.all = append(g.all, step{at: at, unit: unit})
	}
}

// write adds a command to the primary other than WAIT, most often one that locks use.
func (g *replicaGenerator) write(at string) {
	s := g.anything()
	if g.chance(60) {
		s = sequence{g.filled("SET $k $v", "SET $k $v PX 60000", "SET $k $v NX PX 60000", "SET $k $v NX PX $ms", "SETEX $k 60 $v", "SETNX $k $v", "INCR $k",
			"PEXPIRE $k 60000", "PEXPIRE $k $ms", "DEL $k", "GET $k", "GET $k", "PTTL $k", "PTTL $k", "HINCRBY $hash $m 1", "RPUSH $list $v", "FLUSHALL")}
	}
	for i, words := range s {
		if keyspace.Blocks(words) {
			s[i] = []string{"PING"}
		}
	}
	g.tell(at, s)
}

// anything returns a command, a transaction or a script.
func (g *replicaGenerator) anything() sequence {
	switch {
	case g.chance(60):
		return sequence{g.command()}
	case g.chance(40):
		return g.transaction()
	case g.chance(30):
		return sequence{g.scriptCommand()}
	case g.chance(60):
		return sequence{g.lockScript()}
	}
	return sequence{g.eval(g.script())}
}

// read adds a command to the replica: one that it answers, or one that it must refuse.
func (g *replicaGenerator) read() {
	if g.chance(30) {
		g.tell(connR, g.anything())
		return
	}
	filled := g.filled("GET $k", "GET $k", "GET $k", "PTTL $k", "PTTL $k", "TTL $any", "EXISTS $any", "EXISTS $any $any", "TYPE $any",
		"PEXPIRETIME $any", "MGET $k $k", "HGETALL $hash", "SMEMBERS $members", "LRANGE $list 0 -1", "ZRANGE $ranks 0 -1 WITHSCORES", "STRLEN $k",
		"WAIT 1 0", "WAIT x 0", "WAIT 1")
	if name := filled[0]; !keyspace.Blocks(filled) && g.chance(20) {
		script := "return redis.call('" + name + "', KEYS[1])"
		if slices.Contains([]string{"GET", "PTTL", "TTL", "TYPE", "STRLEN"}, name) {
			filled = []string{g.one("EVAL", "EVAL_RO"), script, "1", filled[1]}
		}
	}
	g.tell(connR, sequence{filled})
}

// filled returns one of the templates with its words filled in.
func (g *replicaGenerator) filled(templates ...string) []string {
	var words []string
	for word := range strings.FieldsSeq(g.one(templates...)) {
		words = append(words, g.fill(word)...)
	}
	return words
}

// wait adds a WAIT to the primary.
func (g *replicaGenerator) wait(at string) {
	g.tell(at, sequence{strings.Fields(g.one("WAIT 1 0", "WAIT 1 5000", "WAIT 1 5000", "wait 1 5000", "WAIT 2 30", "WAIT 1 -1", "WAIT x 1", "WAIT 1 x", "WAIT 1",
		"WAIT 01 5", "WAIT 1 5 5"))})
}

// whileStopped adds steps while the replica is stopped.
func (g *replicaGenerator) whileStopped() {
	switch {
	case g.chance(40):
		g.write(g.one(connA, connB))
	case g.chance(50):
		at := g.one(connA, connB)
		g.tell(at, sequence{{"PING"}})
		g.tell(at, sequence{strings.Fields(g.one("WAIT 1 3", "WAIT 1 1", "WAIT 2 3", "WAIT 1 -1"))})
	default:
		g.happen(doGoOn)
		g.stopped = false
	}
}

// The cases that sequences for two servers have to cover.
const (
	metAll        = "WAIT answers 1"
	metNobody     = "WAIT answers 0, with the replica stopped"
	metTooMany    = "WAIT for 2 answers 1"
	metBadWait    = "WAIT with wrong arguments"
	metWaitRead   = "WAIT on a replica"
	metValue      = "the replica has a value"
	metNothing    = "the replica has nothing"
	metLife       = "the replica knows a time to live"
	metScriptRead = "a script reads on the replica"
	metRefused    = "READONLY to a command"
	metRefusedTx  = "a transaction aborted for READONLY"
	metCall       = "READONLY to redis.call"
	metPcall      = "READONLY to redis.pcall"
	metUnknown    = "NOSCRIPT of the replica"
	metOnward     = "a value after a promotion"
	metOnwardLife = "a time to live after a promotion"
	metOnwardGone = "NOSCRIPT after a promotion"
	metOnwardSet  = "a write after a promotion"
	metBack       = "a value at the old primary, which is a replica now"
	metLate       = "a value that was written while the replica was stopped"
)

// replicaCoverage counts how often they were covered.
type replicaCoverage struct{ met map[string]int }

func newReplicaCoverage() *replicaCoverage {
	c := &replicaCoverage{met: map[string]int{}}
	for _, what := range []string{
		metAll, metNobody, metTooMany, metBadWait, metWaitRead, metValue, metNothing, metLife, metScriptRead, metRefused, metRefusedTx,
		metCall, metPcall, metUnknown, metOnward, metOnwardLife, metOnwardGone, metOnwardSet, metBack, metLate,
	} {
		c.met[what] = 0
	}
	return c
}

func (c *replicaCoverage) parts() []coveragePart {
	return []coveragePart{{"of two servers", c.met}}
}

// note records the replies to the last of the steps.
func (c *replicaCoverage) note(all []step, exchanges []exchange) {
	happened := func(what string) bool { return slices.ContainsFunc(all, func(s step) bool { return s.at == what }) }
	promoted, stopped := happened(doPromote), happened(doStop)
	onReplica := all[len(all)-1].at == connR
	for i := range exchanges {
		x := &exchanges[i]
		met := c.onPrimary(x, promoted)
		if onReplica {
			met = c.onReplica(x, promoted, stopped)
		}
		for _, what := range met {
			c.met[what]++
		}
	}
}

func (c *replicaCoverage) onPrimary(x *exchange, promoted bool) (met []string) {
	name, said := strings.ToLower(x.words[0]), string(x.sim)
	switch {
	case name == "wait" && said == ":0\r\n":
		met = append(met, metNobody)
	case name == "wait" && said[0] == '-':
		met = append(met, metBadWait)
	case name == "wait" && said == ":1\r\n" && x.words[1] == "2":
		met = append(met, metTooMany)
	case name == "wait" && said == ":1\r\n":
		met = append(met, metAll)
	}
	if promoted {
		switch {
		case name == "get" && said[0] == '$' && said != "$-1\r\n":
			met = append(met, metOnward)
		case name == "pttl" && said[0] == ':' && said[1] != '-':
			met = append(met, metOnwardLife)
		case name == "evalsha" && strings.HasPrefix(said, "-NOSCRIPT"):
			met = append(met, metOnwardGone)
		case name == "set" && said == "+OK\r\n":
			met = append(met, metOnwardSet)
		}
	}
	return met
}

func (c *replicaCoverage) onReplica(x *exchange, promoted, stopped bool) (met []string) {
	const readOnly = "-READONLY You can't write against a read only replica."
	name, said := strings.ToLower(x.words[0]), string(x.sim)
	switch {
	case name == "get" && said[0] == '$' && said != "$-1\r\n":
		met = append(met, metValue)
		if promoted {
			met = append(met, metBack)
		}
		if stopped {
			met = append(met, metLate)
		}
	case name == "get" && said == "$-1\r\n":
		met = append(met, metNothing)
	case name == "pttl" && said[0] == ':' && said[1] != '-':
		met = append(met, metLife)
	case name == "wait" && strings.HasPrefix(said, "-ERR WAIT cannot be used"):
		met = append(met, metWaitRead)
	case name == "exec" && strings.HasPrefix(said, "-EXECABORT"):
		met = append(met, metRefusedTx)
	case strings.HasPrefix(name, "eval") && strings.HasPrefix(said, readOnly+" script:"):
		met = append(met, metCall)
	case strings.HasPrefix(name, "eval") && strings.Contains(said, "READONLY You can't write"):
		met = append(met, metPcall)
	case strings.HasPrefix(name, "eval") && strings.HasPrefix(said, "-NOSCRIPT"):
		met = append(met, metUnknown)
	case strings.HasPrefix(name, "eval") && said[0] != '-':
		met = append(met, metScriptRead)
	case strings.HasPrefix(said, readOnly):
		met = append(met, metRefused)
	}
	return met
}
