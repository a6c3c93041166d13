package strictyaml_test

import (
	"fmt"
	"time"

	"lockquake/internal/strictyaml"
)

func Example() {
	type oven struct {
		Heat int           `yaml:"heat"`
		Time time.Duration `yaml:"time"`
	}
	o := oven{Heat: 180}
	_, err := strictyaml.Decoder{}.Decode("bread.yaml", []byte("time: 40m\n"), &o)
	fmt.Println(o.Heat, o.Time, err)
	_, err = strictyaml.Decoder{}.Decode("bread.yaml", []byte("time: 40m\nheet: 200\n"), &o)
	fmt.Println(err)
	// Output:
	// 180 40m0s <nil>
	// bread.yaml:2:1: unknown key "heet"; did you mean "heat"?
}
