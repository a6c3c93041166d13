package command

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/lock"
	"lockquake/lock/locks"
)

// referenceStrategies writes the locks, and what they are put together from.
func referenceStrategies(b *strings.Builder) error {
	fmt.Fprintf(b, "A strategy is a preset: a recipe put together from [parts](#parts) and numbers. A scenario can set each of\n"+
		"them, as in `lock: {release: plain}`. A sound strategy claims that groups of checks hold under classes of faults;\n"+
		"`redis-matrix` holds it to that. A flawed one keeps a flaw that people have published, and claims nothing.\n\n"+
		"The groups are: corruption (%s), fencing, told, and service (%s).\n"+
		"A fenced strategy makes its claim with a resource whose policy is `reads-writes`.\n\n",
		checksAbout(checker.Corruption), checksAbout(checker.Service))
	entries := locks.Catalogue()
	for _, e := range entries {
		referenceStrategy(b, e, entries)
	}
	b.WriteString("## Parts\n\n")
	for _, part := range lock.Parts() {
		fmt.Fprintf(b, "### %s\n\n", part.Name)
		for _, way := range part.Ways {
			doc, ok := referenceWays()[part.Name][way]
			if !ok {
				return fmt.Errorf("the way %q of the part %s has no words in referencelock.go", way, part.Name)
			}
			fmt.Fprintf(b, "- `%s`: %s\n", way, doc)
		}
		b.WriteByte('\n')
	}
	b.WriteString("## Profiles\n\nNumbers that people use together. `lock: {profile: cache}` sets these; keys beside it win.\n\n" +
		"| profile | ttl | attempts | delay, doubling | renew |\n|---|---|---|---|---|\n")
	for _, p := range lock.Profiles() {
		fmt.Fprintf(b, "| `%s` | %v | %d | %v | %v |\n", p.Name, p.TTL, p.Attempts, p.Delay, p.Renew)
	}
	return nil
}

// checksAbout names the checks of a group of claims: those about something, without
// told, which is a group of its own.
func checksAbout(what checker.Concern) string {
	return strings.Join(checker.NamesOf(func(c checker.Check) bool { return c.About == what && c.Name != "told" }), ", ")
}

func referenceStrategy(b *strings.Builder, e lock.Entry, all []lock.Entry) {
	doc := referenceSentence(e.Doc)
	first, _, _ := strings.Cut(e.Doc, ",")
	first, _, _ = strings.Cut(first, " ")
	if slices.ContainsFunc(all, func(o lock.Entry) bool { return o.Name == first }) && first != "none" {
		doc = "`" + first + "`" + strings.TrimPrefix(e.Doc, first) + "."
	}
	fmt.Fprintf(b, "## %s\n\n%s\n\n", e.Name, doc)
	kind := "sound"
	if e.Flawed {
		kind = "flawed"
	}
	fmt.Fprintf(b, "- %s; fence: %s; servers: %s\n", kind, e.FenceKind(), referenceServers(e.Topology))
	if e.Tells {
		b.WriteString("- promises to tell its holder of a loss while the work goes on\n")
	}
	base := "redis"
	if strings.HasPrefix(e.Name, "redlock-") {
		base = "redlock"
	}
	if i := slices.IndexFunc(all, func(o lock.Entry) bool { return o.Name == base }); e.Name != base && e.Name != "none" {
		if changed := referenceChanges("", reflect.ValueOf(all[i].Defaults), reflect.ValueOf(e.Defaults)); changed != nil {
			fmt.Fprintf(b, "- differs from `%s` by: %s\n", base, referenceCode(changed))
		}
	}
	for _, group := range []struct {
		name    string
		classes []lock.Class
	}{
		{"no corruption", e.Claims.Corruption}, {"sound fencing", e.Claims.Fencing}, {"to tell of a loss", e.Claims.Told}, {"sound service", e.Claims.Service},
	} {
		var words []string
		for _, c := range group.classes {
			words = append(words, c.String())
		}
		if words != nil {
			fmt.Fprintf(b, "- claims %s under %s\n", group.name, strings.Join(words, ", "))
		}
	}
	if e.Claims.Also != "" {
		fmt.Fprintf(b, "- claims %s\n", e.Claims.Also)
	}
	b.WriteByte('\n')
}

func referenceServers(t lock.Topology) string {
	text := "1"
	if t.Nodes > 1 {
		text = fmt.Sprintf("%d, a quorum is %d", t.Nodes, t.Quorum())
	}
	if t.Replicas > 0 {
		text += fmt.Sprintf(", with %d replica", t.Replicas)
	}
	if t.DelayedRestart {
		text += ", which stay silent for the longest TTL after a restart"
	}
	return text
}

// referenceChanges lists the keys that differ, with what the second has.
func referenceChanges(path string, base, changed reflect.Value) []string {
	var list []string
	for i := range base.NumField() {
		key, now := path+base.Type().Field(i).Tag.Get("yaml"), changed.Field(i)
		switch {
		case now.Kind() == reflect.Struct:
			list = append(list, referenceChanges(key+".", base.Field(i), now)...)
		case !now.Equal(base.Field(i)):
			list = append(list, key+": "+referenceValue(now))
		}
	}
	return list
}

// referenceWays says what each way of each part means.
func referenceWays() map[string]map[string]string {
	return map[string]map[string]string{
		"owner": {
			"random":   "a value of 128 random bits for every attempt",
			"call":     "128 random bits for all attempts of one call",
			"instance": "one random value for each client, so for all workers of a process",
			"weak":     "process number and millisecond, which two containers can have in common",
			"constant": "one value for everybody",
		},
		"take": {
			"atomic":       "`SET` with `NX` and `PX`",
			"get-set":      "`GET`, and `SET` if there was nothing",
			"no-expiry":    "`SET` with `NX` and no expiry",
			"setnx-expire": "`SETNX`, and `PEXPIRE` after it",
		},
		"fence": {
			"none":       "no token",
			"in-script":  "the script that grants counts it up, for winners only",
			"incr-first": "that script counts before it tries, so losers use up numbers",
			"split":      "a command of its own counts it up, before the acquire",
			"published":  "a script that compares a table with `OK`, and answers nil after a `SET` that took effect",
		},
		"check": {
			"none":  "no look before a write",
			"clock": "compares the holder's monotonic clock with the end of its lease",
		},
		"renewal": {
			"none":        "no renewal",
			"watchdog":    "a task renews; the holder is told of a loss, and its work is stopped",
			"deaf":        "refused, it stops to renew, and tells nobody",
			"late-flag":   "a refusal or one error sets a flag that is read when the work has ended",
			"overlap":     "the timer does not wait for the last renewal, nor the release for any",
			"recreate":    "a renewal that finds no key sets it again",
			"same-thread": "the worker renews by itself, between two steps of its work",
			"crash":       "as watchdog, and an error of one renewal ends the process",
			"racy":        "begun by a callback that may come after the one that stops it",
			"late":        "counted from the return of the acquire, and nothing watches the end",
			"zombie":      "one that is under way at the release goes on, with whatever its locker holds then",
		},
		"release": {
			"compare":         "compare-and-delete; somebody else's value is reported as lost",
			"plain":           "`DEL`, whatever its owner",
			"ignored":         "compare-and-delete, and somebody else's value is reported as success; so is any answer of a quorum",
			"never":           "a call that always fails, and whose error is swallowed",
			"skip-on-fail":    "none when the work has failed",
			"masks":           "an error of the release takes the place of the result of the work",
			"callers-context": "sent under the caller's context: nothing is sent if that has ended, and the key stays until its lease ends",
		},
		"unknown": {
			"clean-up": "compare-and-delete, and reported as unknown",
			"refused":  "taken for a refusal, and the value is forgotten",
			"resend":   "sent again, up to 3 times, and a refusal of that is believed",
		},
		"refused": {
			"stop": "the work does not run",
			"run":  "the work runs all the same",
		},
		"validity": {
			"monotonic": "by the holder's monotonic clock, from before the first request of the attempt",
			"wall":      "by its wall clock, which may jump",
			"none":      "a quorum is enough, whenever it came",
		},
		"vote": {
			"granted":  "grants make a quorum",
			"answered": "a refusal counts too, since it is no error",
		},
		"waiting": {
			"poll":           "the pause that `retry` says",
			"message":        "a message that the key was given back, for `fallback` at most; of one server only",
			"message-shared": "`message`, over one connection for all waiters of a process: who stops listening ends it for all",
		},
		"reaper": {
			"none":      "nobody",
			"live-list": "every worker deletes a lock whose owner is not in a list that it was entered in once, for 5 s",
		},
	}
}
