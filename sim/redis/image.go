package redis

import (
	"slices"
	"time"

	"lockquake/sim/holders"
	"lockquake/sim/redis/keyspace"
)

// image is the contents of a key, with the holders of the lock that the key belongs to. It is never
// modified.
type image struct {
	keyspace.Image
	given []holders.Given
}

// bare returns the images without the holders.
func bare(images map[string]image) map[string]keyspace.Image {
	all := make(map[string]keyspace.Image, len(images))
	for key, i := range images {
		all[key] = i.Image
	}
	return all
}

// effect is a change of a key by a command or by the clock.
type effect struct {
	at    time.Duration // true time
	key   string
	image image
}

// apply applies an effect to the images.
func apply(images map[string]image, e effect) {
	if !e.image.IsThere() {
		delete(images, e.key)
	} else {
		images[e.key] = e.image
	}
}

// delayedCopy is the state of a keyspace at an earlier time.
type delayedCopy struct {
	images  map[string]image
	pending []effect // effects that it does not include yet, in order
}

// advance applies all effects up to and including true time t, and returns the resulting images. It
// cannot go back.
func (p *delayedCopy) advance(t time.Duration) map[string]image {
	n := 0
	for n < len(p.pending) && p.pending[n].at <= t {
		apply(p.images, p.pending[n])
		n++
	}
	p.pending = slices.Delete(p.pending, 0, n)
	return p.images
}
