package docgen

import (
	"fmt"
	"slices"
	"strings"

	"lockquake/scenarios"
)

// reproduced is a published bug that one command reproduces.
type reproduced struct {
	issues    []string // "owner/name#12", and "owner/name!12" for a pull request
	mechanism string
	scenario  string
	label     string // use of a strategy that has the bug; "" for the only one of which a violation is expected
	check     string // names it
	seed      uint64 // first one that shows all that is expected of the label; 0 for 1
}

// record lists the published bugs, by project. A test runs the command of each.
func record() []reproduced {
	return []reproduced{
		{[]string{"awslabs/amazon-dynamodb-lock-client!116"}, "a heartbeat changes the version that the release compares", "dynamodb-heartbeat-races", "dynamodb-heartbeat-races", "recovery", 0},
		{[]string{"bensheldon/good_job!1735", "bensheldon/good_job!285", "bensheldon/good_job!1113"}, "the planner takes the advisory lock twice, and one unlock leaves it taken", "counted-twice", "twice", "recovery", 0},
		{[]string{"etcd-io/etcd#9888"}, "a new leader starts the TTL of all leases again: the lock of a crashed holder lasts longer than its TTL", "etcd-leader-change", "unfenced", "recovery", 0},
		{[]string{"etcd-io/etcd#9921", "etcd-io/etcd#11456", "etcd-io/etcd#19597"}, "the lease of a waiter expires in the queue, and the waiter enters even so", "etcd-queued-lease", "no-recheck", "exclusion", 0},
		{[]string{"etcd-io/etcd#10811"}, "a holder that is cut off from the servers continues to work after its lease", "etcd-cut-off", "not-told", "exclusion", 0},
		{[]string{"goauthentik/authentik#23876", "Freika/dawarich!2714", "rails/rails#31190", "rails/rails#32622"}, "a pooler sends lock and unlock to two sessions, and one of them keeps the lock", "pooled-advisory", "pooled", "recovery", 0},
		{[]string{"hashicorp/vault#5828", "redisson/redisson#7272"}, "a renewal starts after the release that should stop it", "renewal-races-release", "redis-watchdog-racy", "ownership", 0},
		{[]string{"kubernetes-sigs/controller-runtime#3027", "kubernetes/kubernetes!98059"}, "a request whose timeout is the whole renew deadline leaves no time for a second try", "hung-renewal", "", "needless-loss", 0},
		{[]string{"kubernetes/client-go#728", "kubernetes/kubernetes!71490", "kubernetes/kubernetes!139991"}, "the Lease is released before the work has stopped", "lease-released-first", "lease-release-first", "exclusion", 0},
		{[]string{"leandromoreira/redlock-rb#76"}, "an acquire without a reply counts as refused, and its key stays", "lost-reply", "redis-blind-timeout", "recovery", 0},
		{[]string{"leandromoreira/redlock-rb#36", "swarthy/redis-semaphore#175"}, "a renewal that finds no key sets it again", "renewal-recreates", "redis-watchdog-recreate", "lost-update", 0},
		{[]string{"lukas-krecan/ShedLock#6", "lukas-krecan/ShedLock#8", "lukas-krecan/ShedLock#870"}, "one node finishes a short task before another node, whose clock is slow, starts the same tick", "cron", "release-at-end", "once", 0},
		{[]string{"lukas-krecan/ShedLock#74"}, "a late unlock by name frees the lock of the next holder", "unlock-by-name", "redis-del", "ownership", 0},
		{[]string{"lukas-krecan/ShedLock#231", "hashicorp/vault!2141"}, "clients write and compare the expiry of the lease by their own clocks", "lease-client-clock", "clients-clock", "lost-update", 0},
		{[]string{"mike-marcacci/node-redlock#16", "opsmill/infrahub#9450", "sibson/redbeat#163"}, "a replica that has not received the key is promoted", "failover", "redis-replica", "exclusion", 0},
		{[]string{"python-zk/kazoo!292"}, "the release of an inner section frees the lock of the outer one", "reentrant", "redis-reentrant-uncounted", "ownership", 0},
		{[]string{"quartz-scheduler/quartz#107"}, "a conditional write compares a state that has changed and changed back (ABA)", "aba", "optimistic-state", "once", 0},
		{[]string{"redis/rueidis#602", "redisson/redisson#491"}, "the first waiter that gets the lock ends the subscription of all waiters", "lost-wakeup", "redis-notify-shared", "progress", 0},
		{[]string{"redisson/redisson#2183"}, "the transaction commits after the unlock", "late-commit", "redis", "lost-update", 0},
		{[]string{"redisson/redisson#3636"}, "a watchdog that cannot renew stops, and does not tell the holder", "cut-off", "redis-watchdog-deaf", "told", 0},
		{[]string{"redisson/redisson#7367"}, "an acquire that is sent again counts twice, and one unlock leaves the lock taken", "reentrant-resent", "redis-reentrant-resent", "recovery", 0},
		{[]string{"redisson/redisson!7098"}, "the renewal of one reader also renews the lease of a crashed reader", "rwlock-crash", "redis-rwlock-zombie", "ownership", 3},
		{[]string{"riverqueue/river!1213", "delta-io/delta-rs!153"}, "a leader counts its lease from the reply instead of the request", "lease-reply-anchor", "from-the-reply", "told", 0},
		{[]string{"zoolutions/sidekiq-unique-jobs#488", "zoolutions/sidekiq-unique-jobs#580", "zoolutions/sidekiq-unique-jobs#779"}, "a reaper deletes the locks of long jobs", "reaper", "redis-reaped", "exclusion", 0},
		{[]string{"tristanls/dynamodb-lock-client!35"}, "a heartbeat in flight writes the released item again", "dynamodb-heartbeat-races", "dynamodb-heartbeat-recreates", "ownership", 0},
		{[]string{"valkey-io/valkey#2651", "redis/redis#217"}, "the clock of a server jumps, and its keys expire at once", "redlock-clock-step", "redlock", "exclusion", 0},
	}
}

// named returns the bug with its label.
func (r reproduced) named(s *scenarios.Scenario) reproduced {
	for label, e := range s.Expect {
		if r.label == "" && slices.Contains(e.Violates, r.check) {
			r.label = label
		}
	}
	return r
}

// command returns the command that reproduces a bug.
func (r reproduced) command() string {
	label := r.label
	if strings.Contains(label, " ") {
		label = "'" + label + "'"
	}
	text := fmt.Sprintf("lockquake reproduce %s --strategy %s", r.scenario, label)
	if r.seed > 1 {
		text += fmt.Sprintf(" --seed %d", r.seed)
	}
	return text
}

// project returns the repository of the first report.
func (r reproduced) project() string {
	return r.issues[0][:strings.IndexAny(r.issues[0], "#!")]
}

// links returns the reports as links. Those of other projects have the name of the project.
func (r reproduced) links() string { return linksTo(r.issues, r.project()) }

// linksTo returns reports as links. Those that are not of the project have the name of theirs.
func linksTo(issues []string, own string) string {
	var links []string
	for _, issue := range issues {
		at := strings.IndexAny(issue, "#!")
		project, number, kind := issue[:at], issue[at+1:], "issues"
		if issue[at] == '!' {
			kind = "pull"
		}
		name := "#" + number
		if project != own {
			name = project[strings.Index(project, "/")+1:] + name
		}
		links = append(links, fmt.Sprintf("[%s](https://github.com/%s/%s/%s)", name, project, kind, number))
	}
	return strings.Join(links, ", ")
}

// writeRecord writes the table of published bugs.
func writeRecord(b *strings.Builder) error {
	fmt.Fprintf(b, "## Track record\n\n"+
		"%d published bugs of %d projects. The command of each row runs a scenario with a lock that has the bug, and the run violates the check in\n"+
		"the last column ([checks](reference/checks.md)). A test runs all commands, and the same scenarios with locks that do not have the bug.\n\n", bugCount(), projectCount())
	b.WriteString("| project | reports | what goes wrong | command | check |\n|---|---|---|---|---|\n")
	for _, r := range record() {
		s, err := scenarios.Load(r.scenario)
		if err != nil {
			return err
		}
		r = r.named(s)
		fmt.Fprintf(b, "| %s | %s | %s ([file](../scenarios/builtin/%s.yaml)) | `%s` | `%s` |\n",
			r.project(), r.links(), r.mechanism, r.scenario, r.command(), r.check)
	}
	b.WriteString("\nEach scenario reproduces what the report describes. The report says which versions have the fix.\n")
	return nil
}

func bugCount() int { return len(record()) }

func projectCount() int {
	projects := map[string]bool{}
	for _, r := range record() {
		for _, issue := range r.issues {
			projects[issue[:strings.IndexAny(issue, "#!")]] = true
		}
	}
	return len(projects)
}
