package scenarios_test

import (
	"fmt"

	"lockquake/scenarios"
)

func ExampleParse() {
	text := `
name: mine
duration: 30s
workload: {kind: counter, hold: {dist: uniform, min: 20ms, max: 200ms}}
lock: {ttl: 2s}
strategies: [redis, {name: redis-fenced, label: fenced, resource: {fence: reads-writes}}]
faults:
  - pause: {target: each worker, every: 10s, for: 3s}
`
	s, err := scenarios.Parse("mine.yaml", []byte(text))
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, use := range s.Strategies {
		fmt.Printf("%s: %s, fence %s\n", use.Label, use.Name, s.ResourceOf(use).Fence)
	}

	_, err = scenarios.Parse("mine.yaml", []byte(text+"worker: 4\n"))
	fmt.Println(err)
	// Output:
	// redis: redis, fence off
	// fenced: redis-fenced, fence reads-writes
	// mine.yaml:9:1: unknown key "worker"; did you mean "workers"?
}
