// Package timeline turns the story of a run into a [Timeline]: lanes, spans, arrows and
// steps. Package reports/picture draws it, and report.html steps through it.
//
//	t := timeline.Of(failure.Trial, failure.Check)
//	svg, png, err := picture.Timeline(&t, "redis")
//
// timeline.go has the format and chooses window and lanes, draft.go adds what happens in
// them, ruler.go lays out the time axis.
package timeline
