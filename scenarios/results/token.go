package results

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Version is the version of lockquake. The same scenario, strategy and seed can have
// another trace in another version.
const Version = "0.1.0"

// Token identifies one run. As text it is one word that needs no quotes in a shell.
type Token struct {
	Scenario string // built-in name or path
	Hash     string // of the scenario
	Label    string
	Seed     uint64
	Version  string
	Checksum string // of the run
	// Overrides are the values that --set changed, in its order.
	Overrides []Override
}

// String returns the token as reports print it:
// scenario@hash:label:seed:version:checksum, and :path=value for each override.
func (t Token) String() string {
	parts := []string{
		escape(t.Scenario) + "@" + t.Hash, escape(t.Label), strconv.FormatUint(t.Seed, 10), escape(t.Version), t.Checksum,
	}
	for _, o := range t.Overrides {
		parts = append(parts, escape(o.Path)+"="+escape(o.Value))
	}
	return strings.Join(parts, ":")
}

// escape keeps letters, digits and slashes, and escapes characters that have a meaning in a
// shell or in a token.
func escape(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "%2F", "/")
}

// ErrToken is the error for a text that is no replay token.
var ErrToken = errors.New("not a replay token: it has the form scenario@hash:label:seed:version:checksum, with :path=value for what was set")

// ParseToken reads what String writes. Its error is or wraps ErrToken.
func ParseToken(text string) (Token, error) {
	head, rest, found := strings.Cut(text, "@")
	parts := strings.Split(rest, ":")
	const fields = 5 // before the overrides
	if !found || len(parts) < fields {
		return Token{}, ErrToken
	}
	seed, err := strconv.ParseUint(parts[2], 10, 64)
	if err != nil || seed == 0 {
		return Token{}, fmt.Errorf("%w: %q is no seed", ErrToken, parts[2])
	}
	if !isChecksum(parts[4]) {
		return Token{}, fmt.Errorf("%w: %q is no checksum, which has 16 digits", ErrToken, parts[4])
	}
	t := Token{Hash: parts[0], Seed: seed, Checksum: parts[4]}
	for _, field := range []struct {
		text string
		into *string
	}{{head, &t.Scenario}, {parts[1], &t.Label}, {parts[3], &t.Version}} {
		if *field.into, err = url.QueryUnescape(field.text); err != nil {
			return Token{}, fmt.Errorf("%w: %q", ErrToken, field.text)
		}
	}
	for _, text := range parts[fields:] {
		path, value, _ := strings.Cut(text, "=")
		path, pathErr := url.QueryUnescape(path)
		value, valueErr := url.QueryUnescape(value)
		if err := errors.Join(pathErr, valueErr); err != nil || path == "" || value == "" {
			return Token{}, fmt.Errorf("%w: %q", ErrToken, text)
		}
		t.Overrides = append(t.Overrides, Override{path, value})
	}
	if t.Scenario == "" || t.Hash == "" || t.Label == "" {
		return Token{}, ErrToken
	}
	return t, nil
}

// isChecksum reports whether a text has the form of a checksum. That of a token that was cut has not.
func isChecksum(text string) bool {
	const digits = 16
	return len(text) == digits && strings.Trim(text, "0123456789abcdef") == ""
}

// Override replaces one value of a scenario file. All values that a file can set can be
// overridden.
type Override struct {
	// Path names the value by the keys of the file, as in "lock.ttl" or
	// "strategies[1].lock.ttl". An entry of faults can also be named by its kind
	// if no other entry is of that kind ("faults.pause.for"), a use of a strategy
	// by its label ("strategies.fenced.lock.ttl"), and an entry of each by its
	// worker ("each.worker-2.start").
	Path string
	// Value is written as in the file.
	Value string
}

// String returns path=value.
func (o Override) String() string { return o.Path + "=" + o.Value }
