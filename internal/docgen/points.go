package docgen

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/scenarios"
)

// writePoints writes the steps and messages on which a fault can fall.
func writePoints(b *strings.Builder, pointDoc func(string) (string, error)) error {
	b.WriteString("A point is a named step of a worker, and a fault can happen at it:\n" +
		"`when: {worker: worker-1, point: lease-checked, nth: 1}`.\n\n## Steps of a worker\n\nEach takes the time of `step:`.\n\n")
	var operations []string
	for _, point := range scenarios.Points() {
		operation, _, ofMessage := strings.Cut(point, ".")
		if ofMessage {
			if operation != "message" && !slices.Contains(operations, operation) {
				operations = append(operations, operation)
			}
			continue
		}
		doc, err := pointDoc(point)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "- **%s**: %s\n", point, doc)
	}
	fmt.Fprintf(b, "\n## Messages\n\nThe operations %s have four points each, such as\n`acquire.sent`. A message that the server "+
		"pushes to a subscriber has the last two,\n`message.replied` and `message.taken`. An operation of several commands passes its "+
		"points several times. Of these points only `.taken` takes the time of `step:`.\nA lock of your own names its operations with `env.WithOp`, and its steps with `env.Point`.\n\n",
		code(operations))
	for _, event := range []string{"sent", "applied", "replied", "taken"} {
		doc, err := pointDoc("acquire." + event)
		if err != nil {
			return err
		}
		fmt.Fprintf(b, "- **.%s**: %s\n", event, doc)
	}
	return nil
}
