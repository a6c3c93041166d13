package faults

import (
	"fmt"
	"strings"
	"unicode"
)

// OnKeys is a fault of keys on a server of the lock.
type OnKeys struct {
	OnServer
	// Key is the pattern of the keys; without one the fault can hit every key.
	Key string `yaml:"key" without:"all of them" doc:"pattern of the keys"`
}

func (k *OnKeys) needs() []Need { return []Need{{NeedsKey, "key", k.Key}} }

// check refuses a pattern with a space, because a line of a plan is split at spaces.
func (k *OnKeys) check(s Spec, workers, nodes []string) error {
	if strings.ContainsFunc(k.Key, unicode.IsSpace) {
		return &ParamError{"key", fmt.Sprintf("%q has a space in it", k.Key)}
	}
	return k.OnServer.check(s, workers, nodes)
}

func (k *OnKeys) words() []string {
	words := k.OnServer.words()
	if k.Key != "" {
		words = append(words, "key", k.Key)
	}
	return words
}

func (k *OnKeys) read(r *reader) {
	k.OnServer.read(r)
	if r.next("key") {
		k.Key = r.word("key")
	}
}
