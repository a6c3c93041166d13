package run_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"lockquake/history"
	"lockquake/internal/schematest"
	"lockquake/scenarios"
	"lockquake/scenarios/run"
)

// Each line is validated whose fields are not those of an earlier line, so that all sorts of events are.
func TestTheHistoriesOfAllScenariosAreOfTheSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs all scenarios")
	}
	compiled := schematest.Compile(t, history.JSONSchema())
	seen, types := map[string]bool{}, map[history.Type]bool{}
	validate := func(run, shape string, line any) {
		if seen[shape] {
			return
		}
		seen[shape] = true
		data, err := json.Marshal(line)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err == nil {
			err = compiled.Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %s: %v", run, data, err)
		}
	}
	for _, name := range scenarios.Builtins() {
		s, err := scenarios.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		uses, err := s.Uses(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		ran := map[string]bool{}
		uses = slices.DeleteFunc(uses, func(use scenarios.Strategy) bool {
			// Of a scenario with cases, each case and each strategy runs once.
			again := use.Case != "" && ran[use.Case] && ran[use.Name]
			ran[use.Case], ran[use.Name] = true, true
			return again
		})
		var mu sync.Mutex
		err = run.NewPool(s, nil, 0, 0).All(t.Context(), int64(len(uses)), func(i int64) run.Task {
			return run.Task{Scenario: s, Use: uses[i], Seed: 1, Do: func(r *run.Runner) error {
				trial, err := r.Once(uses[i], 1)
				if err != nil {
					return err
				}
				mu.Lock()
				defer mu.Unlock()
				meta := trial.History.Meta
				meta.Schema = history.Schema
				validate(name, "meta"+given(meta), meta)
				for _, e := range trial.History.Events {
					types[e.Type] = true
					validate(name, strings.Join([]string{given(e), string(e.Type), string(e.Class), string(e.Effect), e.Op, e.Mode, e.With}, " "), e)
				}
				return nil
			}}
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, what := range typesOf(t) {
		if !types[what] {
			t.Errorf("no built-in scenario has an event of type %s", what)
		}
	}
	t.Logf("%d sorts of lines", len(seen))
}

// given names the fields of a struct that are not zero.
func given(line any) string {
	var names strings.Builder
	v := reflect.ValueOf(line)
	for i := range v.NumField() {
		if !v.Field(i).IsZero() {
			names.WriteString(v.Type().Field(i).Name + " ")
		}
	}
	return names.String()
}

// typesOf lists the types of events that the schema has.
func typesOf(t *testing.T) []history.Type {
	t.Helper()
	var schema struct {
		Defs struct {
			Event struct {
				Properties struct {
					Type struct {
						OneOf []struct {
							Const history.Type `json:"const"`
						} `json:"oneOf"`
					} `json:"type"`
				} `json:"properties"`
			} `json:"event"`
		} `json:"$defs"`
	}
	if err := json.Unmarshal(history.JSONSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	var all []history.Type
	for _, one := range schema.Defs.Event.Properties.Type.OneOf {
		all = append(all, one.Const)
	}
	if len(all) < 20 {
		t.Fatalf("the schema has the types %v only", all)
	}
	return all
}
