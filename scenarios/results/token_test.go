package results_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lockquake/scenarios/results"
)

func TestTokens(t *testing.T) {
	for _, token := range []results.Token{
		{Scenario: "kleppmann", Hash: "4354d5939d92", Label: "redis", Seed: 1, Version: "0.1.0", Checksum: "0075b14c00ebcb29", Overrides: nil},
		{Scenario: "../my scenarios/a:b@c.yaml", Hash: "00", Label: "fenced: 'both' & more", Seed: 1<<64 - 1, Version: "1.0-rc+1", Checksum: "00000000000000ff", Overrides: nil},
		{Scenario: "gc-pause", Hash: "00", Label: "redis", Seed: 3, Version: "0.1.0", Checksum: "00000000000000ff", Overrides: []results.Override{{Path: "lock.ttl", Value: "1.5s"}, {Path: "faults[0].pause.for", Value: "{dist: uniform, min: 1s, max: 2s}"}}},
	} {
		text := token.String()
		if strings.ContainsAny(text, " '\"&;|<>()$`*?") {
			t.Errorf("%s would need quotes in a shell", text)
		}
		back, err := results.ParseToken(text)
		if diff := cmp.Diff(token, back); err != nil || diff != "" {
			t.Errorf("%s reads back as %+v, %v", text, back, err)
		}
	}
	const sum = "0075b14c00ebcb29"
	if _, err := results.ParseToken("a@b:c:1:e:" + sum); err != nil {
		t.Error(err)
	}
	for _, text := range []string{
		"", "x", "a@b:c:d:e:" + sum, "a@b:c:0:e:" + sum, "a@b:c:1:e", "@b:c:1:e:" + sum, "a@b:%zz:1:e:" + sum, "a@b:c:1:e:" + sum + ":g", "a@b:c:1:e:" + sum + ":=g", "a@b:c:1:e:" + sum + ":g=%zz",
		"a@b:c:1:e:", "a@b:c:1:e:" + sum[1:], "a@b:c:1:e:0" + sum, "a@b:c:1:e:" + strings.ToUpper(sum),
	} {
		if token, err := results.ParseToken(text); !errors.Is(err, results.ErrToken) {
			t.Errorf("%q reads as %+v, %v", text, token, err)
		}
	}
}
