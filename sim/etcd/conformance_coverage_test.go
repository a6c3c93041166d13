package etcd_test

import (
	"strings"
	"sync"
	"testing"

	"lockquake/lock/etcd"
)

// coverage counts what the random sequences have met.
type coverage struct {
	mu  sync.Mutex
	met map[string]int
}

func newCoverage() *coverage { return &coverage{met: map[string]int{}} }

// cases lists what enough sequences must meet: texts of answers and messages.
func cases() []string {
	all := []string{"more true", "succeeded true", "succeeded false", "was k", "delete k", "compacted", "no watch", "ttl -1"}
	for _, err := range []error{
		etcd.ErrEmptyKey(), etcd.ErrKeyNotFound(), etcd.ErrValueProvided(), etcd.ErrLeaseProvided(), etcd.ErrDuplicateKey(), etcd.ErrCompacted(),
		etcd.ErrFutureRevision(), etcd.ErrLeaseNotFound(), etcd.ErrLeaseExists(),
	} {
		all = append(all, err.Error())
	}
	return all
}

func (c *coverage) add(seen []sight) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range seen {
		for _, text := range cases() {
			if strings.Contains(s.String(), text) {
				c.met[text]++
			}
		}
	}
}

func (c *coverage) check(t *testing.T) {
	for _, text := range cases() {
		t.Logf("%6d %s", c.met[text], text)
		if c.met[text] == 0 {
			t.Errorf("no sequence met %q", text)
		}
	}
}
