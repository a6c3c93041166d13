package command

import (
	"fmt"
	"strings"
)

// pointDoc describes a point: a step of a worker's work, or of one of its messages.
func pointDoc(point string) (string, error) {
	name := point
	if i := strings.IndexByte(point, '.'); i >= 0 {
		name = point[i:]
	}
	doc, ok := pointDocs()[name]
	if !ok {
		return "", fmt.Errorf("the point %s has no sentence in pointDocs", point)
	}
	return doc, nil
}

// pointDocs describes each step of a worker, and the points of every message.
func pointDocs() map[string]string {
	return map[string]string{
		"acquire-called": "the worker calls the strategy to run a section",
		"acquired":       "the strategy lets the work begin",
		"read-called":    "the work is about to read",
		"read-done":      "the work has read the value",
		"lease-checked":  "the strategy has made its last check, if it makes one, and the write is about to be sent",
		"write-replied":  "the work knows the outcome of its write",
		"release-called": "the work has ended, and the lock is about to be released",
		"released":       "the strategy has returned",
		"commit-called":  "the write is about to be sent after the release; only with `commit: after-release`",
		"renewal-begins": "the renewal task has started; only with `renewal: racy`",
		"renew-called":   "the lease is about to be renewed",
		".sent":          "the request leaves",
		".applied":       "the server has executed it",
		".replied":       "the reply leaves the server",
		".taken":         "the worker has the reply",
	}
}
