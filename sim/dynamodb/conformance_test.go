package dynamodb_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lockquake/internal/servers"
)

// differ returns the index of the first answer in which the sides differ, -1 if they do not, and the two
// answers.
func differ(all, other []string) (at int, x, y string) {
	for i := range max(len(all), len(other)) {
		x, y := "nothing", "nothing"
		if i < len(all) {
			x = all[i]
		}
		if i < len(other) {
			y = other[i]
		}
		if x != y {
			return i, x, y
		}
	}
	return -1, "", ""
}

// shrink leaves out steps as long as the sides differ.
func shrink(a, b side, s sequence) (shorter sequence, x, y string) {
	for shrunk := true; shrunk; {
		shrunk = false
		for i := range slices.Backward(s) {
			fewer := slices.Delete(slices.Clone(s), i, i+1)
			if at, _, _ := differ(a.run(fewer), b.run(fewer)); at >= 0 {
				s, shrunk = fewer[:min(at+1, len(fewer))], true
				break
			}
		}
	}
	_, x, y = differ(a.run(s), b.run(s))
	return s, x, y
}

// TestConformance compares the simulation with Dynalite: random requests of several clients, one after
// another, have the same answers. Both sides have the SDK as their client. Where Dynalite deviates from
// DynamoDB, no request goes: see deviations.
func TestConformance(t *testing.T) {
	r := newReal(t, servers.Dynalite(t))
	first, last := servers.Sequences(t)
	met := map[string]int{}
	const mostFailures = 5
	failed := 0
	for seed := first; seed <= last && failed < mostFailures; seed++ {
		g := &generator{rand.New(rand.NewPCG(uint64(seed), 0))}
		s := g.sequence()
		answers := simulated{}.run(s)
		for _, answer := range answers {
			code, _, isError := strings.Cut(answer, ": ")
			if strings.HasPrefix(answer, "{") || !isError {
				code = "ok"
			}
			met[code]++
		}
		if at, _, _ := differ(r.run(s), answers); at >= 0 {
			failed++
			shorter, x, y := shrink(r, simulated{}, s[:min(at+1, len(s))])
			t.Errorf("sequence %d, made shorter:\n%vreal       %s\nsimulated  %s", seed, shorter, x, y)
		}
	}
	t.Log(met)
	for _, code := range []string{"ok", "ConditionalCheckFailedException", "ValidationException"} {
		if met[code] == 0 {
			t.Errorf("no answer was %s", code)
		}
	}
}
