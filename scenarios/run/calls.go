package run

import (
	"context"

	"lockquake/history"
	"lockquake/lock"
)

// calls are the sections of one call of a strategy, one for each key that it locks. A request to the
// resource belongs to the section whose key protects the item.
type calls []*call

// resource returns the resource that the strategy sees.
func (all calls) resource(inDatabase bool) lock.Resource {
	switch {
	case len(all) > 1 && inDatabase:
		return severalInDatabase{severalOf(all, func(c *call) lock.Conditional { return c.requests() })}
	case len(all) > 1:
		return severalOf(all, func(c *call) lock.Conditional { return c.requests() })
	case inDatabase:
		return transactional{all[0].requests()}
	}
	return all[0].requests()
}

// several is the resource of several sections. It implements lock.Conditional.
type several struct {
	calls calls
	ways  []lock.Conditional // of each call, its access to the resource
}

func severalOf(all calls, way func(*call) lock.Conditional) several {
	s := several{calls: all}
	for _, c := range all {
		s.ways = append(s.ways, way(c))
	}
	return s
}

// of returns the access of the section whose key protects an item, or that of the first section.
func (s several) of(item string) lock.Conditional {
	name := resourceOf(history.Inside(item))
	for i, c := range s.calls {
		if resourceOf(c.key) == name {
			return s.ways[i]
		}
	}
	return s.ways[0]
}

// Read implements lock.Resource.
func (s several) Read(ctx context.Context, item string, token int64) (string, error) {
	return s.of(item).Read(ctx, item, token)
}

// Write implements lock.Resource.
func (s several) Write(ctx context.Context, item, value string, token int64) error {
	return s.of(item).Write(ctx, item, value, token)
}

// ReadVersion implements lock.Conditional.
func (s several) ReadVersion(ctx context.Context, item string) (string, int64, error) {
	return s.of(item).ReadVersion(ctx, item)
}

// WriteIf implements lock.Conditional.
func (s several) WriteIf(ctx context.Context, item, value string, condition lock.Condition) (int64, error) {
	return s.of(item).WriteIf(ctx, item, value, condition)
}

// Again ends all sections with the answer that they had no effect, and begins them again. See
// lock.Again.
func (s several) Again(err error) {
	for _, c := range s.calls {
		c.end(history.ClassConflict, err)
	}
	for _, c := range s.calls {
		c.begin(true)
	}
}
