package advise

import (
	"strings"
	"time"

	"lockquake/lock"
)

// Library is the strategy that is nearest to a published library.
type Library struct {
	Name     string
	Strategy string
	// Lock and Defaults are settings as in a scenario, such as "owner: call, unknown: refused": the parts
	// in which the library differs from the strategy, and its own numbers.
	Lock, Defaults string
}

// libraryOf resolves the name of a library that is not that of a strategy.
func (in *Inputs) libraryOf(name string) (Library, bool) {
	if _, ok := in.entry(name); ok || in.Library == nil {
		return Library{}, false
	}
	return in.Library(name)
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
