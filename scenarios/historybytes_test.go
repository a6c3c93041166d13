package scenarios

import (
	"strconv"
	"testing"
	"unsafe"

	"lockquake/history"
)

// Pointers are shorter on a 32-bit machine, so an event is smaller there.
func TestAnEventHasTheSizeThatHistoryBytesCounts(t *testing.T) {
	size := unsafe.Sizeof(history.Event{})
	if size > eventBytes || strconv.IntSize == 64 && size != eventBytes {
		t.Errorf("a history.Event has %d bytes, and eventBytes is %d", size, eventBytes)
	}
}
