// Package workload defines the work of the workers under a lock, a file for each workload.
//
//   - [Info] describes a workload and [Catalogue] lists them (workload.go). A workload is a
//     function of a [Work], which holds the input of one call and a [Recorder]. The function
//     acts through the Recorder, and checks judge the recorded history.
//   - [Settings] holds the settings of a scenario file, and a [Param] is a key that only some
//     workloads have, with its meaning and its bounds (settings.go).
//   - Each workload has a file of its own name: cache-fill, charge, counter, cron, discount,
//     flash-sale, jobs, leader, leader-election, limited, migration, multi-lock, nested,
//     rate-limit, read-write, register, reminders, set-add, steal, transfer and triggers.
//     multilock.go also has the common part of the workloads that need several locks, writes.go
//     that of those that write several times, and mark.go that of those that mark what was done.
//
// A new workload costs one file with its Info, and one line in Catalogue. If it has a new
// key, that is also a field of Settings:
//
//	func queueInfo() Info {
//		return Info{Name: "queue", Doc: "...", Params: []Param{writesParam()}, Do: oneLock(queue)}
//	}
package workload
