package pauselog_test

import (
	"fmt"

	"lockquake/internal/pauselog"
)

// The log of a Go program under GODEBUG=gctrace=1, and a line of the program itself.
func ExampleRead() {
	log, err := pauselog.Read("stderr.log", []byte(`gc 1 @0.100s 3%: 2.7+16+0.007 ms clock, 5.4+0/8.3/14+0.014 ms cpu, 3->4->3 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P
listening on :8080
gc 2 @0.160s 4%: 1.4+35+0.011 ms clock, 2.9+1.3/7.6/28+0.023 ms cpu, 5->6->4 MB, 6 MB goal, 0 MB stacks, 0 MB globals, 2 P
`))
	fmt.Println(log.Kind, log.Pauses, "over", log.Span, err)
	// Output: gctrace log of Go [2.7ms 7µs 1.4ms 11µs] over 60ms <nil>
}
