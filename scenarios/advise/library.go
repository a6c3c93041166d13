package advise

import (
	"strings"
	"time"

	"lockquake/lock"
	"lockquake/scenarios/libraries"
)

// libraryOf resolves the name of a library that is not that of a strategy.
func (in *Inputs) libraryOf(name string) (libraries.Library, bool) {
	if _, ok := in.entry(name); ok {
		return libraries.Library{}, false
	}
	return libraries.Find(name)
}

// mine returns the strategy in question, with the parts and the TTL of the library.
func (in *Inputs) mine() lock.Entry {
	e, _ := in.entry(in.Lock)
	if in.library == nil {
		return e
	}
	for _, s := range settings(in.library.Lock) {
		if part, way, ok := strings.Cut(s, ": "); ok && e.Defaults.Parts[part] != "" {
			e.Defaults.Set(part, way)
		}
	}
	for _, s := range settings(in.library.Defaults) {
		if text, ok := strings.CutPrefix(s, "ttl: "); ok {
			if ttl, err := time.ParseDuration(text); err == nil {
				e.Defaults.TTL = ttl
			}
		}
	}
	return e
}

// settings splits settings such as "owner: call, unknown: refused".
func settings(text string) []string {
	var all []string
	for s := range strings.SplitSeq(text, ",") {
		if s = strings.TrimSpace(s); s != "" {
			all = append(all, s)
		}
	}
	return all
}
