package scenarios

import (
	"lockquake/sim/resource"
)

// home checks that the data of a use can be where the use has it.
func (v *validator) home(at string, use Strategy) error {
	r := v.ResourceOf(use)
	if use.Resource.Has("in") {
		if err := v.name(at+".resource.in", "place of the resource", string(r.In), Homes()); err != nil {
			return err
		}
	}
	entry := v.known.entries[use.Name]
	home := v.HomeOf(entry, use)
	switch policy := resource.Policy(r.Fence); {
	case home == HomeServer && entry.Inside:
		return v.at.Errorf(at, "%s does its work in a transaction of its own database, so it needs resource.in: database", use.Name)
	case home == HomeDatabase && (policy == resource.Equal || policy == resource.CheckThenWrite || policy == resource.Volatile):
		return v.at.Errorf(at, "%s: no database has a resource with the fence policy %s; it can have off, writes, strict and reads-writes", use.Label, policy)
	}
	return nil
}
