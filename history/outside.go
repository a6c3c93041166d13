package history

import "strings"

// The prefixes of items outside of the resource: the effects of requests to somebody else's service,
// such as a charge of a card. No fencing token is checked there.
const (
	outside = "outside/"
	keyed   = outside + "keyed/"
)

// Outside returns the name of the item that is the effect of a unit of work at a service outside. A
// service that gets the unit as an idempotency key refuses every request after the first.
func Outside(unit string, idempotent bool) string {
	if idempotent {
		return keyed + unit
	}
	return outside + unit
}

// IsOutside reports whether an item is outside of the resource, so that no token protects it.
func IsOutside(item string) bool { return strings.HasPrefix(item, outside) }

// IsKeyed reports whether the service that has the item checks an idempotency key.
func IsKeyed(item string) bool { return strings.HasPrefix(item, keyed) }

// Inside returns the name of an item without the prefix of an item outside.
func Inside(item string) string {
	return strings.TrimPrefix(strings.TrimPrefix(item, keyed), outside)
}
