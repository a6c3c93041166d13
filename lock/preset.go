package lock

import "maps"

// Change changes a part or a number of a preset.
type Change func(p *Params)

// With returns the change that makes a part in this way.
func With(part, way string) Change {
	return func(p *Params) { p.Set(part, way) }
}

// Complete sets each part that the parameters do not name to its default way.
func (p *Params) Complete(parts []Part) {
	ways := Defaults(parts)
	maps.Copy(ways, p.Parts)
	p.Parts = ways
}
