package advise

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/sim/resource"
)

// workers is the number of workers: with two, each job that the lock lets overlap is one of the other.
const workers = 2

// Scenario writes the scenario of the inputs and reads it. Path is where it will be: files of samples
// are named relative to it. Program is the command that repeats a run, as in [scenarios.Scenario].
func (in *Inputs) Scenario(path, program string) (*scenarios.Scenario, error) {
	s, err := scenarios.Parse(path, marked(in.text(path, program)), in.Own...)
	if err != nil {
		return nil, err
	}
	s.Program = program
	return s, s.Fits()
}

// text returns the text of the file.
func (in *Inputs) text(path, program string) string {
	w, all, dir := in.world(), in.candidates(), filepath.Dir(path)
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n#\n", in.Describe())
	b.WriteString("# Change the values that do not fit your system, and run it:\n")
	fmt.Fprintf(&b, "#   %s run %s\n", program, scenarios.Word(path))
	b.WriteString("# Not given, and assumed:\n")
	for _, assumed := range in.assumptions(dir) {
		fmt.Fprintf(&b, "#   %s\n", assumed)
	}
	fmt.Fprintf(&b, "name: advice\ndescription: a lock in question and its neighbours, under each kind of fault\n\n")
	fmt.Fprintf(&b, "duration: %s   # virtual: at least %d jobs and %d leases\nseeds: %d\nworkers: %d\n", brief(w.duration), jobs, leases, mostSeeds, workers)
	fmt.Fprintf(&b, "step: %s   # how long a step of a worker takes, such as from its check of the clock to its write\n\n", brief(step))
	fmt.Fprintf(&b, "# A job reads a counter, works, and writes it. It does not read again before it writes.\n")
	fmt.Fprintf(&b, "workload: {kind: counter, hold: %s, think: %s, heeds: %s, writes: 1}\n", in.Work.text(dir), brief(w.think), in.Looks)
	fmt.Fprintf(&b, "network: {latency: %s}\n", in.Latency.text(dir))
	b.WriteString(in.lockText(w))
	in.serversText(&b, w, dir, all)
	if in.Topology == Database {
		b.WriteString("resource: {in: database}   # the data is in the database of the lock\n")
	}
	b.WriteString("\nstrategies:\n")
	for _, c := range all {
		b.WriteString(comment("  ", c.what) + in.useText(c))
	}
	b.WriteString("\n# One kind of fault a case. no-fault is the case without them.\nno-fault: true\nfaults:\n")
	for _, c := range used(in.causes(dir), all) {
		b.WriteString(comment("  ", c.about) + c.text() + "\n")
	}
	fmt.Fprintf(&b, "\nchecks: [%s]\n", strings.Join(checks(), ", "))
	b.WriteString("# Only the lock in question is judged. The others are compared with it.\nexpect:\n")
	for _, p := range in.pairs(dir) {
		if p.candidate.label == yours {
			fmt.Fprintf(&b, "  %s: {holds: [%s]}\n", p.label(), strings.Join(checks(), ", "))
		}
	}
	return b.String()
}

// checks lists the checks that judge a run.
func checks() []string {
	return []string{"linearizable", "lost-update", "exclusion", "recovery", "progress"}
}

// lockText returns the settings of all locks.
func (in *Inputs) lockText(w world) string {
	var settings []string
	if in.leased() {
		settings = append(settings, "ttl: "+brief(in.ttl()))
	}
	if in.Renewal.On && in.Renewal.Period > 0 {
		settings = append(settings, "renew: "+brief(in.Renewal.Period))
	}
	settings = append(settings, "max-hold: 0s", fmt.Sprintf("retry: {attempts: unlimited, delay: %s, jitter: %s}", brief(w.retry), brief(round(w.retry/2))))
	text := "lock: {" + strings.Join(settings, ", ") + "}   # max-hold 0s: renewed as long as the job takes\n"
	if in.Renewal.Period > 0 {
		text = "# renew: of your lock. Another lock has renew 0s, its usual share of the lease.\n" + text
	}
	return text
}

// serversText writes the settings of the servers.
func (in *Inputs) serversText(b *strings.Builder, w world, dir string, all []candidate) {
	if in.Topology == Failover {
		b.WriteString("# lag: until a write has reached the replica; assumed to be the latency. failover: from the crash to the\n# promotion; Sentinel waits 30s by default before it begins one (down-after-milliseconds).\n")
		fmt.Fprintf(b, "servers: {lag: %s, failover: %s, persistence: none}\n", in.Latency.text(dir), brief(w.failover))
	} else if slices.ContainsFunc(all, in.onRedis) {
		b.WriteString("servers: {persistence: none}   # what a Redis server keeps through a crash\n")
	}
	if slices.ContainsFunc(all, func(c candidate) bool { return in.familyOf(c.strategy) == "dynamodb" }) {
		b.WriteString("dynamodb: {request-timeout: 1s}   # the SDK has none by default: a request to a server that is cut off waits for ever\n")
	}
}

// onRedis reports whether a candidate runs on Redis servers.
func (in *Inputs) onRedis(c candidate) bool { return onRedis(in.familyOf(c.strategy)) }

// familyOf returns the family of servers of a strategy.
func (in *Inputs) familyOf(strategy string) string {
	e, _ := in.entry(strategy)
	return e.Family
}

// onRedis reports whether a family is that of the Redis servers.
func onRedis(family string) bool { return family == "" || family == "redis" }

// useText returns the entry of a candidate.
func (in *Inputs) useText(c candidate) string {
	var settings []string
	if len(c.lock) > 0 {
		settings = append(settings, "lock: {"+strings.Join(c.lock, ", ")+"}")
	}
	if c.looks != "" {
		settings = append(settings, fmt.Sprintf("workload: {heeds: %s}", c.looks))
	}
	if c.fence != resource.Off && c.fence != "" {
		settings = append(settings, fmt.Sprintf("resource: {fence: %s}", c.fence))
	}
	if c.replica {
		settings = append(settings, "servers: {replicas: 1}")
	}
	if len(settings) == 0 && c.label == c.strategy {
		return "  - " + c.strategy + "\n"
	}
	head := []string{"name: " + cmp.Or(c.library, c.strategy)}
	if c.label != c.strategy {
		head = append(head, fmt.Sprintf("label: %q", c.label))
	}
	return "  - {" + strings.Join(append(head, settings...), ", ") + "}\n"
}

// pair is a candidate under one cause.
type pair struct {
	candidate candidate
	cause     string
}

func (p pair) label() string { return p.candidate.label + " under " + p.cause }

// pairs lists the candidates under each cause that can hit them.
func (in *Inputs) pairs(dir string) []pair {
	var all []pair
	causes := in.causes(dir)
	for _, of := range in.candidates() {
		all = append(all, pair{of, results.NoFault})
		for _, c := range causes {
			if c.hits(of) {
				all = append(all, pair{of, c.name})
			}
		}
	}
	return all
}

// labelsOf returns the labels of pairs.
func labelsOf(pairs []pair) []string {
	var labels []string
	for _, p := range pairs {
		labels = append(labels, p.label())
	}
	return labels
}

// marker begins the first line of a file, which has the hash of the rest.
const marker = "# Written by lockquake advise: "

// marked returns a text with the marker.
func marked(text string) []byte {
	return fmt.Appendf(nil, "%s%.6x\n%s", marker, sha256.Sum256([]byte(text)), text)
}

// Untouched reports whether a file was written by this package and not changed since.
func Untouched(file []byte) bool {
	_, text, _ := strings.Cut(string(file), "\n")
	return string(file) == string(marked(text))
}
