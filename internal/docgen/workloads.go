package docgen

import (
	"fmt"
	"strings"

	"lockquake/checker"
	"lockquake/scenarios/workload"
	"lockquake/sim/resource"
)

// writeWorkloads writes what workers can do under a lock, and the policies of the
// resource.
func writeWorkloads(b *strings.Builder) error {
	root, err := readSchema()
	if err != nil {
		return err
	}
	keys := at(root, "properties", "workload", "properties")
	b.WriteString("In every workload each worker runs one critical section after another. Each section locks an item, works, and\n" +
		"releases the lock; then the worker waits. [Scenario files](scenarios.md#workload) lists all keys.\n\n" +
		"- **hold**: how long the work takes\n- **think**: time between two sections\n\n")
	for _, info := range workload.Catalogue() {
		fmt.Fprintf(b, "## %s\n\n%s\n\n", info.Name, sentence(info.Doc))
		for _, p := range info.Params {
			key := p.Name
			fmt.Fprintf(b, "- **%s** (%s): %s\n", key, kindOf(key, at(keys, key)), at(keys, key)["description"])
		}
		var checks []string
		for _, c := range checker.Catalogue() {
			if c.AppliesTo(info.Name) {
				checks = append(checks, c.Name)
			}
		}
		if info.Initial != "" {
			fmt.Fprintf(b, "- an item holds %q before the run\n", info.Initial)
		}
		if info.Offers != nil {
			for _, need := range info.Offers(workload.Defaults()) {
				fmt.Fprintf(b, "- has %s\n", need)
			}
		}
		fmt.Fprintf(b, "- can be judged by: %s\n\n", strings.Join(checks, ", "))
	}
	b.WriteString("## Resources\n\nWhat the resource does with a fencing token, set by `resource: {fence: ...}`. " +
		"Under every policy but `off` a\nrequest without a token is refused. An item whose name begins with `outside/` is the effect of a request to\n" +
		"an external service, which checks no token. With `outside/keyed/` the service checks an idempotency key, and\nrefuses every request after the first.\n\n")
	for _, p := range resource.Policies() {
		flawed := ""
		if p.Flawed {
			flawed = " (flawed)"
		}
		fmt.Fprintf(b, "- **%s**%s: %s\n", p.Policy, flawed, p.Doc)
	}
	return nil
}
