package run

import "lockquake/history"

// Classify says which kind of answer an error is.
func Classify(err error) history.Class { return classify(err) }
