package docgen

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"lockquake/faults"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/sim/backend"
)

// writeFaults writes the kinds of faults with their parameters.
func writeFaults(b *strings.Builder) error {
	root, err := readSchema()
	if err != nil {
		return err
	}
	uses, classes, err := faultUses()
	if err != nil {
		return err
	}
	b.WriteString("Each entry of `faults:` in a scenario has one of these kinds. The fault happens once at a time (`at`), once when a worker\n" +
		"reaches a [point](points.md) (`when`), or repeatedly: `every` is the time from the end of one fault to the start of the next. " +
		"[Scenario\nfiles](scenarios.md#faults) lists the other keys of an entry.\n\n" +
		"As a target, `lock` means all lock servers, or the primary if the lock is replicated; `lock-2`, `lock-replica` and\n" +
		"`resource` are single servers. A fault of a server that a strategy does not have hits nothing.\n\n" +
		"Strategies make their claims for these classes of faults:\n")
	var words []string
	for _, c := range lock.Classes() {
		words = append(words, fmt.Sprintf("%s %s", string(c), c))
	}
	b.WriteString(strings.Join(words, ", ") + ".\n" +
		"The class of a kind of fault is the class of its cases in `redis-matrix`.\n\n")
	for _, k := range faults.Kinds() {
		fmt.Fprintf(b, "## %s\n\n%s\n\n", k.Kind, sentence(k.Doc))
		properties := at(root, "$defs", "fault", "properties", string(k.Kind), "properties")
		for _, param := range k.Params() {
			what := kindOf(param, at(properties, param))
			if need := needOf(k, param); need != "" {
				what += "; " + need
			}
			fmt.Fprintf(b, "- **%s** (%s): %s\n", param, what, at(properties, param)["description"])
		}
		switch k.Point {
		case faults.MessagePoint:
			b.WriteString("- happens only `when`, at a point that ends with `.sent` or `.replied`\n")
		case faults.RequestPoint:
			b.WriteString("- happens only `when`, at a point that ends with `.sent`\n")
		}
		if k.Instant {
			b.WriteString("- has no duration\n")
		}
		if some := families(k); len(some) < len(scenarios.Families()) {
			fmt.Fprintf(b, "- the lock servers that can have it: %s\n", strings.Join(some, ", "))
		}
		if of := classes[k.Kind]; of != nil {
			fmt.Fprintf(b, "- class: %s\n", strings.Join(of, ", "))
		}
		if in := uses[k.Kind]; in != nil {
			fmt.Fprintf(b, "- in the built-in scenarios %s\n", code(in))
		}
		b.WriteByte('\n')
	}
	return nil
}

// families returns the families of lock servers that can have a kind of fault, each with the errors of
// answer-errors that are its own.
func families(k faults.Info) []string {
	var names []string
	for _, f := range scenarios.Families() {
		if k.Kind != (&faults.AnswerErrors{}).Info().Kind {
			if faults.Supported(k.New(), f.Prototype) {
				names = append(names, f.Name)
			}
			continue
		}
		if r, ok := f.Prototype.(backend.Refuser); ok {
			var codes []string
			for _, c := range r.Refuses() {
				codes = append(codes, "`"+string(c)+"`")
			}
			names = append(names, fmt.Sprintf("%s (%s)", f.Name, strings.Join(codes, ", ")))
		}
	}
	return names
}

// faultUses returns the built-in scenarios that have each kind of fault, and
// the classes of its cases.
func faultUses() (uses, classes map[faults.Kind][]string, err error) {
	uses, classes = map[faults.Kind][]string{}, map[faults.Kind][]string{}
	for _, name := range scenarios.Builtins() {
		s, err := scenarios.Load(name)
		if err != nil {
			return nil, nil, err
		}
		for _, f := range s.Faults {
			if !slices.Contains(uses[f.Kind()], name) {
				uses[f.Kind()] = append(uses[f.Kind()], name)
			}
			class := fmt.Sprintf("%s %s", f.Class, lock.Class(f.Class))
			if f.Class != "" && !slices.Contains(classes[f.Kind()], class) {
				classes[f.Kind()] = append(classes[f.Kind()], class)
			}
		}
	}
	return uses, classes, nil
}

// needOf returns whether a parameter of a fault is required or, if it is not, its default.
func needOf(k faults.Info, param string) string {
	switch param {
	case "target":
		if k.OnlyServer {
			return "default `lock`"
		}
		return "needed without `when`"
	case "every":
		return ""
	}
	params := reflect.ValueOf(k.Defaults()).Elem()
	for _, field := range reflect.VisibleFields(params.Type()) {
		if field.Tag.Get("yaml") != param {
			continue
		}
		if preset := params.FieldByIndex(field.Index); preset.Kind() == reflect.String && preset.String() != "" {
			return "default `" + preset.String() + "`"
		}
		if without := field.Tag.Get("without"); without != "" {
			return "default: " + without
		}
	}
	return "needed"
}
