package locktest

import (
	"flag"
	"fmt"
	"slices"
	"strings"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/run"
)

//nolint:gochecknoglobals // go test knows a flag only if it is registered before the tests begin
var replayFlag = flag.String("lockquake.replay", "", "run only the run of this replay token")

// unfinished is the checksum in the token of a run that has none, because it ended the program or hung.
const unfinished = "unfinished"

// replay repeats the run of a token. It returns its story if it violates a check, and what differs if it
// is not the same run any more. A token of another lock repeats nothing.
func (r *request) replay(text string) (string, error) {
	token, err := results.ParseToken(text)
	if err != nil {
		return "", fmt.Errorf("locktest: -lockquake.replay: %w", err)
	}
	s, err := r.repeatable(token)
	if s == nil || err != nil {
		return "", err
	}
	trial, err := run.Once(s, run.Request{Label: token.Label, Seed: token.Seed, Stall: r.stall()})
	if err != nil {
		return "", err
	}
	var b strings.Builder
	switch {
	case s.Hash != token.Hash:
		fmt.Fprintf(&b, "%s has changed: its hash is %s, and the token has %s\n", token.Scenario, s.Hash, token.Hash)
	case trial.Checksum != token.Checksum && token.Checksum != unfinished:
		fmt.Fprintf(&b, "another run: its checksum is %s, and the token has %s; the lock or lockquake has changed\n", trial.Checksum, token.Checksum)
	case trial.Telling == "":
		return "", nil
	}
	r.tell(&b, trial, trial.Telling)
	return b.String(), nil
}

// repeatable loads the scenario of a token, with what is expected of its runs; nil if the token is of another lock.
func (r *request) repeatable(token results.Token) (*scenarios.Scenario, error) {
	s, err := r.load(token.Scenario, token.Overrides)
	if err != nil {
		return nil, err
	}
	uses, err := s.Uses([]string{r.entry.Name}, nil)
	if err != nil {
		return nil, fmt.Errorf("locktest: %w", err)
	}
	if !slices.ContainsFunc(uses, func(u scenarios.Strategy) bool { return u.Label == token.Label }) {
		return nil, nil //nolint:nilnil // not to be of this lock is no error
	}
	return s, r.expectIn(s)
}
