package redis

import (
	"strings"
	"testing"

	"lockquake/lock"
)

// The panic names the type of the wrong port.
func TestPortOfPanicsOnThePortOfAnotherFamily(t *testing.T) {
	client := Port{Subscriber: NewSubscriber(nil)}
	if got := PortOf(lock.Deps{Port: client}); got.Subscriber != client.Subscriber {
		t.Errorf("the port is %+v, want %+v", got, client)
	}
	defer func() {
		if text, _ := recover().(string); !strings.Contains(text, `the port int: set Entry.Family to "redis"`) {
			t.Errorf("the panic says %q", text)
		}
	}()
	PortOf(lock.Deps{Port: 7})
}
