package scenarios

import "lockquake/internal/strictyaml"

// StrategyLine returns the line of a scenario file at which the use of a strategy with this label is
// listed. It returns 1 if the file does not list it by a name of its own.
func StrategyLine(file []byte, label string) int {
	tree, err := strictyaml.Open("", file)
	if err != nil {
		return 1
	}
	for _, entry := range itemsOf(tree, "strategies") {
		if nameOf(entry) == label {
			return entry.Line()
		}
	}
	return 1
}

// nameOf returns the label of an entry of the list of strategies, which is its name if it has none.
func nameOf(entry *strictyaml.Node) string {
	for _, key := range []string{"label", "name"} {
		if value := entry.Field(key); value != nil {
			return value.Text()
		}
	}
	return entry.Text()
}
