package redis

import (
	"maps"
	"slices"
)

// effectLog determines what each command changed, for persistence, the replica and stale reads. It
// passes on effects instead of commands, so that these need not run scripts or read clocks. A
// server has one only while something needs it.
type effectLog struct {
	server *Server
	known  map[string]image // the keyspace after the last command
	named  []string         // the keys that the current command named

	disk  *delayedCopy   // the data on disk; nil: none
	stale *delayedCopy   // the data that stale reads see; nil: none
	send  func([]effect) // sends to the replica; nil: there is none
}

// beginLog starts a new log of a keyspace that holds the images, if anything needs one.
func (s *Server) beginLog(images map[string]image) {
	s.log = nil
	if s.replicates() {
		return // its primary has one
	}
	if s.options.Persistence != PersistEverySecond && s.staleBy == 0 && s.group == nil {
		return
	}
	j := &effectLog{server: s, known: maps.Clone(images)}
	if s.options.Persistence == PersistEverySecond {
		j.disk = j.newCopy()
	}
	if s.staleBy > 0 {
		j.stale = j.newCopy()
	}
	if s.group != nil {
		j.send = s.group.send
	}
	s.log = j
}

// touch records that a command names the key.
func (j *effectLog) touch(key string) {
	if !slices.Contains(j.named, key) {
		j.named = append(j.named, key)
	}
}

// settle passes on the changes of the keys that the command named.
func (j *effectLog) settle() {
	j.pass(j.named)
	j.named = j.named[:0]
}

// pass passes on the changes of keys.
func (j *effectLog) pass(keys []string) {
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
		j.disk.advance(lastSync(effects[0].at)) // so that at most one second of effects is kept
		j.disk.pending = append(j.disk.pending, effects...)
	}
	if j.stale != nil {
		j.stale.pending = append(j.stale.pending, effects...)
	}
	if j.send != nil {
		j.send(effects)
	}
}

// newCopy returns a copy that starts now.
func (j *effectLog) newCopy() *delayedCopy { return &delayedCopy{images: maps.Clone(j.known)} }

// keyNamed is called for each key that a command names. Commands to a replica do not change locks.
func (s *Server) keyNamed(key string) {
	if !s.replicates() {
		s.watch.touch(key)
	}
	if s.log != nil {
		s.log.touch(key)
	}
}

// keyExpired is called for each key whose deadline has passed. That is an effect of its own, before
// that of a command that has just named the key.
func (s *Server) keyExpired(key string) {
	s.watch.expired(key)
	if s.log != nil {
		s.log.pass([]string{key})
	}
}
