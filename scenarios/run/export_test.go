package run

import "lockquake/history"

// Classify returns the class of an error of a strategy.
func Classify(err error) history.Class { return classify(err) }
