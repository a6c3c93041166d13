package advise

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"lockquake/internal/strictyaml"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/sim/resource"
)

// Question asks for one input. Its name is that of the flag.
type Question struct {
	Name  string
	Asks  string   // on a terminal
	Doc   string   // of the flag
	Words []string // its values; nil for any
	// Instead has what to answer for words that are none of its values, by word.
	Instead map[string]string
	// Skip: the inputs so far leave no choice. nil: never.
	Skip func(in *Inputs) bool
	// Default returns the value that is assumed unless one is given.
	Default func(in *Inputs) string
	set     func(in *Inputs, text string) error
}

// Answer sets the input. Given is false for a default.
func (q Question) Answer(in *Inputs, text string, given bool) error {
	text = strings.TrimSpace(text)
	if q.Words != nil && !slices.Contains(q.Words, text) {
		if use := q.Instead[strings.TrimPrefix(text, "redis-")]; use != "" {
			return fmt.Errorf("%s is none of the choices: %s", text, use)
		}
		return errors.New(strictyaml.Unknown(q.Name, text, q.Words))
	}
	if err := q.set(in, text); err != nil {
		return err
	}
	if given {
		in.given = append(in.given, q.Name)
	} else {
		in.Assumed = append(in.Assumed, "--"+q.Name+" "+scenarios.Word(text))
	}
	return nil
}

// Questions lists the questions in the order in which they are asked: a default may follow from the
// answers before it.
func Questions() []Question {
	return []Question{
		topologyQuestion(), lockQuestion(), releaseQuestion(), renewQuestion(), ttlQuestion(),
		spreadQuestion("work", "How long does a job take under the lock?", "how long a job takes under the lock, such as 10m", "1s", func(in *Inputs) *Spread { return &in.Work }, false),
		looksQuestion(),
		spreadQuestion("pauses", "How long are the pauses of a process (collections, throttling, page faults)?",
			`pauses of a process: "up to 3s", "p50 50ms, p99 3s, every 1m", a file of durations, none`, "p50 50ms, p99 1s", func(in *Inputs) *Spread { return &in.Pauses }, true),
		spreadQuestion("latency", "How long is a message under way?", `how long a message is under way in each direction, such as "p99 50ms"`, "p99 10ms", func(in *Inputs) *Spread { return &in.Latency }, false),
		fenceQuestion(),
	}
}

func topologyQuestion() Question {
	var names []string
	for _, t := range topologies() {
		names = append(names, string(t.name))
	}
	return Question{
		Name: "topology", Asks: "Which servers does the lock run on (" + strings.Join(names, ", ") + ")?", Doc: "servers of the lock: " + strings.Join(names, ", "), Words: names,
		Default: func(in *Inputs) string {
			name := in.Lock
			if l, ok := in.libraryOf(name); ok {
				name = l.Preset
			}
			if e, ok := in.entry(name); ok {
				return string(topologyOf(e))
			}
			return string(One)
		},
		Instead: instead(),
		set: func(in *Inputs, text string) error {
			in.Topology = Topology(text)
			return nil
		},
	}
}

// instead maps names of servers that are no topology to what to use.
func instead() map[string]string {
	failover := "use failover, a primary with one replica that takes over after a fixed time; how %s decides is not simulated"
	return map[string]string{
		"sentinel": fmt.Sprintf(failover, "Sentinel"),
		"cluster":  "a lock has one key, which one shard of a cluster holds: " + fmt.Sprintf(failover, "Redis Cluster"),
		"replica":  "use failover, if the replica takes over; else one",
		"single":   "use one",
		"postgres": "use database",
		"mysql":    "MySQL is not simulated; database is PostgreSQL, whose locks differ",
	}
}

func lockQuestion() Question {
	return Question{
		Name: "lock", Asks: "Which lock?", Doc: "the lock: a strategy of list strategies, or a library of list libraries (default: the usual one of the topology)",
		Default: func(in *Inputs) string { return in.Topology.describe().usual },
		set:     func(in *Inputs, text string) error { return in.setLock(text) },
	}
}

// releases lists the ways of the part release of a Redis lock.
func releases() []string {
	return []string{"compare", "plain", "ignored", "never", "skip-on-fail", "masks", "callers-context"}
}

func releaseQuestion() Question {
	words := append([]string{"lua"}, releases()...)
	return Question{
		Name: "release", Asks: "How is it released: lua (compare-and-delete) or plain (DEL)?", Doc: "how the lock is released: lua (compare-and-delete), plain (DEL), or another way of the part release", Words: words,
		Skip: func(in *Inputs) bool { return !in.releases() },
		Default: func(in *Inputs) string {
			e := in.mine()
			if way := e.Defaults.Parts["release"]; way != "compare" {
				return way
			}
			return "lua"
		},
		set: func(in *Inputs, text string) error {
			in.Release = strings.Replace(text, "lua", "compare", 1)
			return nil
		},
	}
}

func renewQuestion() Question {
	return Question{
		Name: "renew", Asks: "Is the lease renewed while the job runs: none, watchdog (after a third of the TTL), or an interval?",
		Doc:  "how the lease is renewed: none, watchdog (after a third of the TTL), or an interval such as 10s",
		Skip: func(in *Inputs) bool { return !in.renewable() },
		Default: func(in *Inputs) string {
			switch e := in.mine(); {
			case !e.Defaults.Renews():
				return "none"
			case e.Defaults.Renew > 0:
				return e.Defaults.Renew.String()
			}
			return "watchdog"
		},
		set: func(in *Inputs, text string) error {
			switch text {
			case "none":
				in.Renewal = Renewal{}
				return nil
			case "watchdog":
				in.Renewal = Renewal{On: true}
				return nil
			}
			period, err := time.ParseDuration(text)
			if err != nil {
				return errors.New(strictyaml.Unknown("renewal", text, []string{"none", "watchdog", "an interval such as 10s"}))
			}
			in.Renewal = Renewal{true, period}
			return within("the interval", period, time.Millisecond)
		},
	}
}

func ttlQuestion() Question {
	return Question{
		Name: "ttl", Asks: "How long is the lease (TTL; ? to search for the smallest)?", Doc: "TTL of the lease, or ? to search for the smallest",
		Skip: func(in *Inputs) bool { return !in.leased() },
		Default: func(in *Inputs) string {
			e := in.mine()
			return e.Defaults.TTL.String()
		},
		set: func(in *Inputs, text string) error {
			if in.TTL = 0; text == "?" {
				return nil
			}
			ttl, err := time.ParseDuration(text)
			if err != nil {
				return fmt.Errorf("%q is neither a duration like 30s nor ?", text)
			}
			in.TTL = ttl
			if err := within("the TTL", ttl, 10*time.Millisecond); err != nil {
				return err
			}
			return in.refuses(ttl)
		},
	}
}

// longest is the largest duration of an input.
const longest = 30 * 24 * time.Hour

// mostPauses is the largest number of pauses of a worker in a run. It is half the bound of package faults, which counts by
// the median of the intervals.
const mostPauses = 50_000

// within returns an error for a duration that is too short or too long.
func within(what string, d, least time.Duration) error {
	if d < least || d > longest {
		return fmt.Errorf("%s is between %v and %v, not %v", what, least, longest, d)
	}
	return nil
}

func looksQuestion() Question {
	words := []string{"never", "before-writes", "always"}
	return Question{
		Name: "looks", Asks: "Does the work check its context, which a lost lock cancels: never, before-writes, or always?",
		Doc: "when the work checks its context: never, before-writes, always", Words: words,
		Default: func(*Inputs) string { return words[0] },
		set: func(in *Inputs, text string) error {
			in.Looks = map[string]results.Heeds{"never": results.HeedsNever, "before-writes": results.HeedsBeforeWrite, "always": results.HeedsAlways}[text]
			return nil
		},
	}
}

// spreadQuestion asks for a distribution. Recurs: it can say how often what it measures happens.
func spreadQuestion(name, asks, doc, usual string, of func(in *Inputs) *Spread, recurs bool) Question {
	return Question{
		Name: name, Asks: asks, Doc: doc,
		Default: func(*Inputs) string { return usual },
		set: func(in *Inputs, text string) error {
			s, err := ParseSpread(text)
			if err != nil {
				return err
			}
			if s.Every > 0 && !recurs {
				return fmt.Errorf("%s has no \"every\", which says how often pauses come", name)
			}
			*of(in) = s
			if s.Assumed != "" {
				in.Assumed = append(in.Assumed, name+": "+s.Assumed)
			}
			if w := in.world(); s.Every > 0 && s.Every < w.duration/mostPauses {
				return fmt.Errorf("a pause every %s is too often: a run takes %s, and has at most %d of them", brief(s.Every), brief(w.duration), mostPauses)
			}
			return within(name, s.long(), 0)
		},
	}
}

func fenceQuestion() Question {
	return Question{
		Name: "fence", Asks: "Can the resource check a fencing token: no, on writes, or on reads-writes?",
		Doc: "whether the resource can check a fencing token: no, writes, reads-writes", Words: []string{"no", "writes", "reads-writes"},
		Default: func(*Inputs) string { return "no" },
		set: func(in *Inputs, text string) error {
			in.Fence = map[string]resource.Policy{"no": resource.Off, "writes": resource.Writes, "reads-writes": resource.ReadsWrites}[text]
			return nil
		},
	}
}
