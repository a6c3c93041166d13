package command

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"lockquake/checker"
	"lockquake/checker/stored"
	"lockquake/faults"
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/workload"
	"lockquake/sim/resource"
)

func referenceWorkloads(b *strings.Builder) error {
	root, err := referenceRoot()
	if err != nil {
		return err
	}
	keys := referenceAt(root, "properties", "workload", "properties")
	b.WriteString("What they have in common: each worker goes through one critical section after another. Each section locks an\n" +
		"item, works, gives the lock back, and then waits. All keys stand in [scenario files](scenarios.md#workload).\n\n" +
		"- **hold**: how long the work takes\n- **think**: time between two sections\n\n")
	for _, info := range workload.Catalogue() {
		fmt.Fprintf(b, "## %s\n\n%s\n\n", info.Name, referenceSentence(info.Doc))
		for _, p := range info.Params {
			key := p.Name
			fmt.Fprintf(b, "- **%s** (%s): %s\n", key, referenceKind(key, referenceAt(keys, key)), referenceMeaning("workload", key, referenceAt(keys, key)))
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
		fmt.Fprintf(b, "- can be judged by: %s\n\n", strings.Join(checks, ", "))
	}
	b.WriteString("## Resources\n\nWhat the resource does with a fence token, set by `resource: {fence: ...}`. " +
		"Under every policy but `off` a\nrequest without a token is refused.\n\n")
	for _, p := range resource.Policies() {
		flawed := ""
		if p.Flawed {
			flawed = " (flawed)"
		}
		fmt.Fprintf(b, "- **%s**%s: %s\n", p.Policy, flawed, p.Doc)
	}
	return nil
}

func referenceFaults(b *strings.Builder) error {
	root, err := referenceRoot()
	if err != nil {
		return err
	}
	uses, classes, err := referenceUses()
	if err != nil {
		return err
	}
	b.WriteString("Each entry of `faults:` in a scenario has one of these kinds. It falls once `at` a moment, once `when` a worker comes\n" +
		"to a [point](points.md), or again and again: `every` is the time from the end of one to the begin of the next. " +
		"[Scenario\nfiles](scenarios.md#faults) has the keys beside the kind.\n\n" +
		"Where a server is named, `lock` stands for all servers of the lock, or for the primary of a replicated one; `lock-2`,\n" +
		"`lock-replica` and `resource` are one each. A name that a strategy does not have is not hit.\n\n" +
		"Classes are what the claims of strategies speak of:\n")
	var words []string
	for _, c := range lock.Classes() {
		words = append(words, fmt.Sprintf("%s %s", string(c), c))
	}
	b.WriteString(strings.Join(words, ", ") + ".\n" +
		"The class of a kind is that of its cases in `redis-matrix`.\n\n")
	for _, k := range faults.Kinds() {
		fmt.Fprintf(b, "## %s\n\n%s\n\n", k.Kind, referenceSentence(k.Doc))
		properties := referenceAt(root, "$defs", "fault", "properties", string(k.Kind), "properties")
		for _, param := range k.Params() {
			what := referenceKind(param, referenceAt(properties, param))
			if need := referenceNeed(k, param); need != "" {
				what += "; " + need
			}
			fmt.Fprintf(b, "- **%s** (%s): %s\n", param, what, referenceMeaning(string(k.Kind), param, referenceAt(properties, param)))
		}
		switch k.Point {
		case faults.MessagePoint:
			b.WriteString("- falls only `when`, at a point that ends with `.sent` or `.replied`\n")
		case faults.RequestPoint:
			b.WriteString("- falls only `when`, at a point that ends with `.sent`\n")
		}
		if k.Instant {
			b.WriteString("- takes no time\n")
		}
		if of := classes[k.Kind]; of != nil {
			fmt.Fprintf(b, "- class: %s\n", strings.Join(of, ", "))
		}
		if in := uses[k.Kind]; in != nil {
			fmt.Fprintf(b, "- in the built-in scenarios %s\n", referenceCode(in))
		}
		b.WriteByte('\n')
	}
	return nil
}

// referenceUses returns the built-in scenarios that have each kind of fault, and
// the classes of its cases.
func referenceUses() (uses, classes map[faults.Kind][]string, err error) {
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

// referenceNeed says whether a parameter of a fault has to be there, or what it
// is if it is not.
func referenceNeed(k faults.Info, param string) string {
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

func referenceChecks(b *strings.Builder) error {
	b.WriteString("A check is valid, invalid or unknown. Unknown is never a pass. What each one decides, and what it cannot see, is\n" +
		"in [the model](../model.md#what-the-checks-decide). A check that is\n" +
		"advisory does not decide a run unless an expectation names it.\n\n")
	for _, c := range checker.Catalogue() {
		on := "every workload"
		if c.Workloads != nil {
			on = "the workloads " + strings.Join(c.Workloads, ", ")
		}
		fmt.Fprintf(b, "- **%s**: %s. For %s. One violation is %s.%s\n", c.Name, c.Doc, on, c.Unit, checkNotes(c))
	}
	b.WriteString("\n## Models of stored histories\n\n`lockquake check` judges what Jepsen wrote as one of these; [more](../check.md).\n\n")
	for _, m := range stored.Models() {
		fmt.Fprintf(b, "- **%s** (%s): %s\n", m.Name, strings.Join(m.Functions, ", "), m.Doc)
	}
	return nil
}

// checkNotes says what is special of a check, "" if nothing is.
func checkNotes(c checker.Check) string {
	notes := ""
	if c.NoRate != "" {
		notes += " It has no rate for each hour or acquisition: " + c.NoRate + "."
	}
	if c.Advisory {
		notes += " It is advisory."
	}
	return notes
}

func referencePoints(b *strings.Builder) error {
	b.WriteString("A point is a named step of a worker. Each costs the time of `step:`, and a fault can fall on it:\n" +
		"`when: {worker: worker-1, point: lease-checked, nth: 1}`.\n\n## Steps of a worker\n\n")
	var operations []string
	for _, point := range scenarios.Points() {
		operation, event, ofMessage := strings.Cut(point, ".")
		if ofMessage && referenceEvents()[event] != "" {
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
		"pushes to a subscriber has the last two,\n`message.replied` and `message.taken`. An operation of several commands comes to its "+
		"points several times. A lock of your\nown names its operations with `env.WithOp`, and its steps with `env.Point`.\n\n",
		referenceCode(operations))
	for _, event := range []string{"sent", "applied", "replied", "taken"} {
		fmt.Fprintf(b, "- **.%s**: %s\n", event, referenceEvents()[event])
	}
	return nil
}

// pointDoc says where in its work, or in a message of it, a worker comes to a point.
func pointDoc(point string) (string, error) {
	_, event, _ := strings.Cut(point, ".")
	doc := cmp.Or(referenceEvents()[event], referenceSteps()[point])
	if doc == "" {
		return "", fmt.Errorf("the point %s has no words in referencecatalogue.go", point)
	}
	return doc, nil
}

// referenceEvents says what becomes of a message at each of its points.
func referenceEvents() map[string]string {
	return map[string]string{
		"sent": "the request leaves", "applied": "the server has carried it out",
		"replied": "the reply leaves the server", "taken": "the worker has the reply",
	}
}

// referenceSteps says where in its work a worker comes to a point that is no
// message's.
func referenceSteps() map[string]string {
	return map[string]string{
		"acquire-called": "the strategy is asked to run a section",
		"acquired":       "the strategy lets the work begin",
		"read-called":    "the work is about to read",
		"read-done":      "the work has what it read",
		"lease-checked":  "the strategy has made its last check, if it makes one, and the write is about to be sent",
		"write-replied":  "the work knows what became of its write",
		"release-called": "the work has ended, and the lock is to be given back",
		"released":       "the strategy has returned",
		"commit-called":  "the write is about to be sent after the release; of `commit: after-release` only",
		"renewal-begins": "the task that renews has begun; of `renewal: racy` only",
		"renew-called":   "the lease is about to be renewed",
	}
}
