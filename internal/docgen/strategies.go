package docgen

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/lock"
	"lockquake/scenarios"
)

// writeStrategies writes the locks and their parts.
func writeStrategies(b *strings.Builder) error {
	fmt.Fprintf(b, "A strategy is a preset of [parts](#parts) and numbers. A scenario can set each of them, as in\n"+
		"`lock: {release: plain}`. A strategy without a known bug claims that groups of checks hold under classes of\n"+
		"faults. The scenarios whose names end with `-matrix` verify these claims. A flawed strategy has a published bug,\n"+
		"and claims nothing.\n\n"+
		"The groups are: corruption (%s),\nfencing, told, and service (%s). The claims of a fenced strategy\n"+
		"require a resource with the policy `reads-writes`, and sections of a lock that use the same items: a token\n"+
		"protects each item by itself. No claim about `once` includes work that takes effect before it is marked as\n"+
		"done (cron, reminders, migration, charge): if the lease ends in between, the next holder does it again.\n\n",
		checksAbout(checker.Corruption), checksAbout(checker.Service))
	entries := scenarios.Strategies()
	for _, e := range entries {
		writeStrategy(b, e, entries)
	}
	b.WriteString("## Parts\n\n")
	for _, part := range scenarios.Parts() {
		fmt.Fprintf(b, "### %s\n\n%s\n\n", part.Name, sentence(part.Doc))
		for _, way := range part.Ways {
			flaw := ""
			if way.Flaw {
				flaw = " (a flaw)"
			}
			fmt.Fprintf(b, "- `%s`%s: %s\n", way.Name, flaw, way.Doc)
		}
		b.WriteByte('\n')
	}
	b.WriteString("## Profiles\n\nNumbers that are often used together. `lock: {profile: cache}` sets them; other keys override them.\n\n" +
		"| profile | ttl | attempts | delay, doubling | renew |\n|---|---|---|---|---|\n")
	for _, p := range lock.Profiles() {
		fmt.Fprintf(b, "| `%s` | %v | %d | %v | %v |\n", p.Name, p.TTL, p.Attempts, p.Delay, p.Renew)
	}
	return nil
}

// checksAbout lists the checks about a subject, without told, which has its own group of claims.
func checksAbout(what checker.Concern) string {
	return strings.Join(checker.NamesOf(func(c checker.Check) bool { return c.About == what && c.Name != "told" }), ", ")
}

// writeStrategy writes one lock with what it claims. All has the locks that its sentence
// may name.
func writeStrategy(b *strings.Builder, e lock.Entry, all []lock.Entry) {
	doc := sentence(e.Doc)
	first, _, _ := strings.Cut(e.Doc, ",")
	first, _, _ = strings.Cut(first, " ")
	if slices.ContainsFunc(all, func(o lock.Entry) bool { return o.Name == first }) && first != "none" {
		doc = "`" + first + "`" + strings.TrimPrefix(e.Doc, first) + "."
	}
	fmt.Fprintf(b, "## %s\n\n%s\n\n", e.Name, doc)
	kind := "no known bug"
	if e.Flawed {
		kind = "flawed"
	}
	if e.LockFree {
		fmt.Fprintf(b, "- %s; takes no lock, so checks of holders do not apply\n", kind)
	} else {
		fmt.Fprintf(b, "- %s; fence: %s; servers: %s\n", kind, e.FenceKind(), serversText(e.Topology))
	}
	if e.Keeps {
		b.WriteString("- an owner keeps its grant, so checks of grants do not apply\n")
	}
	if e.Shares {
		b.WriteString("- sections that only read can hold the lock at the same time\n")
	}
	if e.Permits {
		b.WriteString("- has permits: several sections can hold the lock at the same time\n")
	}
	if e.Reenters {
		b.WriteString("- its holder can lock it again inside a section\n")
	}
	if e.Several {
		b.WriteString("- locks several keys in one call\n")
	}
	for _, need := range e.Needs {
		fmt.Fprintf(b, "- needs %s\n", need)
	}
	if e.Tells {
		b.WriteString("- claims to tell its holder of a loss during the work\n")
	}
	writeDifferences(b, e, all)
	writeClaims(b, e.Claims)
	b.WriteByte('\n')
}

// writeDifferences prints the settings in which a strategy differs from the plain lock that it is based on.
func writeDifferences(b *strings.Builder, e lock.Entry, all []lock.Entry) {
	base := "redis"
	if strings.HasPrefix(e.Name, "redlock-") {
		base = "redlock"
	}
	if i := slices.IndexFunc(all, func(o lock.Entry) bool { return o.Name == base }); e.Name != base && e.Name != "none" && !e.LockFree {
		said, from := fmt.Sprintf("differs from `%s` by", base), all[i].Defaults
		if e.Family != all[i].Family { // whose locks have other parts
			said, from = "its defaults", lock.Params{}
		}
		if changed := changes("", reflect.ValueOf(from), reflect.ValueOf(e.Defaults)); changed != nil {
			fmt.Fprintf(b, "- %s: %s\n", said, code(changed))
		}
	}
}

// writeClaims prints the faults that a strategy claims to survive.
func writeClaims(b *strings.Builder, claims lock.Claims) {
	for _, group := range []struct {
		name    string
		classes []lock.Class
	}{
		{"no corruption", claims.Corruption}, {"correct fencing", claims.Fencing}, {"to tell of a loss", claims.Told}, {"correct service", claims.Service},
	} {
		var words []string
		for _, c := range group.classes {
			words = append(words, c.String())
		}
		if words != nil {
			fmt.Fprintf(b, "- claims %s under %s\n", group.name, strings.Join(words, ", "))
		}
	}
	if claims.Also != "" {
		fmt.Fprintf(b, "- claims %s\n", claims.Also)
	}
}

// serversText returns how many servers a lock needs.
func serversText(t lock.Topology) string {
	text := "1"
	if t.Nodes > 1 {
		text = fmt.Sprintf("%d, a quorum is %d", t.Nodes, t.Quorum())
	}
	if t.Members > 0 {
		text = fmt.Sprintf("%d members of one service", t.Members)
	}
	if t.Replicas > 0 {
		text += fmt.Sprintf(", with %d replica", t.Replicas)
	}
	if t.DelayedRestart {
		text += ", which stay silent for the longest TTL after a restart"
	}
	return text
}

// changes lists the keys that differ, with the values of the second.
func changes(path string, base, changed reflect.Value) []string {
	var list []string
	for i := range base.NumField() {
		key, now := path+base.Type().Field(i).Tag.Get("yaml"), changed.Field(i)
		switch {
		case key == path+"-": // no key of a file
		case now.Kind() == reflect.Map: // of parts
			for _, part := range scenarios.Parts() {
				name := reflect.ValueOf(part.Name)
				way, was := now.MapIndex(name), base.Field(i).MapIndex(name)
				if way.IsValid() && (!was.IsValid() || !way.Equal(was)) {
					list = append(list, part.Name+": "+way.String())
				}
			}
		case now.Kind() == reflect.Struct:
			list = append(list, changes(key+".", base.Field(i), now)...)
		case !now.Equal(base.Field(i)):
			list = append(list, key+": "+valueText(now))
		}
	}
	return list
}
