package faults

// serverKind is a kind of fault that only a server can have.
func serverKind(kind Kind, doc string, params ...string) KindInfo {
	info := nodeKind(kind, doc, params...)
	info.OnlyServer, info.validate = true, validateServer
	info.parse = func(r *stepReader) Action { return Action{Target: r.word("server")} }
	return info
}

// overloadKind is a server that has too much to do: requests queue up.
func overloadKind() KindInfo {
	info := serverKind(Overload, "lets a server take its time for each request, one after another", "service", "every", "for")
	info.check = func(p Params) error {
		if p.Service.IsZero() {
			return &ParamError{"service", "is missing: how long the server takes for one request, such as 20ms"}
		}
		_, err := median("service", p.Service)
		return err
	}
	return info
}

// failoverKind makes the replica the primary, with what it has got by then.
func failoverKind() KindInfo {
	info := serverKind(Failover, "makes the replica of the lock's server the primary, with the writes that have reached it", "every")
	info.Instant = true
	return info
}

// deleteKind is a third party that takes keys away: an operator, a script that
// cleans up.
func deleteKind() KindInfo {
	return keyKind(Delete, "lets a third party delete every key of the lock's server that fits a pattern, all locks if there is none")
}

// evictKind is a server that is short of memory.
func evictKind() KindInfo {
	return keyKind(Evict, "lets the lock's server drop one key that fits a pattern, any if there is none")
}

func keyKind(kind Kind, doc string) KindInfo {
	info := serverKind(kind, doc, "key", "every")
	info.Instant = true
	info.words = func(a Action) []string {
		if a.Key == "" {
			return []string{a.Target}
		}
		return []string{a.Target, "key", a.Key}
	}
	info.parse = func(r *stepReader) Action {
		a := Action{Target: r.word("server")}
		if r.next("key") {
			a.Key = r.word("key")
		}
		return a
	}
	return info
}

// staleKind is a read that a replica answers which lags behind.
func staleKind() KindInfo {
	info := serverKind(Stale, "lets a server answer plain reads with what was there some time ago, as a replica that lags does", "by", "every", "for").
		withBy("server", 1)
	info.check = func(p Params) error { return p.needsBy("how old the answers are, such as 2s") }
	return info
}
