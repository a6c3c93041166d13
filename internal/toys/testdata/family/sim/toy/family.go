// Package toy is a family of lock servers that is as small as one can be. The only
// request of a server is the compare-and-set of a register.
package toy

import (
	"time"

	"lockquake/lock/toy"
	"lockquake/sim/backend"
)

// settings are its keys in a scenario file.
type settings struct {
	Toy struct {
		Wait  time.Duration `yaml:"wait" doc:"how long a client waits for a reply" min:"1ms" max:"1m"`
		Dials int           `yaml:"dials" doc:"how often a client dials before it gives up" min:"1" max:"9"`
	} `yaml:"toy" doc:"the clients of the toy servers"`
}

func defaults() (s settings) {
	s.Toy.Wait, s.Toy.Dials = time.Second, 3
	return s
}

func settingsOf(s backend.Settings) settings {
	set := defaults()
	s.Apply(&set)
	return set
}

// Family returns the toy servers with their locks.
func Family() backend.Family {
	return backend.Family{
		Family:       toy.Family(),
		Doc:          "one register for each lock, with compare-and-set",
		Settings:     defaults(),
		ReplyTimeout: backend.ReplyTimeout{Key: "toy.wait", Of: func(s backend.Settings) time.Duration { return settingsOf(s).Toy.Wait }},
		Start:        start,
		Prototype:    &cluster{},
	}
}
