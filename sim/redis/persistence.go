package redis

import "time"

// Persistence says what a server still knows after a loss of power.
type Persistence string

// The ways to persist. The zero value is PersistNone.
const (
	PersistNone Persistence = "none"
	// PersistEverySecond: what there was at the last whole second of true time.
	PersistEverySecond Persistence = "every-second"
	// PersistAlways: everything, since it was on the disk before the answer.
	PersistAlways Persistence = "always"
)

// Known lists the words.
func (Persistence) Known() []string {
	return []string{string(PersistNone), string(PersistEverySecond), string(PersistAlways)}
}

// Data says what a crash leaves of the data.
type Data int

// What a crash can leave.
const (
	DataByPersistence Data = iota // what Options.Persistence promises
	DataKept                      // everything
	DataLost                      // nothing
	// DataWritten is what a kill of the process leaves while its machine lives
	// on. A server that persists at all has written a command's effect to a file
	// before it answers, and the operating system keeps that, whether it was
	// synchronised or not.
	DataWritten
)

// syncEvery is how often a server that persists every second does so.
const syncEvery = time.Second

// lastSync returns when that was last done.
func lastSync(now time.Duration) time.Duration { return now.Truncate(syncEvery) }

// Crash ends the server as a loss of power does, or with DataWritten as a kill of
// its process: its connections break, its scripts are forgotten, and what data
// says is left. A lock's grant that is not
// among that is reported as evicted, one that was freed and is there again as
// granted: at once, or for a server of a Group as soon as it is known which
// server goes on. A server that is down stays as it is.
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

// Restart lets a server that has crashed listen again, with what survived.
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

// survivors returns what a crash leaves of the keyspace.
func (s *Server) survivors(data Data) map[string]image {
	how := s.options.Persistence
	switch {
	case data == DataKept,
		data == DataByPersistence && how == PersistAlways,
		data == DataWritten && (how == PersistAlways || how == PersistEverySecond):
		return s.images()
	case data == DataByPersistence && how == PersistEverySecond:
		if s.replicates() { // it keeps what it got, until its primary sends everything anew
			return s.images()
		}
		return s.journal.disk.until(lastSync(s.node.World().Time()))
	}
	return map[string]image{}
}

// images returns all that the keyspace holds now.
func (s *Server) images() map[string]image {
	all := map[string]image{}
	for key, i := range s.keys.Images() {
		all[key] = image{i, s.watch.given(key)}
	}
	return all
}

// load lets the server hold the images and nothing else. Nobody is told.
func (s *Server) load(images map[string]image) {
	s.keys.Replace(bare(images))
	s.beginJournal(images)
}
