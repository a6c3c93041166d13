package keyspace

import (
	"time"

	"lockquake/sim/redis/resp"
)

// ParseWait parses a WAIT outside of a transaction: the number of replicas and the timeout, where 0
// means none. Failed is the answer to a WAIT that cannot be run.
func (k *Keyspace) ParseWait(words []string) (replicas int64, timeout time.Duration, failed *resp.Reply) {
	replicas, timeout, failed = parseWait(words, k.readOnly())
	if failed == nil {
		failed = k.refused(k.lower(words), false)
	}
	return replicas, timeout, failed
}

// wait runs a WAIT in a transaction. It does not block, and counts the replicas that had all writes
// before the transaction began.
func (k *Keyspace) wait(args []string) resp.Reply {
	if _, _, failed := parseWait(args, k.readOnly()); failed != nil {
		return *failed
	}
	return resp.Reply{Kind: resp.Integer, Int: k.atMulti}
}

// parseWait parses the arguments of WAIT. A timeout of 0 means none. On a replica WAIT is an error.
func parseWait(args []string, onReplica bool) (replicas int64, timeout time.Duration, failed *resp.Reply) {
	fail := func(r resp.Reply) (int64, time.Duration, *resp.Reply) { return 0, 0, &r }
	if len(args) != 3 {
		return fail(wrongArity("wait"))
	}
	if onReplica {
		return fail(resp.Errorf("ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated."))
	}
	replicas, ok := parseInt(args[1])
	if !ok {
		return fail(*notAnInteger())
	}
	millis, ok := parseInt(args[2])
	switch {
	case !ok:
		return fail(resp.Errorf("ERR timeout is not an integer or out of range"))
	case millis < 0:
		return fail(resp.Errorf("ERR timeout is negative"))
	}
	const longest = 1 << 40 // beyond the end of any run
	return replicas, time.Duration(min(millis, longest)) * time.Millisecond, nil
}
