package postgres_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"lockquake/internal/servers"
)

// exchange is a step, and what could be seen after it on both sides.
type exchange struct {
	step      step
	real, sim *sight
}

func (x *exchange) same() bool { return x.real.String() == x.sim.String() }

func (x *exchange) String() string {
	indent := func(s *sight) string { return strings.ReplaceAll(s.String(), "\n", "\n           ") }
	return fmt.Sprintf("%s\nreal       %s\nsimulated  %s", x.step, indent(x.real), indent(x.sim))
}

// pair is a real database and a simulated one.
type pair struct {
	real, sim side
}

// run runs a sequence on both sides, until they have differed that often.
func (p *pair) run(s sequence, differences int) ([]exchange, error) {
	for _, at := range []side{p.real, p.sim} {
		if err := at.open(s.sessions()); err != nil {
			return nil, err
		}
	}
	var all []exchange
	for _, st := range s {
		x := exchange{step: st}
		var err error
		if x.real, err = p.real.do(st); err != nil {
			return all, err
		}
		if x.sim, err = p.sim.do(st); err != nil {
			return all, err
		}
		all = append(all, x)
		if !x.same() {
			if differences--; differences == 0 {
				break
			}
		}
	}
	return all, nil
}

// differ returns the exchange in which the sides differ, nil if there is none.
func (p *pair) differ(s sequence) (*exchange, error) {
	all, err := p.run(s, 1)
	if err != nil || len(all) == 0 || all[len(all)-1].same() {
		return nil, err
	}
	return &all[len(all)-1], nil
}

// compare runs a sequence on both sides, and reports the first differences if the sides do not agree in
// another run either.
func (p *pair) compare(t *testing.T, name string, s sequence) []exchange {
	t.Helper()
	const mostDifferences = 20
	all, err := p.run(s, mostDifferences)
	differs := err != nil || slices.ContainsFunc(all, func(x exchange) bool { return !x.same() })
	if differs && p.canAgree(s) {
		t.Logf("%s: the real server did not always do the same", name)
		return all
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	for i := range all {
		if !all[i].same() {
			t.Errorf("%s: %v", name, &all[i])
		}
	}
	return all
}

// canAgree reports whether the sides agree in one of a few runs. When a step lets several sessions
// go on, the scheduler of the machine decides which of them is first, and the simulation makes one of
// the choices that the real server has.
func (p *pair) canAgree(s sequence) bool {
	const runs = 6
	for range runs {
		if x, err := p.differ(s); err == nil && x == nil {
			return true
		}
	}
	return false
}

// shrink leaves out steps as long as the sides differ in the same way.
func (p *pair) shrink(s sequence, x *exchange) (sequence, *exchange) {
	for shrunk := true; shrunk; {
		shrunk = false
		for i := range slices.Backward(s) {
			fewer := slices.Delete(slices.Clone(s), i, i+1)
			if y, err := p.differ(fewer); err == nil && y != nil && y.String() == x.String() {
				s, x, shrunk = fewer, y, true
				break
			}
		}
	}
	return s, x
}

// forEach calls f with each of the items, and with one of several pairs, each of which has its own
// database on the server.
func forEach[T any](t *testing.T, server *servers.PostgresServer, sim func() side, items []T, f func(p *pair, item T)) {
	t.Helper()
	const pairs = 6 // a step takes time rather than work
	var next atomic.Int64
	var all sync.WaitGroup
	for i := range pairs {
		r, err := newReal(server, fmt.Sprintf("c%d_%d", i, databases.Add(1)))
		if err != nil {
			t.Fatal(err)
		}
		all.Go(func() {
			defer r.close()
			for n := next.Add(1) - 1; n < int64(len(items)); n = next.Add(1) - 1 {
				f(&pair{real: r, sim: sim()}, items[n])
			}
		})
	}
	all.Wait()
}

var databases atomic.Int64 // for their names

// TestConformance compares the simulation with a real PostgreSQL: both run the same steps of
// several sessions, and after each step the same statements have ended with the same results, the
// same ones wait, and for the same sessions.
func TestConformance(t *testing.T) {
	server := startReal(t, realSettings()...)
	t.Run("by hand", func(t *testing.T) {
		met := newCoverage(t)
		forEach(t, server, newModel, sortedKeys(handWritten()), func(p *pair, name string) {
			met.add(p.compare(t, name, parse(t, handWritten()[name])))
		})
		met.check(t)
	})
	t.Run("by chance", func(t *testing.T) {
		first, last := servers.Sequences(t)
		var seeds []int
		for seed := first; seed <= last; seed++ {
			seeds = append(seeds, seed)
		}
		const mostFailures = 5
		var failed, racy atomic.Int64
		met := newCoverage(t)
		forEach(t, server, newModel, seeds, func(p *pair, seed int) {
			if failed.Load() >= mostFailures {
				return
			}
			g := generator{Rand: rand.New(rand.NewPCG(uint64(seed), 0))}
			s := g.sequence()
			all, err := p.run(s, 1)
			met.add(all)
			if err != nil {
				failed.Add(1)
				t.Errorf("sequence %d: %v\n%v", seed, err, s)
				return
			}
			if x := &all[len(all)-1]; !x.same() {
				if p.canAgree(s) {
					racy.Add(1)
					return
				}
				failed.Add(1)
				s, x = p.shrink(s[:len(all)], x)
				t.Errorf("sequence %d, made shorter:\n%v%v", seed, s, x)
			}
		})
		t.Logf("in %d sequences the real server did not always do the same", racy.Load())
		if last-first+1 >= servers.EnoughSequences && !t.Failed() {
			t.Log(met)
			met.checkEdges(t)
		}
	})
}

func newModel() side { return &model{} }

// The simulated server answers what the real one answers when clients reach it over the network, as
// workers do.
func TestConformanceOfTheProtocol(t *testing.T) {
	server := startReal(t, realSettings()...)
	forEach(t, server, func() side { return &wired{} }, sortedKeys(handWritten()), func(p *pair, name string) {
		p.compare(t, name, parse(t, handWritten()[name]))
	})
}

// The rules that the tests of the engine state hold for the real server too.
func TestConformanceOfTheRules(t *testing.T) {
	files, err := filepath.Glob("engine/testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("there are no rules: %v", err)
	}
	rules := map[string]sequence{}
	for _, file := range files {
		for rule := range strings.SplitSeq("\n"+source(t, file), "\n# ") {
			if name, text, _ := strings.Cut(rule, "\n"); name != "" {
				if s := parseRule(text); s != nil {
					rules[filepath.Base(file)+": "+name] = s
				}
			}
		}
	}
	forEach(t, startReal(t, realSettings()...), newModel, sortedKeys(rules), func(p *pair, name string) {
		p.compare(t, name, rules[name])
	})
}

// parseRule returns the steps of a rule of the engine; nil if it needs more than a client can do. A
// statement with the comment "simulated" is left out: it differs.
func parseRule(text string) sequence {
	var s sequence
	for line := range strings.Lines(text) {
		who, what, isStep := strings.Cut(strings.TrimRight(line, "\n"), "> ")
		switch {
		case !isStep || len(who) > 1 || strings.HasPrefix(line, " "):
		case who == "" && !strings.HasPrefix(what, `\holders`) && !strings.HasPrefix(what, `\rows`), what == `\group`:
			return nil
		case who == "", what == `\status`, what == `\blockers`, strings.HasSuffix(what, "-- simulated"):
		default:
			s = append(s, step{session: string('a' + who[0] - '1'), rest: ':', text: what})
		}
	}
	return s
}
