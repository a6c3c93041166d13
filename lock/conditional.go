package lock

import "context"

// Conditional is a Resource with conditional writes, such as a table whose rows have a
// version. The writes of one item are numbered: its first value has version 1, and each
// write that takes effect raises the version by one. Version 0 is that of an item that
// does not exist.
type Conditional interface {
	Resource
	// ReadVersion is Read without a token. It also returns the version of the item.
	ReadVersion(ctx context.Context, item string) (value string, version int64, err error)
	// WriteIf writes the value if the condition holds, in one step, and returns the new
	// version of the item. It returns ErrConflict if the condition did not hold. After any
	// other error it is unknown whether the write took effect.
	WriteIf(ctx context.Context, item, value string, c Condition) (version int64, err error)
}

// Condition must hold of an item for a write to take effect.
type Condition struct {
	ByValue bool   // the item exists and has this Value; otherwise it has this Version
	Version int64  // 0: the item does not exist
	Value   string // of a condition by value
}

// IfVersion is the condition that an item has a version; 0: that it does not exist.
func IfVersion(version int64) Condition { return Condition{Version: version} }

// IfValue is the condition that an item exists and has a value. A value can come back,
// a version cannot.
func IfValue(value string) Condition { return Condition{ByValue: true, Value: value} }

// Holds reports whether the condition holds of an item with a value and a version.
func (c Condition) Holds(value string, version int64) bool {
	if c.ByValue {
		return version > 0 && value == c.Value
	}
	return version == c.Version
}

// Again tells the resource of a section that the work had no effect, because of err, and
// that its strategy will run the body once more. Each run of the body is a section of
// its own in the history of a run.
func Again(r Resource, err error) {
	if section, ok := r.(interface{ Again(err error) }); ok {
		section.Again(err)
	}
}

// unitKey is the context key of WithUnit.
type unitKey struct{}

// WithUnit names the unit of work of a section, which is to be done once, for its
// strategy.
func WithUnit(ctx context.Context, unit string) context.Context {
	return context.WithValue(ctx, unitKey{}, unit)
}

// Unit returns the name of WithUnit, or "".
func Unit(ctx context.Context) string {
	unit, _ := ctx.Value(unitKey{}).(string)
	return unit
}
