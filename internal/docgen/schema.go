package docgen

import (
	"encoding/json"
	"fmt"
	"strings"

	"lockquake/scenarios"
)

// schema is a part of the JSON Schema of scenario files, as a program that reads it sees
// it.
type schema = map[string]any

// at returns the part of a schema at a path of names.
func at(s schema, names ...string) schema {
	for _, name := range names {
		next, ok := s[name].(schema)
		if !ok {
			panic("the schema has no " + strings.Join(names, ".") + " any more") // a test makes all pages
		}
		s = next
	}
	return s
}

// readSchema returns the schema of scenario files.
func readSchema() (schema, error) {
	data, err := json.Marshal(scenarios.Schema())
	if err != nil {
		return nil, err
	}
	var root schema
	return root, json.Unmarshal(data, &root)
}

// kindOf describes in words the possible values of a key.
func kindOf(key string, s schema) string {
	if def, ok := s["$ref"].(string); ok {
		switch name := strings.TrimPrefix(def, "#/$defs/"); name {
		case "distribution":
			return "duration or [distribution](scenarios.md#distributions)"
		case "bound":
			return "an operator and a figure"
		case "either-way":
			return "duration, which may be negative"
		case "check":
			return "[check](checks.md)"
		case "fence":
			return "[policy](workloads.md#resources)"
		case "point":
			return "[point](points.md)"
		case "worker":
			return "a worker, such as `worker-1`"
		case "fault":
			return "[fault](#faults)"
		default:
			return name
		}
	}
	if words, ok := s["enum"].([]any); ok {
		return wordList(words)
	}
	for _, of := range []string{"oneOf", "anyOf"} {
		if forms, ok := s[of].([]any); ok {
			return formsText(key, forms)
		}
	}
	switch s["type"] {
	case "integer":
		return rangeText(s)
	case "boolean":
		return "`true` or `false`"
	case "array":
		if items := at(s, "items"); items["$ref"] != nil {
			return "list of " + strings.Replace(kindOf(key, items), "](", "s](", 1)
		}
		return fmt.Sprintf("list of [maps](#%s)", key)
	case "object":
		return fmt.Sprintf("[map](#%s)", key)
	}
	return "text"
}

// wordList formats words as code.
func wordList(words []any) string {
	var names []string
	for _, w := range words {
		names = append(names, fmt.Sprint(w))
	}
	return code(names)
}

// formsText describes a value that has several forms.
func formsText(key string, forms []any) string {
	const many = 10 // with more names, a link to their page is clearer
	switch {
	case key == "strategies":
		return "list of [strategies](#strategies), or `all`"
	case len(forms) > many && key == "kind":
		return "a [workload](workloads.md)"
	case len(forms) > many:
		return "a [strategy](strategies.md)"
	}
	var words []any
	var all []string
	for _, f := range forms {
		form, _ := f.(schema)
		if word, ok := form["const"]; ok {
			words = append(words, word)
		} else if form["pattern"] != nil {
			all = append(all, "a server, such as `lock`")
		} else {
			all = append(all, kindOf(key, form))
		}
	}
	if len(words) > 0 {
		all = append(all, wordList(words))
	}
	return strings.Join(all, ", or ")
}

// rangeText describes the range of a whole number.
func rangeText(s schema) string {
	least, hasLeast := s["minimum"].(float64)
	most, hasMost := s["maximum"].(float64)
	const beyond = 1e9 // a bound so large that it is not worth a mention
	switch {
	case hasMost && most < beyond:
		return fmt.Sprintf("whole number, %.0f to %.0f", least, most)
	case hasLeast:
		return fmt.Sprintf("whole number, from %.0f", least)
	}
	return "whole number"
}
