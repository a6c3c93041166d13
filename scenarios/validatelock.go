package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"lockquake/internal/strictyaml"
	"lockquake/lock"
)

// settings checks the parameters of locks and the settings of families in all parts of the file.
func (v *validator) settings() error {
	type place struct {
		at       string
		lock     *LockParams
		parts    []lock.Part // that the locks of the place can have
		families strictyaml.Extension
	}
	all := Parts()
	places := []place{{"", &v.Lock, all, v.Families}}
	for i := range v.Strategies {
		places = append(places, place{v.uses[i], &v.Strategies[i].Lock, v.partsOf(v.Strategies[i]), v.Strategies[i].Families})
	}
	for i := range v.Each {
		places = append(places, place{fmt.Sprintf("each[%d]", i), &v.Each[i].Lock, all, v.Each[i].Families})
	}
	for _, p := range places {
		if err := v.lock(strings.TrimPrefix(p.at+".lock", "."), p.lock, p.parts, all); err != nil {
			return err
		}
		if err := p.families.Judge(v.at, p.at); err != nil {
			return err
		}
	}
	return nil
}

// partsOf lists the parts that a use of a strategy can set: those of its family. A
// strategy that a call brings along, and the file only names, can have any.
func (v *validator) partsOf(use Strategy) []lock.Part {
	if entry, ok := v.known.entries[use.Name]; ok {
		if family, err := FamilyOf(entry); err == nil {
			return family.Parts
		}
	}
	return Parts()
}

// openKeys returns the keys of a lock section that name parts.
func openKeys(parts []lock.Part) map[reflect.Type][]string {
	var keys []string
	for _, part := range parts {
		keys = append(keys, part.Name)
	}
	return map[reflect.Type][]string{reflect.TypeFor[lock.Parts](): keys}
}

// lock judges a lock section. Parts are those that it can set, of all that there are.
func (v *validator) lock(at string, set *LockParams, parts, all []lock.Part) error {
	var p lock.Params
	set.Apply(&p)
	settings := []setting{
		v.durationSetting("ttl", p.TTL, time.Millisecond), // no server counts in less
		v.durationSetting("renew", p.Renew, 0),
		v.durationSetting("max-hold", p.MaxHold, 0),
		v.durationSetting("renew-deadline", p.RenewDeadline, 0),
		v.durationSetting("node-timeout", p.NodeTimeout, 0),
		v.durationSetting("lock-timeout", p.LockTimeout, 0),
		v.durationSetting("drift", p.Drift, 0),
		v.durationSetting("fallback", p.Fallback, 0),
		v.durationSetting("retry.delay", p.Retry.Delay, 0),
		v.durationSetting("retry.jitter", p.Retry.Jitter, 0),
	}
	settings = append(settings, v.countSettings(lockCounts(p))...)
	settings = append(settings, v.nameSetting("profile", "profile", p.Profile, profileNames()))
	for _, part := range all {
		i := slices.IndexFunc(parts, func(p lock.Part) bool { return p.Name == part.Name })
		if i < 0 {
			settings = append(settings, setting{part.Name, func(at string) error {
				return v.at.Errorf(at, "%s: no part of this strategy; it is of the locks on %s", at, strings.Join(part.Families, ", "))
			}})
			continue
		}
		settings = append(settings, v.nameSetting(part.Name, "way of "+part.Name, p.Parts[part.Name], parts[i].WayNames()))
	}
	return judgeSettings(at, set.Has, settings)
}

// mostTries is the highest limit of a job's claims.
const mostTries = 1_000_000

// lockCounts are the whole numbers of a lock with their bounds.
func lockCounts(p lock.Params) []count {
	return []count{{"wait", p.Wait, 0, 1}, {"tries", p.Tries, 1, mostTries}}
}

func profileNames() []string {
	var names []string
	for _, p := range lock.Profiles() {
		names = append(names, p.Name)
	}
	return names
}

// lockValues checks that each strategy can run with the values that its workers give it. They are in several parts of
// the file, so the error is at the last one that sets the wrong value, or the ttl that it depends on.
func (v *validator) lockValues() error {
	for i, use := range v.Strategies {
		entry, ok := v.known.entries[use.Name]
		if !ok || entry.Wrong == nil {
			continue
		}
		if err := v.lockValuesOf(entry, use, v.uses[i], "", ""); err != nil {
			return err
		}
		for j, e := range v.Each {
			if err := v.lockValuesOf(entry, use, v.uses[i], e.Worker, fmt.Sprintf("each[%d].", j)); err != nil {
				return err
			}
		}
	}
	return nil
}

// lockValuesOf checks the values of one worker, whose own are at a path with a dot at its end.
func (v *validator) lockValuesOf(entry lock.Entry, use Strategy, used, worker, own string) error {
	key, why := entry.Wrong(v.ParamsOf(entry.Defaults, use, worker))
	if key == "" {
		return nil
	}
	at := used
	sections := []string{used + ".", ""}
	if own != "" {
		sections = []string{own, used + ".", ""}
	}
	for _, section := range sections {
		for _, name := range []string{key, "ttl"} {
			if path := section + "lock." + name; at == used && v.at.Has(path) {
				at = path
			}
		}
	}
	return v.at.Errorf(at, "%s: %s %s", use.Name, key, why)
}
