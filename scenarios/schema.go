package scenarios

import (
	"maps"
	"reflect"
	"slices"
	"time"

	"lockquake/checker"
	"lockquake/faults"
	"lockquake/internal/draw"
	"lockquake/internal/strictyaml"
	"lockquake/lock"
	"lockquake/scenarios/results"
	"lockquake/scenarios/workload"
	"lockquake/sim/resource"
)

// Schema describes scenario files as JSON Schema, draft 2020-12, so that an editor checks and
// completes them. It is made from the types that Parse fills and from the catalogues. Own are as in
// [Parse]. It accepts all that Parse accepts, except for unusual forms, such as an unused parameter
// that is set to zero. It cannot find errors that concern several parts of a file, such as a
// duplicate label.
func Schema(own ...lock.Entry) map[string]any {
	strategies := slices.Concat(Strategies(), own)
	o := outline(strategies)
	root := o.Of(reflect.TypeFor[Scenario]())
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "lockquake scenario"
	root["required"] = []string{"name", "duration", "workload", "strategies"}
	root["$defs"] = schema{
		"duration":     schema{"type": "string", "pattern": `^\+?` + durationPattern},
		"either-way":   schema{"type": "string", "pattern": `^[-+]?` + durationPattern},
		"distribution": distSchema(o),
		"strategy":     strategySchema(o, strategies),
		"fault":        faultSchema(o),
		"check":        checkSchema(),
		"bound": schema{
			"anyOf":    []schema{{"type": "string", "pattern": results.BoundPattern}, {"type": "number"}},
			"examples": []string{">= 95 %", "<= 5s", "<= 20"},
		},
		"fence":  fenceSchema(),
		"point":  pointSchema(own),
		"worker": schema{"type": "string", "pattern": `^worker-[1-9][0-9]*$`},
	}
	return root
}

type schema = strictyaml.Schema

// durationPattern matches what time.ParseDuration reads, without its sign.
const durationPattern = `(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

func ref(def string) schema { return schema{"$ref": "#/$defs/" + def} }

// outline returns what the schema needs beyond the types of a scenario.
func outline(strategies []lock.Entry) strictyaml.Outline {
	type field = strictyaml.Field
	scenario, entry, expect := reflect.TypeFor[Scenario](), reflect.TypeFor[faults.Spec](), reflect.TypeFor[results.Expect]()
	name := schema{"type": "string", "pattern": namePattern, "maxLength": LongestName}
	checks := schema{"type": "array", "items": ref("check"), "uniqueItems": true}
	o := strictyaml.Outline{
		Extensions: extensions(), Keys: openKeys(Parts()),
		Types: map[reflect.Type]schema{
			reflect.TypeFor[time.Duration](): ref("duration"),
			reflect.TypeFor[draw.Dist]():     ref("distribution"),
			reflect.TypeFor[Strategy]():      ref("strategy"),
			reflect.TypeFor[[]Strategy](): {"anyOf": []schema{
				{"type": "array", "items": ref("strategy"), "minItems": 1},
				{"const": "all", "description": "every strategy that gets the work that it needs"},
				{"const": soundPattern, "description": soundDoc},
			}},
			reflect.TypeFor[lock.Attempts](): {"anyOf": []schema{{"type": "integer", "minimum": 1}, {"const": "unlimited"}}},
			reflect.TypeFor[faults.Spec]():   ref("fault"),
			reflect.TypeFor[results.Wake]():  {"enum": results.Wakes()},
			reflect.TypeFor[results.Heeds](): {"enum": results.Heedings()},
			reflect.TypeFor[results.Bound](): ref("bound"),
		},
		Fields: map[field]schema{
			{Owner: scenario, Key: "name"}:                             name,
			{Owner: scenario, Key: "checks"}:                           {"type": "array", "items": ref("check"), "uniqueItems": true, "minItems": 1},
			{Owner: reflect.TypeFor[workload.Settings](), Key: "kind"}: workloadSchema(),
			{Owner: reflect.TypeFor[Resource](), Key: "fence"}:         ref("fence"),
			{Owner: reflect.TypeFor[Each](), Key: "worker"}:            ref("worker"),
			{Owner: reflect.TypeFor[Each](), Key: "wall-offset"}:       ref("either-way"),
			{Owner: expect, Key: "holds"}:                              checks,
			{Owner: expect, Key: "violates"}:                           checks,
			{Owner: entry, Key: "case"}:                                name,
			{Owner: entry, Key: "class"}:                               {"enum": lock.Classes()},
			{Owner: reflect.TypeFor[faults.When](), Key: "worker"}:     ref("worker"),
			{Owner: reflect.TypeFor[faults.When](), Key: "point"}:      ref("point"),
			{Owner: reflect.TypeFor[faults.When](), Key: "nth"}:        {"type": "integer", "minimum": 1},
			{Owner: reflect.TypeFor[plainStrategy](), Key: "name"}:     strategyName(strategies),
			{Owner: reflect.TypeFor[lock.Params](), Key: "profile"}:    {"enum": profileNames()},
		},
	}
	addCatalogues(o)
	addNeeded(o)
	return o
}

// addCatalogues adds what the catalogues say of their keys: the faults, the parts of
// locks, the workloads and the measures. It adds the bounds of whole numbers too.
func addCatalogues(o strictyaml.Outline) {
	type field = strictyaml.Field
	for _, m := range results.Measures() {
		at := field{Owner: reflect.TypeFor[results.Expect](), Key: m.Name}
		o.Fields[at] = strictyaml.Described(ref("bound"), "a bound on "+m.Doc)
	}
	for _, numbers := range []struct {
		owner  reflect.Type
		counts []count
	}{
		{reflect.TypeFor[Scenario](), new(Scenario).counts()},
		{reflect.TypeFor[lock.Params](), lockCounts(lock.Params{})},
		{reflect.TypeFor[Servers](), serverCounts(Servers{})},
	} {
		for _, n := range numbers.counts {
			o.Fields[field{Owner: numbers.owner, Key: n.path}] = schema{"type": "integer", "minimum": n.low, "maximum": n.above}
		}
	}
	for _, k := range faults.Kinds() {
		kind := reflect.TypeOf(k.New()).Elem()
		for key, s := range k.Schema {
			o.Fields[field{Owner: kind, Key: key}] = s
		}
		for _, f := range reflect.VisibleFields(kind) {
			if word, ok := reflect.TypeAssert[faults.Word](reflect.Zero(f.Type)); ok {
				o.Types[f.Type] = schema{"enum": word.Words()}
			}
		}
	}
	for _, part := range Parts() {
		o.Fields[field{Owner: reflect.TypeFor[lock.Params](), Key: part.Name}] = schema{"enum": part.WayNames(), "description": part.Doc}
	}
	for _, p := range workload.Params(workload.Catalogue()) {
		at := field{Owner: reflect.TypeFor[workload.Settings](), Key: p.Name}
		switch {
		case p.Count != nil:
			o.Fields[at] = schema{"type": "integer", "minimum": p.Count.Low, "maximum": p.Count.High}
		case p.Word != nil:
			o.Fields[at] = schema{"enum": p.Word.Known}
		}
	}
}

// addNeeded adds which keys a map must have, and which keys it can have if these differ.
func addNeeded(o strictyaml.Outline) {
	var params []string
	for _, p := range workload.Params(workload.Catalogue()) {
		params = append(params, p.Name)
	}
	o.Types[reflect.TypeFor[WorkloadParams]()] = o.Struct(reflect.TypeFor[workload.Settings](), append(params, "hold", "think", "heeds")...)
	for _, must := range []struct {
		owner reflect.Type
		have  []string
	}{
		{reflect.TypeFor[workload.Settings](), []string{"kind"}},
		{reflect.TypeFor[Each](), []string{"worker"}},
		{reflect.TypeFor[faults.When](), []string{"worker", "point"}},
	} {
		s := o.Of(must.owner)
		s["required"] = must.have
		o.Types[must.owner] = s
	}
	expect := o.Of(reflect.TypeFor[results.Expect]())
	expect["minProperties"] = 1
	o.Types[reflect.TypeFor[results.Expect]()] = expect
}

// choice returns the schema of one of a few words, each with its meaning.
type choice struct{ word, doc string }

func oneOf[T any](all []T, as func(T) choice) []schema {
	var words []schema
	for _, one := range all {
		c := as(one)
		words = append(words, strictyaml.Described(schema{"const": c.word}, c.doc))
	}
	return words
}

func workloadSchema() schema {
	return schema{"oneOf": oneOf(workload.Catalogue(), func(i workload.Info) choice { return choice{i.Name, i.Doc} })}
}

func fenceSchema() schema {
	words := oneOf(resource.Policies(), func(p resource.PolicyInfo) choice { return choice{string(p.Policy), p.Doc} })
	return schema{"oneOf": append(words, strictyaml.Described(schema{"const": fenceByStrategy}, "reads-writes for strategies that promise tokens in the order of grants, off for others"))}
}

func checkSchema() schema {
	return schema{"oneOf": oneOf(checker.Catalogue(), func(c checker.Check) choice { return choice{c.Name, c.Doc} })}
}

// pointSchema names the points, unless a strategy may have points of its own.
func pointSchema(own []lock.Entry) schema {
	if len(own) > 0 {
		return schema{"type": "string"}
	}
	return schema{"enum": Points()}
}

const soundDoc = "every strategy without a known flaw that gets the work that it needs, except none"

// strategyName returns the schema of a name, or of a pattern that matches several.
func strategyName(strategies []lock.Entry) schema {
	names := oneOf(strategies, func(e lock.Entry) choice { return choice{e.Name, e.Doc} })
	return schema{"anyOf": append(names,
		schema{"type": "string", "pattern": `[*?\[\\]`, "description": "a pattern such as redis-*: all that match"},
		schema{"const": soundPattern, "description": soundDoc},
		schema{"enum": librarySpellings(), "description": "a library: the strategy that is nearest to it runs, with the parts of the library"},
	)}
}

// plainStrategy is a Strategy without its hook.
type plainStrategy Strategy

func strategySchema(o strictyaml.Outline, strategies []lock.Entry) schema {
	long := o.Of(reflect.TypeFor[plainStrategy]())
	long["required"] = []string{"name"}
	return schema{"anyOf": []schema{strategyName(strategies), long}}
}

// distSchema returns the schema of a duration, or of a map of one family with its parameters.
func distSchema(o strictyaml.Outline) schema {
	forms := []schema{ref("duration")}
	dist := reflect.TypeFor[draw.Dist]()
	for _, kind := range draw.Kinds() {
		all, needed := kind.Fields()
		o.Fields[strictyaml.Field{Owner: dist, Key: "dist"}] = schema{"const": kind}
		form := o.Struct(dist, append(all, "dist")...)
		form["required"] = append(needed, "dist")
		if kind == draw.Empirical {
			form["oneOf"] = []schema{{"required": []string{"file"}}, {"required": []string{"samples"}}}
		}
		forms = append(forms, form)
	}
	return schema{"anyOf": forms}
}

// faultSchema returns the schema of a map with one kind of fault and the time at which it falls.
func faultSchema(o strictyaml.Outline) schema {
	entry := o.Struct(reflect.TypeFor[faults.Spec](), "at", "when", "optional", "case", "class")
	var kinds []schema
	for _, k := range faults.Kinds() {
		name := string(k.Kind)
		keys := k.Params()
		params := o.Struct(reflect.TypeOf(k.New()).Elem(), keys...)
		of := params["properties"].(schema)
		maps.Copy(of, o.Struct(reflect.TypeFor[faults.Timing](), keys...)["properties"].(schema))
		for _, end := range []string{"from", "to", "target"} {
			if s, ok := of[end].(schema); ok {
				of[end] = strictyaml.Described(placeSchema(k, end), s["description"].(string))
			}
		}
		if s, ok := of["for"].(schema); ok {
			params["required"] = []string{"for"}
			if k.Length != "" {
				s["description"] = k.Length
			}
		}
		entry["properties"].(schema)[name] = strictyaml.Described(params, k.Doc)
		kinds = append(kinds, momentOf(k))
	}
	entry["oneOf"] = kinds
	return entry
}

// placeSchema returns the schema of a target of a fault.
func placeSchema(k faults.Info, end string) schema {
	var places []schema
	if end != "target" || !k.OnlyServer {
		places = append(places, ref("worker"), schema{"const": faults.EachWorker})
	}
	if end != "target" || k.Server {
		places = append(places, schema{"type": "string", "pattern": nodePattern()})
	}
	return schema{"anyOf": places}
}

// momentOf returns the schema of an entry of this kind with exactly one of the times or points at
// which the kind can fall.
func momentOf(k faults.Info) schema {
	name := string(k.Kind)
	if k.Point != faults.AnyPoint {
		pattern := `\.(sent|replied)$`
		if k.Point == faults.RequestPoint {
			pattern = `\.sent$`
		}
		return schema{
			"required":   []string{name, "when"},
			"properties": schema{"at": false, "when": schema{"properties": schema{"point": schema{"pattern": pattern}}}},
		}
	}
	return schema{"required": []string{name}, "oneOf": []schema{
		{"required": []string{"at"}},
		{"required": []string{"when"}},
		{"properties": schema{name: schema{"required": []string{"every"}}}},
	}}
}
