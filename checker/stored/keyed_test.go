package stored

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"lockquake/checker"
	"lockquake/history/jepsen"
)

// Each key of a history has the same verdict as a history of that key alone.
func TestKeysAreJudgedAsTheirOwnLogs(t *testing.T) {
	const keys, rounds, processes = 3, 60, 3
	r := rand.New(rand.NewPCG(10, 7))
	verdicts := map[checker.Verdict]int{}
	for round := range rounds {
		model := []string{"register", "mutex", "counter"}[round%3]
		var want []checker.Verdict
		logs := make([][]string, keys)
		for key := range keys {
			logs[key] = randomLog(t, r, model, processes, 6, 3, r.IntN(2) == 0)
			j, err := Judge(parse(t, logs[key]...), model)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, j.Verdict)
			verdicts[j.Verdict]++
		}
		var merged []string
		for left := keys; left > 0; {
			key := r.IntN(keys)
			if len(logs[key]) == 0 {
				continue
			}
			merged = append(merged, ofKey(t, key, logs[key][0]))
			if logs[key] = logs[key][1:]; len(logs[key]) == 0 {
				left--
			}
		}
		operations := parse(t, merged...)
		if keyed, err := jepsen.Keyed(operations); err != nil || !keyed {
			t.Fatalf("keyed: %t, %v, in\n%s", keyed, err, strings.Join(merged, "\n"))
		}
		split, err := jepsen.ByKey(operations)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range split {
			j, err := Judge(key.Operations, model)
			if err != nil {
				t.Fatal(err)
			}
			if j.Verdict != want[key.Int] {
				t.Errorf("round %d: key %s of a %s is %s, and by itself %s:\n%s", round, key, model, j.Verdict, want[key.Int], strings.Join(merged, "\n"))
			}
		}
	}
	if verdicts[checker.Valid] == 0 || verdicts[checker.Invalid] == 0 {
		t.Errorf("all are of one kind: %v", verdicts)
	}
}

// ofKey adds a key to a line of a log, and a process that no other key has.
func ofKey(t *testing.T, key int, line string) string {
	t.Helper()
	words := strings.SplitN(line, " ", 4)
	var process int
	if _, err := fmt.Sscan(words[0], &process); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%d %s %s [%d %s]", process+1000*key, words[1], words[2], key, words[3])
}
