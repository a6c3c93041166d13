package scenarios

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// Version is the version of lockquake. Another version may give another trace
// for the same scenario, strategy and seed.
const Version = "0.1.0"

// Token names one run exactly, in one word that needs no quotes in a shell.
type Token struct {
	Scenario string // built-in name or path
	Hash     string // of the scenario
	Label    string
	Seed     uint64
	Version  string
	Checksum string // of the run
}

// String gives the token as it stands in reports:
// scenario@hash:label:seed:version:checksum.
func (t Token) String() string {
	return fmt.Sprintf("%s@%s:%s:%d:%s:%s",
		escape(t.Scenario), t.Hash, escape(t.Label), t.Seed, escape(t.Version), t.Checksum)
}

// escape keeps letters, digits and a path's slashes, and hides everything else
// that a shell or the token itself would trip over.
func escape(s string) string {
	return strings.ReplaceAll(url.QueryEscape(s), "%2F", "/")
}

// ErrToken says that a text is no replay token.
var ErrToken = errors.New("not a replay token: it has the form scenario@hash:label:seed:version:checksum")

// ParseToken reads what String wrote. Its error is or wraps ErrToken.
func ParseToken(text string) (Token, error) {
	head, rest, found := strings.Cut(text, "@")
	parts := strings.Split(rest, ":")
	if !found || len(parts) != 5 {
		return Token{}, ErrToken
	}
	seed, err := strconv.ParseUint(parts[2], 10, 64)
	if err != nil {
		return Token{}, fmt.Errorf("%w: %q is no seed", ErrToken, parts[2])
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
	if t.Scenario == "" || t.Hash == "" || t.Label == "" || t.Checksum == "" {
		return Token{}, ErrToken
	}
	return t, nil
}
