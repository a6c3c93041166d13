package scenarios

import (
	"fmt"

	"lockquake/lock"
)

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
