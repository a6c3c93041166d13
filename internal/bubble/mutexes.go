package bubble

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unsafe"
)

// For synctest a goroutine that waits for a mutex is not durably blocked, since a goroutine outside of the bubble may hold the mutex. In a
// simulated process another goroutine of the process holds it. Without a change, such a bubble would never come to rest, and its
// clock would stand still. The runtime has a table of the reasons for which a waiting goroutine is durably blocked
// (isIdleInSynctest in runtime/runtime2.go). durableMutexes adds the waits for a mutex to it.

//go:linkname lastModule runtime.lastmoduledatap
var lastModule *module //nolint:gochecknoglobals // a variable of the runtime

// module has the first fields of moduledata in runtime/symtab.go.
type module struct {
	_                     uintptr    // pcHeader
	_                     [6][]byte  // tables of functions
	_                     [3]uintptr // findfunctab, minpc, maxpc
	_                     [2]uintptr // text, etext
	noptrdata, enoptrdata *byte
}

// The reasons of type waitReason in runtime/runtime2.go.
const (
	reasons       = 47
	waitMutex     = 22
	waitReadLock  = 23
	waitWriteLock = 24
)

// durable lists the reasons for which a goroutine is durably blocked.
func durable() []int { return []int{14, 15, 16, 17, 21, 38, 40, 41, 42, 43, 44, 45} }

// mutexes is the result of durableMutexes.
var mutexes struct { //nolint:gochecknoglobals // the runtime is the same for the whole process
	once    sync.Once
	durable bool
}

// durableMutexes lets a goroutine of a bubble that waits for a mutex be durably blocked. It reports false, and changes nothing, if
// it does not find the table of the runtime. Then a goroutine that waits for a mutex for longer than an instant stops its process. It
// must be called before the first bubble is made.
func durableMutexes() bool {
	mutexes.once.Do(func() {
		if !strings.HasPrefix(runtime.Version(), knownGo) {
			return
		}
		if table := tableOf(lastModule); table != nil {
			table[waitMutex], table[waitReadLock], table[waitWriteLock] = 1, 1, 1
			mutexes.durable = true
		}
	})
	return mutexes.durable
}

// tableOf finds the table in the data of a program; nil if it is not there exactly once.
func tableOf(m *module) []byte {
	if m == nil || m.noptrdata == nil {
		return nil
	}
	data := unsafe.Slice(m.noptrdata, uintptr(unsafe.Pointer(m.enoptrdata))-uintptr(unsafe.Pointer(m.noptrdata)))
	want := make([]byte, reasons)
	for i := range want {
		if slices.Contains(durable(), i) {
			want[i] = 1
		}
	}
	at := bytes.Index(data, want)
	if at < 0 || bytes.Contains(data[at+1:], want) {
		return nil
	}
	return data[at : at+reasons]
}
