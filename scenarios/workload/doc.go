// Package workload holds what workers do under a lock, a file for each workload.
//
//   - [Info] describes a workload and [Catalogue] lists them (workload.go). A workload is
//     a function that works through a [Recorder] and with the [Work] that one call has to
//     do; the checks of its kind tell what must be true of the history.
//   - [Settings] are what a scenario file says of its workload, and a [Param] is a key
//     that only some workloads have, with its meaning and its bounds (settings.go).
//   - counter.go, register.go, cron.go, reminders.go and multilock.go have a workload
//     each; writes.go has what those share that write several times.
//
// A new workload is one file that returns its Info, and one line in Catalogue. A key that
// no workload has yet is a field of Settings, too:
//
//	func queueInfo() Info {
//		return Info{Name: "queue", Doc: "...", Params: []Param{writesParam()}, Do: oneLock(queue)}
//	}
package workload
