package redis

import (
	"slices"
	"time"

	"lockquake/sim/holders"
	"lockquake/sim/redis/keyspace"
)

// image is what a key holds, and who has the lock that it belongs to. Nobody changes
// one that has been made.
type image struct {
	keyspace.Image
	given []holders.Given
}

// bare returns the images as a keyspace knows them.
func bare(images map[string]image) map[string]keyspace.Image {
	all := make(map[string]keyspace.Image, len(images))
	for key, i := range images {
		all[key] = i.Image
	}
	return all
}

// effect is what a command, or the clock, has made of a key.
type effect struct {
	at    time.Duration // true time
	key   string
	image image
}

// apply takes an effect over into the images.
func apply(images map[string]image, e effect) {
	if !e.image.IsThere() {
		delete(images, e.key)
	} else {
		images[e.key] = e.image
	}
}

// past is a keyspace as it was some time ago.
type past struct {
	images map[string]image
	later  []effect // that are not yet part of it, in order
}

// until moves it on to a moment of true time, with what happened at that
// instant, and returns what it held then. It does not go back.
func (p *past) until(moment time.Duration) map[string]image {
	n := 0
	for n < len(p.later) && p.later[n].at <= moment {
		apply(p.images, p.later[n])
		n++
	}
	p.later = slices.Delete(p.later, 0, n)
	return p.images
}
