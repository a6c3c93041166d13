package client

import (
	"errors"
	"testing"
)

// The bytes are those of the protocol: four bytes for the number of the request, four for the operation, then its values.
func TestARequestThatIsTooShortIsRefused(t *testing.T) {
	for name, frame := range map[string][]byte{
		"no operation":        {0, 0, 0, 1},
		"a path that is cut":  {0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 5, '/', 'a'},
		"exists without flag": {0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 2, '/', 'a'},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := decodeRequest(frame); !errors.Is(err, errShort) {
				t.Errorf("got %v", err)
			}
		})
	}
	if q, n, err := decodeRequest([]byte{0, 0, 0, 1, 0, 0, 0, 3, 0, 0, 0, 2, '/', 'a', 1}); err != nil || n != numExists || q.Path != "/a" || !q.Watch || q.Xid != 1 {
		t.Errorf("got %+v, %d, %v", q, n, err)
	}
}

func TestAnOperationThatIsNotSimulatedIsNamed(t *testing.T) {
	const multi = 14
	_, _, err := decodeRequest([]byte{0, 0, 0, 1, 0, 0, 0, multi})
	if want := "zookeeper: operation 14 of the protocol is not simulated"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
