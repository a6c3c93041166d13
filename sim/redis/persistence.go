package redis

import "time"

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

// Data says what a crash does to the data.
type Data int

// The effects of a crash on the data.
const (
	DataByPersistence Data = iota // Options.Persistence decides
	DataKept                      // all data survives
	DataLost                      // no data survives
	// DataWritten is for a kill of the process while its machine goes on. A server that persists at
	// all has written each effect to a file before its answer, and the operating system keeps the
	// file, whether it was synchronised or not.
	DataWritten
)

// syncEvery is the period of PersistEverySecond.
const syncEvery = time.Second

// lastSync returns the time of the last sync.
func lastSync(now time.Duration) time.Duration { return now.Truncate(syncEvery) }

// Crash simulates a loss of power, or with DataWritten a kill of the process. Connections break,
// scripts are lost, and data says which data survives. A grant that does not survive is recorded as
// evicted, and a freed grant that is there again as granted. That happens at once, or for a server
// of a Group when it is known which server goes on. Crash has no effect on a server that is down.
func (s *Server) Crash(data Data) {
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
func (s *Server) survivors(data Data) map[string]image {
	how := s.options.Persistence
	switch {
	case data == DataKept,
		data == DataByPersistence && how == PersistAlways,
		data == DataWritten && (how == PersistAlways || how == PersistEverySecond):
		return s.images()
	case data == DataByPersistence && how == PersistEverySecond:
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
