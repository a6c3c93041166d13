// Package locks lists the strategies of every family of lock servers.
//
// A family is one line here, and a package under lock. [Catalogue], [Parts] and [Tasks]
// put together what the families have.
package locks

import (
	"slices"

	"lockquake/lock"
	"lockquake/lock/redis"
)

// families lists the families of lock servers. An entry that names no family belongs
// to the first.
func families() []lock.Family {
	return []lock.Family{
		redis.Family(),
	}
}

// Catalogue lists the strategies, simplest first.
func Catalogue() []lock.Entry {
	entries := []lock.Entry{lock.None()}
	for _, family := range families() {
		for _, e := range family.Strategies {
			e.Family = family.Name
			entries = append(entries, e)
		}
	}
	for i := range entries {
		entries[i].Topology.Nodes = max(entries[i].Topology.Nodes, 1)
	}
	return entries
}

// FamilyOf returns the name of the family that an entry belongs to.
func FamilyOf(e lock.Entry) string {
	if e.Family == "" {
		return families()[0].Name
	}
	return e.Family
}

// Parts lists the parts of all families. A part that several families have is one, with
// the ways of all of them.
func Parts() []lock.Part {
	var parts []lock.Part
	for _, family := range families() {
		for _, p := range family.Parts {
			i := slices.IndexFunc(parts, func(q lock.Part) bool { return q.Name == p.Name })
			if i < 0 {
				parts = append(parts, p)
				i = len(parts) - 1
			} else {
				parts[i].Ways = append(parts[i].Ways, missing(parts[i], p)...)
			}
			parts[i].Families = append(parts[i].Families, family.Name)
		}
	}
	return parts
}

// missing returns the ways of b that a has not.
func missing(a, b lock.Part) []lock.Way {
	return slices.DeleteFunc(b.Ways, func(w lock.Way) bool { return slices.Contains(a.WayNames(), w.Name) })
}

// PartsOf lists the parts of one family, with the ways that it has.
func PartsOf(name string) []lock.Part {
	for _, family := range families() {
		if family.Name == name {
			return family.Parts
		}
	}
	return nil
}

// Tasks lists the tasks that the locks of the catalogue run beside the worker's
// own.
func Tasks() []string {
	var tasks []string
	for _, family := range families() {
		tasks = append(tasks, family.Tasks...)
	}
	return tasks
}
