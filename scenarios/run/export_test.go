package run

import "lockquake/history"

// Classify returns the class of an error of a strategy.
func Classify(err error) history.Class { return classify(err) }

// KeepInMemory sets how many bytes of a log of events stay in memory.
func (r *Runner) KeepInMemory(bytes int64) { r.inMemory = bytes }
