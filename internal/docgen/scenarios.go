package docgen

import (
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

// group is a map of a scenario file with its keys.
type group struct {
	title, about string
	schema       schema
	values       any // a struct with the keys in order and their defaults
}

// writeScenarios writes the keys of a scenario file, map by map.
func writeScenarios(b *strings.Builder) error {
	groups, err := groups()
	if err != nil {
		return err
	}
	b.WriteString(`A scenario is one YAML file. The smallest one is

` + "```yaml\n" + smallest + "```" + `

A duration is a number with a unit: ` + "`250us`, `5ms`, `1.5s`, `2m`, `1h`" + `. All time is virtual. An unknown
key is an error that names the nearest known one. ` + "`lockquake schema`" + ` prints the same as a JSON Schema, for editors.

`)
	for _, g := range groups {
		fmt.Fprintf(b, "## %s\n\n", g.title)
		if g.about != "" {
			fmt.Fprintf(b, "%s\n\n", g.about)
		}
		writeKeys(b, g)
	}
	writeDistributions(b)
	return nil
}

// smallest is the smallest scenario, from which the defaults are read.
const smallest = `name: smallest
duration: 10s
workload: {kind: counter}
strategies: [redis]
`

// groups returns the maps of a scenario file, in the order of the page.
func groups() ([]group, error) {
	root, err := readSchema()
	if err != nil {
		return nil, err
	}
	s, err := scenarios.Parse("smallest.yaml", []byte(smallest))
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(scenarios.Strategies(), func(e lock.Entry) bool { return e.Name == "redis" })
	recipe := scenarios.Strategies()[i].Defaults
	work := s.Workload
	work.Key, work.Order = workload.KeyJob, workload.OrderSorted
	top := func(names ...string) schema {
		return at(root, append([]string{"properties"}, names...)...)
	}
	forms, _ := at(root, "$defs", "strategy")["anyOf"].([]any)
	long, _ := forms[len(forms)-1].(schema)
	fault := at(root, "$defs", "fault")
	groups := []group{
		{"The file", "", root, *s},
		{"workload", "[Workloads](workloads.md) lists the keys of each workload.", top("workload"), work},
		{"resource", "", top("resource"), s.Resource},
		{"lock", "The defaults are those of `redis`. [Strategies](strategies.md) has those of " +
			"other strategies, and the meaning of the words.", top("lock"), recipe},
		{"servers", "The defaults are those of a strategy that needs one server.", top("servers"), s.ServersOf(lock.Topology{}, scenarios.Strategy{})},
		{"network", "", top("network"), s.Network},
		{
			"strategies", "An entry is a name, a pattern such as `redis-*`, or a map. The keys of the map apply to this use of the strategy only.",
			long,
			scenarios.Strategy{},
		},
		{
			"each", "An entry for each worker that differs. Its lock and client override those of the strategy.",
			top("each", "items"),
			scenarios.Each{},
		},
		{"faults", "An entry has one [kind of fault](faults.md) with its parameters, such as `pause: {for: 15s}`, and says when it happens: " +
			"`at`, `when`, or `every` among the parameters.", fault, faults.Spec{}},
		{"when", "", at(fault, "properties", "when"), faults.When{Nth: 1}},
		{"expect", "A map from the label of a strategy to a map with at least one of these. A bound is like " +
			"`\">= 95 %\"`, `\"<= 5s\"` or `\"<= 20\"`.", top("expect", "additionalProperties"), results.Expect{}},
	}
	var families []group
	for _, family := range scenarios.Families() {
		for _, field := range fieldsOf(reflect.ValueOf(family.Settings)) {
			s := top(field.key)
			families = append(families, group{field.key, sentence(fmt.Sprint(s["description"])), s, field.value.Interface()})
		}
	}
	const behindLock = 4
	return nested(slices.Insert(groups, behindLock, families...)), nil
}

// field is a key of a map with its value.
type field struct {
	key   string
	value reflect.Value
}

// fieldsOf lists the keys of a struct in their order, with those that the families
// of lock servers have.
func fieldsOf(v reflect.Value) []field {
	if !v.IsValid() { // a family without settings
		return nil
	}
	var all []field
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("yaml")
		if !v.Type().Field(i).IsExported() {
			continue
		}
		switch v.Type().Field(i).Type {
		case reflect.TypeFor[strictyaml.Extension]():
		case reflect.TypeFor[lock.Parts]():
			for _, part := range scenarios.Parts() {
				all = append(all, field{part.Name, reflect.ValueOf(v.Field(i).Interface().(lock.Parts)[part.Name])})
			}
			continue
		default:
			all = append(all, field{key, v.Field(i)})
			continue
		}
		for _, family := range scenarios.Families() {
			settings := family.Settings
			if key == "*servers" {
				settings = family.ServerSettings
			}
			all = append(all, fieldsOf(reflect.ValueOf(settings))...)
		}
	}
	return all
}

// nested returns the groups, each followed by the maps in it that are no groups yet.
func nested(groups []group) []group {
	var all []group
	known := func(key string) bool {
		return slices.ContainsFunc(groups, func(g group) bool { return g.title == key })
	}
	for _, g := range groups {
		all = append(all, g)
		properties := at(g.schema, "properties")
		for _, f := range fieldsOf(reflect.ValueOf(g.values)) {
			key, field := f.key, f.value
			s, _ := properties[key].(schema)
			about := ""
			if items, isList := s["items"].(schema); isList && field.Kind() == reflect.Slice {
				s, field, about = items, reflect.Zero(field.Type().Elem()), "A list of maps."
			}
			if s["type"] == "object" && s["properties"] != nil && field.Kind() == reflect.Struct && !known(key) {
				all = append(all, group{key, about, s, field.Interface()})
			}
		}
	}
	return all
}

// valueText returns a value in the form of a scenario file, "" for a map, a list, or an empty
// value.
func valueText(v reflect.Value) string {
	switch d := v.Interface().(type) {
	case lock.Attempts:
		if d == lock.Unlimited {
			return "unlimited"
		}
		return fmt.Sprint(int(d))
	case time.Duration, draw.Dist, bool, int:
		return fmt.Sprint(d)
	default:
		if v.Kind() == reflect.String {
			return v.String()
		}
		return ""
	}
}

// writeKeys writes the keys of a group, one line each.
func writeKeys(b *strings.Builder, g group) {
	properties := at(g.schema, "properties")
	needed, _ := g.schema["required"].([]any)
	for _, field := range fieldsOf(reflect.ValueOf(g.values)) {
		key, preset := field.key, valueText(field.value)
		s, ok := properties[key].(schema)
		if !ok {
			continue
		}
		what := []string{kindOf(key, s)}
		least, _ := s["minimum"].(float64)
		switch {
		case slices.Contains(needed, any(key)):
			what = append(what, "needed")
		case preset == "", key == "period", preset == "0" && least > 0: // a zero that is not a useful default
		default:
			what = append(what, "default `"+preset+"`")
		}
		fmt.Fprintf(b, "- **%s** (%s): %s\n", key, strings.Join(what, "; "), s["description"])
	}
	b.WriteByte('\n')
}

// writeDistributions writes the families of distributions with their parameters.
func writeDistributions(b *strings.Builder) {
	b.WriteString("## Distributions\n\nA duration that is drawn at random is a map. " +
		"A plain duration is always the same.\n\n")
	root, err := readSchema()
	if err != nil {
		return // groups has returned the same error
	}
	words := map[string]any{}
	forms, _ := at(root, "$defs", "distribution")["anyOf"].([]any)
	for _, f := range forms {
		form, _ := f.(schema)
		properties, _ := form["properties"].(schema)
		for key := range properties {
			words[key] = at(properties, key)["description"]
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
