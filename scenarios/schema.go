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

// Schema describes scenario files as JSON Schema, draft 2020-12, so that an
// editor checks and completes them. It is made from the types that Parse fills
// and from the catalogues. Own are as in [Parse]. What Parse
// accepts it accepts, but for forms that nobody writes, such as
// a parameter that does not count and is set to zero. What takes more than one
// part of a file to see, such as a label that is there twice, only Parse sees.
func Schema(own ...lock.Entry) map[string]any { return families(Families()).schema(own) }

func (f families) schema(own []lock.Entry) schema {
	strategies := slices.Concat(f.strategies(), own)
	o := f.outline(strategies)
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
		"fence":        fenceSchema(),
		"point":        f.pointSchema(own),
		"worker":       schema{"type": "string", "pattern": `^worker-[1-9][0-9]*$`},
	}
	return root
}

type schema = strictyaml.Schema

// durationPattern is what time.ParseDuration reads, without its sign.
const durationPattern = `(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$`

func ref(def string) schema { return schema{"$ref": "#/$defs/" + def} }

// outline is what reflection cannot see of the types of a scenario.
func (f families) outline(strategies []lock.Entry) strictyaml.Outline {
	type field = strictyaml.Field
	scenario := reflect.TypeFor[Scenario]()
	checks := schema{"type": "array", "items": ref("check"), "uniqueItems": true}
	o := strictyaml.Outline{
		Words: keyWords(), Extensions: f.extensions(),
		Types: map[reflect.Type]schema{
			reflect.TypeFor[time.Duration](): ref("duration"),
			reflect.TypeFor[draw.Dist]():     ref("distribution"),
			reflect.TypeFor[Strategy]():      ref("strategy"),
			reflect.TypeFor[[]Strategy](): {"anyOf": []schema{
				{"type": "array", "items": ref("strategy"), "minItems": 1},
				{"const": "all", "description": "every strategy that there is"},
			}},
			reflect.TypeFor[lock.Attempts](): {"anyOf": []schema{{"type": "integer", "minimum": 1}, {"const": "unlimited"}}},
			reflect.TypeFor[faults.Spec]():   ref("fault"),
			reflect.TypeFor[results.Wake]():  {"enum": results.Wakes()},
			reflect.TypeFor[results.Heeds](): {"enum": results.Heedings()},
			reflect.TypeFor[results.Bound](): {"anyOf": []schema{{"type": "string", "pattern": results.BoundPattern}, {"type": "number"}}},
		},
		Fields: map[field]schema{
			{Owner: scenario, Key: "name"}:                              {"type": "string", "pattern": namePattern, "maxLength": LongestName},
			{Owner: scenario, Key: "checks"}:                            {"type": "array", "items": ref("check"), "uniqueItems": true, "minItems": 1},
			{Owner: reflect.TypeFor[workload.Settings](), Key: "kind"}:  workloadSchema(),
			{Owner: reflect.TypeFor[Resource](), Key: "fence"}:          ref("fence"),
			{Owner: reflect.TypeFor[Each](), Key: "worker"}:             ref("worker"),
			{Owner: reflect.TypeFor[Each](), Key: "wall-offset"}:        ref("either-way"),
			{Owner: reflect.TypeFor[results.Expect](), Key: "holds"}:    checks,
			{Owner: reflect.TypeFor[results.Expect](), Key: "violates"}: checks,
			{Owner: reflect.TypeFor[faults.When](), Key: "worker"}:      ref("worker"),
			{Owner: reflect.TypeFor[faults.When](), Key: "point"}:       ref("point"),
			{Owner: reflect.TypeFor[faults.When](), Key: "nth"}:         {"type": "integer", "minimum": 1},
			{Owner: reflect.TypeFor[plainStrategy](), Key: "name"}:      strategyName(strategies),
			{Owner: reflect.TypeFor[lock.Params](), Key: "profile"}:     {"enum": profileNames()},
		},
	}
	for _, numbers := range []struct {
		owner  reflect.Type
		counts []count
	}{
		{scenario, new(Scenario).counts()},
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
	for _, part := range f.parts() {
		o.Fields[field{Owner: reflect.TypeFor[lock.Params](), Key: part.Name}] = schema{"enum": part.WayNames(), "description": part.Doc}
	}
	o.Keys = openKeys(f.parts())
	var params []string
	for _, p := range workload.Params(workload.Catalogue()) {
		at := field{Owner: reflect.TypeFor[workload.Settings](), Key: p.Name}
		switch {
		case p.Count != nil:
			o.Fields[at] = schema{"type": "integer", "minimum": p.Count.Low, "maximum": p.Count.High}
		case p.Word != nil:
			o.Fields[at] = schema{"enum": p.Word.Known}
		}
		if p.Doc != "" {
			o.Words[p.Name] = p.Doc
		}
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
	return o
}

// choice is one of a few words, each with what it means.
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
	return schema{"oneOf": oneOf(resource.Policies(), func(p resource.PolicyInfo) choice { return choice{string(p.Policy), p.Doc} })}
}

func checkSchema() schema {
	return schema{"oneOf": oneOf(checker.Catalogue(), func(c checker.Check) choice { return choice{c.Name, c.Doc} })}
}

// pointSchema names the points, unless a strategy may have points of its own.
func (f families) pointSchema(own []lock.Entry) schema {
	if len(own) > 0 {
		return schema{"type": "string"}
	}
	return schema{"enum": f.points()}
}

// strategyName is a name, or a pattern that stands for several.
func strategyName(strategies []lock.Entry) schema {
	names := oneOf(strategies, func(e lock.Entry) choice { return choice{e.Name, e.Doc} })
	return schema{"anyOf": append(names, schema{"type": "string", "pattern": `[*?\[\\]`, "description": "a pattern such as redis-*: all that match"})}
}

// plainStrategy is a Strategy without its hook.
type plainStrategy Strategy

func strategySchema(o strictyaml.Outline, strategies []lock.Entry) schema {
	long := o.Of(reflect.TypeFor[plainStrategy]())
	long["required"] = []string{"name"}
	return schema{"anyOf": []schema{strategyName(strategies), long}}
}

// distSchema is a duration, or a map of one family with its parameters.
func distSchema(o strictyaml.Outline) schema {
	forms := []schema{ref("duration")}
	for _, kind := range draw.Kinds() {
		all, needed := kind.Fields()
		form := o.Struct(reflect.TypeFor[draw.Dist](), append(all, "dist")...)
		form["properties"].(schema)["dist"] = schema{"const": kind, "description": o.Words["dist"]}
		form["required"] = append(needed, "dist")
		if kind == draw.Empirical {
			form["oneOf"] = []schema{{"required": []string{"file"}}, {"required": []string{"samples"}}}
		}
		forms = append(forms, form)
	}
	return schema{"anyOf": forms}
}

// faultSchema is a map with one kind of fault and beside it when it falls.
func faultSchema(o strictyaml.Outline) schema {
	properties := schema{
		"at":       strictyaml.Described(ref("duration"), o.Words["at"]),
		"when":     strictyaml.Described(o.Of(reflect.TypeFor[faults.When]()), o.Words["when"]),
		"optional": schema{"type": "boolean", "description": o.Words["optional"]},
		"case":     schema{"type": "string", "pattern": namePattern, "maxLength": LongestName, "description": o.Words["case"]},
		"class":    schema{"enum": lock.Classes(), "description": o.Words["class"]},
	}
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
		properties[name] = strictyaml.Described(params, k.Doc)
		kinds = append(kinds, momentOf(k))
	}
	return schema{"type": "object", "properties": properties, "additionalProperties": false, "oneOf": kinds}
}

// placeSchema is what a fault takes hold of.
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

// momentOf says that an entry is of this kind, and has exactly one of the
// moments that the kind can fall at.
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

// keyWords say what each key means. The names that a key can take are told of in
// their catalogues, and so are the keys of the workloads.
func keyWords() map[string]string {
	return map[string]string{
		"name":            "how the scenario is called",
		"description":     "what it shows, in one line",
		"source":          "where the story comes from",
		"duration":        "virtual time; faults and new sections end here, the run goes on",
		"seeds":           "fewest runs after which an expected violation that was not seen counts as missing",
		"workers":         "how many workers there are; they are called worker-1, worker-2, ...",
		"processes":       "processes that the workers share in turn, with one client each; 0 for a process of its own for each",
		"resources":       "how many resources there are; a section draws one of them",
		"sections":        "jobs of each worker, each one critical section unless workload.attempts lets it try again; 0 for as many as fit into the duration",
		"step":            "virtual time that every named step of a worker costs",
		"wake":            "what a process that was stopped sees first on waking; drawn: each of its cores takes a wake-lag of its own, and so does the network poller",
		"wake-lag":        "from the waking of a process to its late deadlines and messages",
		"cores":           "processors of each process, which wake one by one if wake is drawn",
		"workload":        "what the workers do under the lock",
		"kind":            "which workload",
		"hold":            "time between the read and the write",
		"think":           "time between two sections",
		"heeds":           "how far the work looks at its context, which a lock can end; always: the hold sleeps until the context ends, and requests need one that has not; before-write: the hold computes, and only the requests look; never: the hold computes, and nothing looks",
		"key":             "of cron: one lock for the job, or one for each tick",
		"resource":        "what the protected resource does",
		"fence":           "what it does with a fence token",
		"lock":            "parameters of the lock",
		"ttl":             "lease time that the server is asked for",
		"retry":           "what follows a refused acquire",
		"attempts":        "of a lock: how often an acquire is tried, the first one included; of counter: how many sections one job may take, the first one included, each with a time to think before it; a job is tried again after any error (of the lock, the work or the resource), given up after the last one, and forgotten in a crash",
		"delay":           "wait before the next attempt",
		"jitter":          "a uniform part of this is added to the delay",
		"doubling":        "the delay, but not the jitter, doubles after every attempt",
		"refused":         "a bound on the sections that did not get the lock",
		"renew":           "period of renewal; 0s for a third of the lease",
		"profile":         "ttl, retry and renew of a kind of work; the keys beside it win",
		"random":          "waits for a uniform part of the delay instead of all of it",
		"after-last":      "waits once more when the last attempt was refused",
		"node-timeout":    "how long one of several servers, or a replica, is waited for; 0s for as long as the client waits",
		"drift":           "what is taken off the validity of several servers; 0s for a hundredth of the ttl and 2ms",
		"wait":            "how many replicas must have the key before it counts as taken",
		"fallback":        "how long a waiter listens before it asks all the same; 0s for ever",
		"max-hold":        "how long renewal keeps one grant alive",
		"servers":         "the servers of the lock",
		"nodes":           "how many independent servers: lock, or lock-1, lock-2, ... of several",
		"replicas":        "replicas of a single server: 0, or 1 that is called lock-replica",
		"lag":             "how long a write takes to reach the replica",
		"failover":        "how long after a crash of the primary its replica takes its place; 0s for never",
		"delayed-restart": "whether a server that comes back stays silent for the longest ttl",
		"service":         "how long a server takes for one request, one after another",
		"network":         "the network between workers and servers",
		"latency":         "how long a message is under way, in each direction",
		"links":           "links with a latency of their own, one direction each; a later one wins",
		"from":            "one end of the link",
		"to":              "the other end of the link",
		"clocks":          "servers of the lock whose wall clock is wrong",
		"server":          "which server",
		"strategies":      "the locks under test",
		"label":           "how reports call this use of the strategy",
		"each":            "where one worker differs from the others",
		"worker":          "which worker",
		"start":           "when its first section begins",
		"wall-offset":     "by how much its wall clock is fast; slow if negative",
		"faults":          "what goes wrong",
		"case":            "the runs in which it falls: every strategy is run once for each case that there is",
		"class":           "the class of faults that the case belongs to, by which strategies make their claims",
		"claims":          "whether of each strategy is expected what it claims to hold under the class of the case",
		"checks":          "how runs are judged; all checks that can judge the workload unless given",
		"expect":          "what must be seen, by label of a strategy",
		"holds":           "checks that must be valid in every run",
		"violates":        "checks that must be violated in at least one run",
		"dist":            "family of the distribution",
		"value":           "every sample",
		"min":             "no sample is shorter",
		"max":             "every sample is shorter",
		"mean":            "mean of the samples",
		"median":          "half of the samples are shorter",
		"p99":             "99 % of the samples are shorter",
		"file":            "where the samples come from, one duration a line, beside the scenario; or samples",
		"samples":         "the samples themselves; each is equally likely",
		"at":              "the moment of a single fault",
		"when":            "the point in a worker's work at which a single fault falls",
		"point":           "a named step of the worker or a message",
		"nth":             "which time the worker comes to the point, from 1",
		"optional":        "the scenario is fine even if this fault never met anything",
		"clock":           "which clock of the node",
		"finished":        "a bound on the work that was done and took effect, of all that was asked for, such as \">= 95 %\"",
		"lost":            "a bound on the sections that lost the lock while they worked, of those that got it",
		"given-up":        "a bound on the sections that gave up a lease needlessly, of those that got the lock",
		"wait-p50":        "a bound on the median wait for the lock, such as \"<= 5s\"",
		"wait-p99":        "a bound on the wait that 99 % of the sections do not exceed",
		"wait-max":        "a bound on the longest wait for the lock",
		"hold-p50":        "a bound on the median time inside",
		"hold-p99":        "a bound on the time inside that 99 % of the sections do not exceed",
		"hold-max":        "a bound on the longest time inside",
		"commands":        "a bound on the requests to the lock's servers for each acquisition",
	}
}
