package scenarios

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/lock/conditional"
	"lockquake/sim/backend"
	dynamodbfamily "lockquake/sim/dynamodb/family"
	etcdfamily "lockquake/sim/etcd/family"
	kubernetesfamily "lockquake/sim/kubernetes/family"
	postgresfamily "lockquake/sim/postgres/family"
	redisfamily "lockquake/sim/redis/family"
	zookeeperfamily "lockquake/sim/zookeeper/family"
)

// Families lists the families of lock servers. A strategy that names no family has the servers of the first one; strategies without a lock send them no requests. The list is always the same one, and never changes.
func Families() []backend.Family { return allFamilies() }

// allFamilies makes the list once: to make all strategies takes longer than the rest of the validation of
// a scenario, which asks for them several times.
//
//nolint:gochecknoglobals // it never changes
var allFamilies = sync.OnceValue(func() []backend.Family {
	return []backend.Family{
		redisfamily.Family(),
		postgresfamily.Family(),
		etcdfamily.Family(),
		zookeeperfamily.Family(),
		dynamodbfamily.Family(),
		kubernetesfamily.Family(),
	}
})

// DatabaseFamily returns the first family whose servers can have the protected resource.
func DatabaseFamily() (*backend.Family, error) {
	families := allFamilies()
	for i := range families {
		if _, ok := families[i].Prototype.(backend.Database); ok {
			return &families[i], nil
		}
	}
	return nil, errors.New("no family of servers has a database")
}

// FamilyOf returns the family of the servers of a strategy.
func FamilyOf(e lock.Entry) (*backend.Family, error) {
	families := allFamilies()
	if e.Family == "" {
		return &families[0], nil
	}
	var names []string
	for i := range families {
		if families[i].Name == e.Family {
			return &families[i], nil
		}
		names = append(names, families[i].Name)
	}
	return nil, fmt.Errorf("%s: %s", e.Name, strictyaml.Unknown("family of lock servers", e.Family, names))
}

// Strategies lists the strategies without a lock and those of all families, simplest first. The list is
// always the same one, and never changes.
func Strategies() []lock.Entry { return allStrategies() }

//nolint:gochecknoglobals // it never changes
var allStrategies = sync.OnceValue(func() []lock.Entry {
	all := append([]lock.Entry{lock.None()}, conditional.Strategies()...)
	for _, family := range Families() {
		for _, e := range family.Strategies {
			e.Family = family.Name
			all = append(all, e)
		}
	}
	for i := range all {
		all[i].Topology.Nodes = max(all[i].Topology.Nodes, 1)
	}
	return slices.Clip(all)
})

// Parts lists the parts of the locks of all families. A part of several families is listed
// once, with the ways of all of them.
func Parts() []lock.Part {
	var parts []lock.Part
	for _, family := range Families() {
		for _, p := range family.Parts {
			i := slices.IndexFunc(parts, func(q lock.Part) bool { return q.Name == p.Name })
			if i < 0 {
				i, parts = len(parts), append(parts, p)
			} else {
				parts[i].Ways = slices.Concat(parts[i].Ways, missing(parts[i], p))
			}
			parts[i].Families = append(parts[i].Families, family.Name)
		}
	}
	return parts
}

// missing returns the ways of b that a does not have.
func missing(a, b lock.Part) []lock.Way {
	return slices.DeleteFunc(slices.Clone(b.Ways), func(w lock.Way) bool { return slices.Contains(a.WayNames(), w.Name) })
}

// tasks lists the tasks that the locks run beside the worker's own.
func tasks() []string {
	var tasks []string
	for _, family := range Families() {
		for _, task := range family.Tasks {
			if !slices.Contains(tasks, task) {
				tasks = append(tasks, task)
			}
		}
	}
	return tasks
}

// The names of the extensions that hold the keys of the families.
const (
	familyKeys = "families" // of Scenario, Strategy and Each
	serverKeys = "servers"  // of Servers
)

// extensions returns the structs with the keys of the families.
func extensions() strictyaml.Extensions {
	x := strictyaml.Extensions{}
	for _, family := range Families() {
		if family.Settings != nil {
			x[familyKeys] = append(x[familyKeys], reflect.TypeOf(family.Settings))
		}
		if family.ServerSettings != nil {
			x[serverKeys] = append(x[serverKeys], reflect.TypeOf(family.ServerSettings))
		}
	}
	return x
}

// Caches creates the cache of each family, by its name. A cache is kept from run to run.
func Caches() map[string]any {
	caches := map[string]any{}
	for _, family := range Families() {
		if family.NewCache != nil {
			caches[family.Name] = family.NewCache()
		}
	}
	return caches
}

// operations lists the operations of all families.
func operations() []string {
	var all []string
	for _, family := range Families() {
		all = append(all, family.Operations...)
	}
	return all
}

// isCommand reports whether servers of some family have a command of this name.
func isCommand(name string) bool {
	return slices.ContainsFunc(Families(), func(family backend.Family) bool { return family.Command != nil && family.Command(name) })
}

// FamilySettings returns the family's settings for one use of a strategy and one worker, "" for no
// particular one. The worker's settings override those of this use, which override those of the
// scenario.
func (s *Scenario) FamilySettings(use Strategy, worker string) strictyaml.Extension {
	return s.Families.Under(use.Families).Under(s.EachOf(worker).Families)
}

// servedUses checks that every strategy has servers, and that a use sets only keys of the families
// that its strategies and their data use.
func (v *validator) servedUses() error {
	own := map[string][]string{} // families by the path of a use, which may be a pattern
	for i, use := range v.Strategies {
		family, err := FamilyOf(v.known.entries[use.Name])
		if err != nil {
			return v.at.Errorf(v.uses[i], "%v", err)
		}
		own[v.uses[i]] = append(own[v.uses[i]], v.familiesOf(family, use)...)
	}
	for i, use := range v.Strategies {
		at := v.uses[i]
		for _, other := range Families() {
			if slices.Contains(own[at], other.Name) {
				continue
			}
			for _, key := range slices.Concat(keysIn(at, other.Settings), keysIn(at+".servers", other.ServerSettings)) {
				if v.at.Has(key) {
					return v.at.KeyErrorf(key, "%s is about servers of %s, and %s uses those of %s", key, other.Name, use.Name, own[at][0])
				}
			}
		}
	}
	return nil
}

// familiesOf lists the families whose servers a use has: that of its lock, and that of the database with
// its data.
func (v *validator) familiesOf(own *backend.Family, use Strategy) []string {
	names := []string{own.Name}
	if database, err := DatabaseFamily(); err == nil && v.HomeOf(v.known.entries[use.Name], use) == HomeDatabase {
		names = append(names, database.Name)
	}
	return names
}

// unusedFamilies warns of settings of the scenario that none of its strategies has. They are no error,
// since other strategies can be run in it.
func (v *validator) unusedFamilies() {
	if len(v.Own) > 0 {
		return
	}
	var used []string
	for _, use := range v.Strategies {
		if family, err := FamilyOf(v.known.entries[use.Name]); err == nil {
			used = append(used, v.familiesOf(family, use)...)
		}
	}
	for _, f := range Families() {
		if slices.Contains(used, f.Name) {
			continue
		}
		for _, key := range slices.Concat(keysIn("", f.Settings), keysIn("servers", f.ServerSettings)) {
			if key = strings.TrimPrefix(key, "."); v.at.Has(key) {
				v.warn(fmt.Sprintf("no strategy has servers of %s", f.Name), key)
			}
		}
	}
	for _, part := range Parts() {
		inUse := func(use Strategy) bool {
			return slices.ContainsFunc(v.partsOf(use), func(p lock.Part) bool { return p.Name == part.Name })
		}
		if v.Lock.Has(part.Name) && !slices.ContainsFunc(v.Strategies, inUse) {
			v.warn("no strategy has this part", "lock."+part.Name)
		}
	}
}

// keysIn lists the paths of the keys that a struct, which may be nil, has in a map.
func keysIn(at string, settings any) []string {
	if settings == nil {
		return nil
	}
	var keys []string
	for field := range reflect.TypeOf(settings).Fields() {
		keys = append(keys, at+"."+field.Tag.Get("yaml"))
	}
	return keys
}
