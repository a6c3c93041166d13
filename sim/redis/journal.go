package redis

import (
	"maps"
	"slices"
)

// journal finds out what each command has made of the keyspace, for all that
// lives on it: a disk, a replica, reads that lag. What it passes on is the
// effect and not the command, so that nobody else has to run a script or to
// look at a clock. A server has one only as long as somebody wants it.
type journal struct {
	server *Server
	known  map[string]image // the keyspace after the last command
	named  []string         // keys that the current command named

	disk  *past          // nil: none
	stale *past          // nil: reads do not lag
	send  func([]effect) // to a replica; nil: there is none
}

// beginJournal begins a new journal of a keyspace that holds the images, if
// anything is to live on one.
func (s *Server) beginJournal(images map[string]image) {
	s.journal = nil
	if s.replicates() {
		return // its primary has one
	}
	if s.options.Persistence != PersistEverySecond && s.staleBy == 0 && s.group == nil {
		return
	}
	j := &journal{server: s, known: maps.Clone(images)}
	if s.options.Persistence == PersistEverySecond {
		j.disk = j.since()
	}
	if s.staleBy > 0 {
		j.stale = j.since()
	}
	if s.group != nil {
		j.send = s.group.send
	}
	s.journal = j
}

// touch notes that a command names the key.
func (j *journal) touch(key string) {
	if !slices.Contains(j.named, key) {
		j.named = append(j.named, key)
	}
}

// settle passes on what has become of the keys that were named.
func (j *journal) settle() {
	j.pass(j.named)
	j.named = j.named[:0]
}

// pass passes on what has become of keys.
func (j *journal) pass(keys []string) {
	var effects []effect
	for _, key := range keys {
		now := image{Image: j.server.keys.Image(key)}
		if now.Equal(j.known[key].Image) {
			continue
		}
		if now.IsThere() {
			now.given = j.server.watch.given(key)
		}
		e := effect{j.server.node.World().Time(), key, now}
		apply(j.known, e)
		effects = append(effects, e)
	}
	if len(effects) == 0 {
		return
	}
	if j.disk != nil {
		j.disk.until(lastSync(effects[0].at)) // so that no more than a second waits
		j.disk.later = append(j.disk.later, effects...)
	}
	if j.stale != nil {
		j.stale.later = append(j.stale.later, effects...)
	}
	if j.send != nil {
		j.send(effects)
	}
}

// since returns a past that begins now.
func (j *journal) since() *past { return &past{images: maps.Clone(j.known)} }

// named is told every key that a command names. What a replica is asked for
// changes no lock.
func (s *Server) named(key string) {
	if !s.replicates() {
		s.watch.touch(key)
	}
	if s.journal != nil {
		s.journal.touch(key)
	}
}

// expired is told every key whose deadline has passed. That is an effect of its
// own, and before that of a command that has just named the key.
func (s *Server) expired(key string) {
	s.watch.expired(key)
	if s.journal != nil {
		s.journal.pass([]string{key})
	}
}
