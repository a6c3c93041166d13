package reports

import (
	"fmt"

	"go.yaml.in/yaml/v4"

	"lockquake/scenarios/results"
)

// changedParameters lists the settings that differ between two scenarios. The notes say
// why it cannot, or that the files differ without a changed setting.
func changedParameters(base, head *results.Campaign) (changes []change, notes []string) {
	if base.Hash == head.Hash {
		return nil, nil
	}
	if base.Text == "" || head.Text == "" {
		return nil, []string{"the scenarios are not the same, and an older file does not say in what"}
	}
	was, wasErr := settings(base.Text)
	is, isErr := settings(head.Text)
	if wasErr != nil || isErr != nil {
		return nil, []string{"the scenarios are not the same, and one of them cannot be read"}
	}
	values := map[string]string{}
	for _, s := range is {
		values[s.key] = s.value
	}
	old := map[string]bool{}
	for _, s := range was {
		old[s.key] = true
		if value := values[s.key]; value != s.value {
			changes = append(changes, change{s.key, s.value, value})
		}
	}
	for _, s := range is {
		if !old[s.key] {
			changes = append(changes, change{Key: s.key, Head: s.value})
		}
	}
	if len(changes) == 0 {
		notes = append(notes, "the scenarios differ in no setting: in a comment, in the order of a list, or in a file that they name")
	}
	return changes, notes
}

// setting is one value of a scenario file, with its path.
type setting struct{ key, value string }

// settings lists all values of a scenario file.
func settings(text string) ([]setting, error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(text), &root); err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	var list []setting
	seen := map[string]int{}
	flatten(&root, "", "", func(key, value string) {
		if seen[key]++; seen[key] > 1 {
			key = fmt.Sprintf("%s (%d)", key, seen[key])
		}
		list = append(list, setting{key, value})
	})
	return list, nil
}

// flatten emits every scalar below a node with its path, except for the key that names an
// entry of a list.
func flatten(n *yaml.Node, at, without string, emit func(key, value string)) {
	switch n.Kind {
	case yaml.DocumentNode, yaml.StreamNode:
		for _, child := range n.Content {
			flatten(child, at, "", emit)
		}
	case yaml.MappingNode:
		for i := 0; i+1 < len(n.Content); i += 2 {
			key := n.Content[i].Value
			if key == without {
				continue
			}
			if at != "" {
				key = at + "." + key
			}
			flatten(n.Content[i+1], key, "", emit)
		}
	case yaml.SequenceNode:
		for i, child := range n.Content {
			by, name := nameOf(child)
			if name == "" {
				name = fmt.Sprint(i + 1)
			}
			entry := fmt.Sprintf("%s[%s]", at, name)
			if by != "" {
				emit(entry, name)
			}
			if child.Kind == yaml.ScalarNode {
				continue
			}
			flatten(child, entry, by, emit)
		}
	case yaml.ScalarNode:
		emit(at, n.Value)
	case yaml.AliasNode:
		emit(at, "*"+n.Value)
	}
}

// nameOf returns the key that names an entry of a list, and its value. A scalar is its own
// name.
func nameOf(entry *yaml.Node) (key, name string) {
	if entry.Kind == yaml.ScalarNode {
		return "name", entry.Value
	}
	for _, key := range []string{"label", "name", "worker"} {
		for i := 0; entry.Kind == yaml.MappingNode && i+1 < len(entry.Content); i += 2 {
			if entry.Content[i].Value == key && entry.Content[i+1].Kind == yaml.ScalarNode {
				return key, entry.Content[i+1].Value
			}
		}
	}
	return "", ""
}
