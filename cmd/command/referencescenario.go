package command

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
)

// referenceSchema is a part of the JSON Schema of scenario files, as a program
// that reads it would see it.
type referenceSchema = map[string]any

// at goes down into a schema by the names of its parts.
func referenceAt(s referenceSchema, names ...string) referenceSchema {
	for _, name := range names {
		next, ok := s[name].(referenceSchema)
		if !ok {
			panic("the schema has no " + strings.Join(names, ".") + " any more") // a test makes all pages
		}
		s = next
	}
	return s
}

// referenceRoot returns the schema of scenario files.
func referenceRoot() (referenceSchema, error) {
	data, err := json.Marshal(scenarios.Schema())
	if err != nil {
		return nil, err
	}
	var root referenceSchema
	return root, json.Unmarshal(data, &root)
}

// referenceGroup is a map of a scenario file with its keys.
type referenceGroup struct {
	title, about string
	schema       referenceSchema
	values       any // a struct with the keys in their order, as they stand if a file sets nothing
}

func referenceScenarios(b *strings.Builder) error {
	groups, err := referenceGroups()
	if err != nil {
		return err
	}
	b.WriteString(`A scenario is one YAML file. The smallest one is

` + "```yaml\n" + referenceSmallest + "```" + `

A duration is a number with a unit: ` + "`250us`, `5ms`, `1.5s`, `2m`, `1h`" + `. All time is virtual. A key that is not
known is an error, with the nearest one that is. ` + "`lockquake schema`" + ` prints the same as a JSON Schema, for editors.

`)
	for _, g := range groups {
		fmt.Fprintf(b, "## %s\n\n", g.title)
		if g.about != "" {
			fmt.Fprintf(b, "%s\n\n", g.about)
		}
		referenceKeys(b, g)
	}
	referenceDistributions(b)
	return nil
}

// referenceSmallest is the smallest scenario, from which the defaults are read.
const referenceSmallest = `name: smallest
duration: 10s
workload: {kind: counter}
strategies: [redis]
`

func referenceGroups() ([]referenceGroup, error) {
	root, err := referenceRoot()
	if err != nil {
		return nil, err
	}
	s, err := scenarios.Parse("smallest.yaml", []byte(referenceSmallest))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(scenarios.Strategies(), func(e lock.Entry) bool { return e.Name == "redis" })
	recipe := scenarios.Strategies()[i].Defaults
	work := s.Workload
	work.Key, work.Order = workload.KeyJob, workload.OrderSorted
	top := func(names ...string) referenceSchema {
		return referenceAt(root, append([]string{"properties"}, names...)...)
	}
	forms, _ := referenceAt(root, "$defs", "strategy")["anyOf"].([]any)
	long, _ := forms[len(forms)-1].(referenceSchema)
	fault := referenceAt(root, "$defs", "fault")
	groups := []referenceGroup{
		{"The file", "", root, *s},
		{"workload", "What each workload has is in [workloads](workloads.md).", top("workload"), work},
		{"resource", "", top("resource"), s.Resource},
		{"lock", "The defaults are those of `redis`. What other strategies have instead, and what the words mean, is in " +
			"[strategies](strategies.md).", top("lock"), recipe},
		{"servers", "The defaults are those of a strategy that needs one server.", top("servers"), s.ServersOf(lock.Topology{}, scenarios.Strategy{})},
		{"network", "", top("network"), s.Network},
		{
			"strategies", "An entry is a name, a pattern such as `redis-*`, or a map. What the map sets holds for this use of the strategy only.",
			long,
			scenarios.Strategy{},
		},
		{
			"each", "An entry for each worker that differs. Its lock and client go before those of the strategy.",
			top("each", "items"),
			scenarios.Each{},
		},
		{"faults", "An entry has one [kind of fault](faults.md) with its parameters, such as `pause: {for: 15s}`, and says when it falls: " +
			"`at`, `when`, or `every` among the parameters.", fault, referenceFault{}},
		{"when", "", referenceAt(fault, "properties", "when"), faults.When{Nth: 1}},
		{"expect", "A map from the label of a strategy to a map with at least one of these.", top("expect", "additionalProperties"), results.Expect{}},
	}
	var families []referenceGroup
	for _, family := range scenarios.Families() {
		for _, field := range referenceFieldsOf(reflect.ValueOf(family.Settings)) {
			s := top(field.key)
			families = append(families, referenceGroup{field.key, referenceSentence(fmt.Sprint(s["description"])), s, field.value.Interface()})
		}
	}
	const behindLock = 4
	return referenceNested(slices.Insert(groups, behindLock, families...)), nil
}

// referenceFault is an entry of faults without its kind.
type referenceFault struct {
	At       time.Duration `yaml:"at"`
	When     faults.When   `yaml:"when"`
	Optional bool          `yaml:"optional"`
	Case     string        `yaml:"case"`
	Class    string        `yaml:"class"`
}

// referenceField is a key of a map with its value.
type referenceField struct {
	key   string
	value reflect.Value
}

// referenceFieldsOf lists the keys of a struct in their order, with those that the families
// of lock servers have.
func referenceFieldsOf(v reflect.Value) []referenceField {
	if !v.IsValid() { // a family without settings
		return nil
	}
	var all []referenceField
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("yaml")
		if !v.Type().Field(i).IsExported() {
			continue
		}
		switch v.Type().Field(i).Type {
		case reflect.TypeFor[strictyaml.Extension]():
		case reflect.TypeFor[lock.Parts]():
			for _, part := range scenarios.Parts() {
				all = append(all, referenceField{part.Name, reflect.ValueOf(v.Field(i).Interface().(lock.Parts)[part.Name])})
			}
			continue
		default:
			all = append(all, referenceField{key, v.Field(i)})
			continue
		}
		for _, family := range scenarios.Families() {
			settings := family.Settings
			if key == "*servers" {
				settings = family.ServerSettings
			}
			all = append(all, referenceFieldsOf(reflect.ValueOf(settings))...)
		}
	}
	return all
}

// referenceNested puts behind each group the maps in it that are no groups yet.
func referenceNested(groups []referenceGroup) []referenceGroup {
	var all []referenceGroup
	known := func(key string) bool {
		return slices.ContainsFunc(groups, func(g referenceGroup) bool { return g.title == key })
	}
	for _, g := range groups {
		all = append(all, g)
		properties := referenceAt(g.schema, "properties")
		for _, f := range referenceFieldsOf(reflect.ValueOf(g.values)) {
			key, field := f.key, f.value
			s, _ := properties[key].(referenceSchema)
			about := ""
			if items, isList := s["items"].(referenceSchema); isList && field.Kind() == reflect.Slice {
				s, field, about = items, reflect.Zero(field.Type().Elem()), "A list of maps."
			}
			if s["type"] == "object" && s["properties"] != nil && field.Kind() == reflect.Struct && !known(key) {
				all = append(all, referenceGroup{key, about, s, field.Interface()})
			}
		}
	}
	return all
}

// referenceValue is a value as a scenario file would have it, "" for a map, a
// list, and what is empty.
func referenceValue(v reflect.Value) string {
	switch d := v.Interface().(type) {
	case time.Duration, draw.Dist, bool, int, lock.Attempts:
		return fmt.Sprint(d)
	default:
		if v.Kind() == reflect.String {
			return v.String()
		}
		return ""
	}
}

// referenceKeys writes the keys of a group, one line each.
func referenceKeys(b *strings.Builder, g referenceGroup) {
	properties := referenceAt(g.schema, "properties")
	needed, _ := g.schema["required"].([]any)
	for _, field := range referenceFieldsOf(reflect.ValueOf(g.values)) {
		key, preset := field.key, referenceValue(field.value)
		s, ok := properties[key].(referenceSchema)
		if !ok {
			continue
		}
		what := []string{referenceKind(key, s)}
		least, _ := s["minimum"].(float64)
		switch {
		case slices.Contains(needed, any(key)):
			what = append(what, "needed")
		case preset == "", key == "period", key == "at", preset == "0" && least > 0: // no default, but a zero that nobody means
		default:
			what = append(what, "default `"+preset+"`")
		}
		fmt.Fprintf(b, "- **%s** (%s): %s\n", key, strings.Join(what, "; "), referenceMeaning(g.title, key, s))
	}
	b.WriteByte('\n')
}

// referenceMeaning is what a key means in one map of a scenario file. What the
// schema says of it holds for all keys of that name.
func referenceMeaning(of, key string, s referenceSchema) string {
	switch of + "." + key {
	case "lock.max-hold":
		return "how long renewal keeps one grant alive; 0s for no bound"
	case "strategies.name":
		return "which lock"
	}
	return fmt.Sprint(s["description"])
}

// referenceKind says in words what the value of a key can be.
func referenceKind(key string, s referenceSchema) string {
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
		return referenceWords(words)
	}
	for _, of := range []string{"oneOf", "anyOf"} {
		if forms, ok := s[of].([]any); ok {
			return referenceForms(key, forms)
		}
	}
	switch s["type"] {
	case "integer":
		return referenceRange(s)
	case "boolean":
		return "`true` or `false`"
	case "array":
		if items := referenceAt(s, "items"); items["$ref"] != nil {
			return "list of " + strings.Replace(referenceKind(key, items), "](", "s](", 1)
		}
		return fmt.Sprintf("list of [maps](#%s)", key)
	case "object":
		return fmt.Sprintf("[map](#%s)", key)
	}
	return "text"
}

func referenceWords(words []any) string {
	var names []string
	for _, w := range words {
		names = append(names, fmt.Sprint(w))
	}
	return referenceCode(names)
}

// referenceForms says what a value can be that has several forms.
func referenceForms(key string, forms []any) string {
	const many = 10 // names beyond which a list says less than its page
	switch {
	case key == "strategies":
		return "list of [strategies](#strategies), or `all`"
	case len(forms) > many:
		return "a [strategy](strategies.md)"
	}
	var words []any
	var all []string
	for _, f := range forms {
		form, _ := f.(referenceSchema)
		if word, ok := form["const"]; ok {
			words = append(words, word)
		} else if form["pattern"] != nil {
			all = append(all, "a server, such as `lock`")
		} else {
			all = append(all, referenceKind(key, form))
		}
	}
	if len(words) > 0 {
		all = append(all, referenceWords(words))
	}
	return strings.Join(all, ", or ")
}

func referenceRange(s referenceSchema) string {
	least, hasLeast := s["minimum"].(float64)
	most, hasMost := s["maximum"].(float64)
	const beyond = 1e9 // a bound that nobody meets
	switch {
	case hasMost && most < beyond:
		return fmt.Sprintf("whole number, %.0f to %.0f", least, most)
	case hasLeast:
		return fmt.Sprintf("whole number, from %.0f", least)
	}
	return "whole number"
}

func referenceDistributions(b *strings.Builder) {
	b.WriteString("## Distributions\n\nWhere a duration may differ from time to time, a map says how. " +
		"The duration alone is always the same.\n\n")
	root, err := referenceRoot()
	if err != nil {
		return // referenceGroups had the same
	}
	words := map[string]any{}
	forms, _ := referenceAt(root, "$defs", "distribution")["anyOf"].([]any)
	for _, f := range forms {
		form, _ := f.(referenceSchema)
		properties, _ := form["properties"].(referenceSchema)
		for key := range properties {
			words[key] = referenceAt(properties, key)["description"]
		}
	}
	for _, kind := range draw.Kinds() {
		fields, _ := kind.Fields()
		fmt.Fprintf(b, "- `dist: %s`", kind)
		for i, field := range fields {
			fmt.Fprintf(b, "%s**%s**: %s", []string{" with ", "; "}[min(i, 1)], field, words[field])
		}
		b.WriteByte('\n')
	}
}
