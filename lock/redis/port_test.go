package redis

import (
	"strings"
	"testing"

	"lockquake/lock"
)

// A strategy that is handed the port of another family says so.
func TestPortOfAnotherFamilyIsNamed(t *testing.T) {
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
