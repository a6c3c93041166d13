package redis

import "testing"

func TestToyPresetHasTheRecipeWithItsParts(t *testing.T) {
	for _, e := range Family().Strategies {
		if e.Name != "redis-careless" {
			continue
		}
		if p := e.Defaults.Parts; p["take"] != "get-set" || p["release"] != "plain" || p["owner"] != "random" || !e.Flawed {
			t.Errorf("its parts are %v, flawed %v", p, e.Flawed)
		}
		return
	}
	t.Error("no strategy is called redis-careless")
}
