package keyspace

import "time"

// ParseWait reads a WAIT outside of a transaction: for how many replicas, and how
// long; a timeout of 0 is none. failed is the answer to one that is not carried out.
func (k *Keyspace) ParseWait(words []string) (replicas int64, timeout time.Duration, failed *Reply) {
	replicas, timeout, failed = parseWait(words, k.readOnly())
	if failed == nil {
		failed = k.refused(k.lower(words), false)
	}
	return replicas, timeout, failed
}

// wait is a WAIT in a transaction. It does not block, and counts who had
// everything that was written before the transaction began.
func (k *Keyspace) wait(args []string) Reply {
	if _, _, failed := parseWait(args, k.readOnly()); failed != nil {
		return *failed
	}
	return Reply{Kind: Integer, Int: k.atMulti}
}

// parseWait reads WAIT's arguments. A timeout of 0 is none. A replica has nobody
// to wait for.
func parseWait(args []string, onReplica bool) (replicas int64, timeout time.Duration, failed *Reply) {
	fail := func(r Reply) (int64, time.Duration, *Reply) { return 0, 0, &r }
	if len(args) != 3 {
		return fail(wrongArity("wait"))
	}
	if onReplica {
		return fail(Errorf("ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated."))
	}
	replicas, ok := parseInt(args[1])
	if !ok {
		return fail(*notAnInteger())
	}
	millis, ok := parseInt(args[2])
	switch {
	case !ok:
		return fail(Errorf("ERR timeout is not an integer or out of range"))
	case millis < 0:
		return fail(Errorf("ERR timeout is negative"))
	}
	const longest = 1 << 40 // beyond the end of any run
	return replicas, time.Duration(min(millis, longest)) * time.Millisecond, nil
}
