// Package locks lists the strategies of every family of lock servers.
//
// [families] has a line for each family; [Catalogue] and [Tasks] put together what
// the families have.
package locks

import (
	"lockquake/lock"
	"lockquake/lock/redis"
)

// families lists the families of lock servers.
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
		entries[i].Claims = lock.ClaimsOf(entries[i].Name)
	}
	return entries
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
