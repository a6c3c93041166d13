package redis

import (
	"time"

	"lockquake/faults"
)

// Persistence says which data survives a loss of power.
type Persistence string

// The ways to persist. The zero value is PersistNone.
const (
	PersistNone Persistence = "none"
	// PersistEverySecond keeps the data of the last whole second of true time.
	PersistEverySecond Persistence = "every-second"
	// PersistAlways keeps everything, since each write is on disk before its answer.
	PersistAlways Persistence = "always"
)

// Known returns the words.
func (Persistence) Known() []string {
	return []string{string(PersistNone), string(PersistEverySecond), string(PersistAlways)}
}

// syncEvery is the period of PersistEverySecond.
const syncEvery = time.Second

// lastSync returns the time of the last sync.
func lastSync(now time.Duration) time.Duration { return now.Truncate(syncEvery) }

// Crash simulates a loss of power, or with faults.DataWritten a kill of the process. Connections break,
// scripts are lost, and data says which data survives. A grant that does not survive is recorded as
// evicted, and a freed grant that is there again as granted. That happens at once, or for a server
// of a Group when it is known which server goes on. Crash has no effect on a server that is down.
func (s *Server) Crash(data faults.Data) {
	if s.node.Down() {
		return
	}
	survived := s.survivors(data)
	s.forgetWaiters()
	s.keys.ForgetScripts()
	s.node.Crash()
	if s.group != nil {
		s.group.crashed(s, survived)
		return
	}
	s.load(survived)
	s.watch.reconcile(survived)
}

// Restart makes a crashed server listen again, with the data that survived.
func (s *Server) Restart() {
	if !s.node.Down() {
		return
	}
	if s.group != nil {
		s.group.restarting(s)
	}
	s.node.Restart()
	if s.group != nil {
		s.group.synchronise()
	}
}

// survivors returns the data that survives a crash.
func (s *Server) survivors(data faults.Data) map[string]image {
	how := s.options.Persistence
	switch {
	case data == faults.DataKept,
		data == faults.DataByPersistence && how == PersistAlways,
		data == faults.DataWritten && (how == PersistAlways || how == PersistEverySecond):
		return s.images()
	case data == faults.DataByPersistence && how == PersistEverySecond:
		if s.replicates() { // it keeps its data until its primary sends everything again
			return s.images()
		}
		return s.log.disk.advance(lastSync(s.node.World().Time()))
	}
	return map[string]image{}
}

// images returns the contents of all keys.
func (s *Server) images() map[string]image {
	all := map[string]image{}
	for key, i := range s.keys.Images() {
		all[key] = image{i, s.watch.given(key)}
	}
	return all
}

// load replaces all data by the images, without recording events.
func (s *Server) load(images map[string]image) {
	s.keys.Replace(bare(images))
	s.beginLog(images)
}
