package faults_test

import (
	"fmt"
	"time"

	"lockquake/faults"
	"lockquake/internal/draw"
)

// A plan is text that can be written by hand.
func Example() {
	plan, err := faults.ParsePlan(`
		# Worker 1 stops after its last look at the lease, as in the old story.
		when worker-1 lease-checked 1 pause worker-1 for 15s #1
		at 2500ms partition worker-2 -> lock hold for 10s #2
	`)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(plan)

	_, err = faults.ParsePlan("at 5s pause worker-1 15s #1")
	fmt.Println(err)
	// Output:
	// when worker-1 lease-checked 1 pause worker-1 for 15s #1
	// at 2.5s partition worker-2 -> lock hold for 10s #2
	// line 1: "15s" is where "for" should be
}

// The same rules, seed and workers always make the same plan.
func ExampleGenerate() {
	every := draw.Dist{Kind: draw.Exponential, Mean: 10 * time.Second}
	rule := faults.Spec{
		Timing: faults.Timing{Every: &every, For: draw.Fixed(2 * time.Second)},
		Fault:  &faults.Pause{OnNode: faults.OnNode{Target: faults.EachWorker}},
	}
	workers := []string{"worker-1", "worker-2"}
	if err := rule.Validate(workers, []string{"lock", "resource"}, 30*time.Second); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(faults.Generate([]faults.Spec{rule}, 7, workers, 30*time.Second))
	// Output:
	// at 12.068180551s pause worker-2 for 2s #1
	// at 21.874536556s pause worker-1 for 2s #1
	// at 25.137699053s pause worker-1 for 2s #1
	// at 27.312256752s pause worker-2 for 2s #1
}
