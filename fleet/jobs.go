package fleet

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"lockquake/cmd/command"
)

// printJobs lists the campaigns.
func (q *queue) printJobs(ctx context.Context, out io.Writer) error {
	jobs, err := q.list(ctx)
	if err != nil {
		return err
	}
	if len(jobs) == 0 {
		_, err := fmt.Fprintln(out, "no campaign is on the fleet")
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "campaign\tseeds\tpieces\tsubmitted\tbuild")
	for _, j := range jobs {
		state, err := q.state(ctx, j)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "%s\t%d-%d\t%s\t%s\t%s\n", j.Name, j.Seeds.First, j.Seeds.Last, state, j.Submitted.Format(time.RFC3339), j.Build)
	}
	return table.Flush()
}

// state says in a few words how far a campaign is.
func (q *queue) state(ctx context.Context, j job) (string, error) {
	var f failure
	if found, err := q.value(ctx, failedKey(j.Name), &f); err != nil || found {
		return f.Piece + " was given up", err
	}
	var by plan
	if found, err := q.value(ctx, planKey(j.Name), &by); err != nil || !found {
		return "not cut yet", err
	}
	store, err := q.results(ctx, j.Name)
	if gone(err) {
		return "removed", nil
	}
	if err != nil {
		return "", err
	}
	done, err := q.done(ctx, store)
	if err != nil {
		return "", err
	}
	n := 0
	for seeds := range by.pieces(j.Seeds) {
		if done[nameOfPiece(seeds)] {
			n++
		}
	}
	return fmt.Sprintf("%d/%d", n, by.count(j.Seeds)), nil
}

// removeJobs removes campaigns by name, or those that were submitted longer ago than older.
func (q *queue) removeJobs(ctx context.Context, names []string, older time.Duration, out io.Writer) error {
	jobs, err := q.list(ctx)
	if err != nil {
		return err
	}
	var known []string
	for _, j := range jobs {
		known = append(known, j.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return command.Usagef("no campaign on the fleet is called %q; there are: %s", name, strings.Join(known, ", "))
		}
	}
	for _, j := range jobs {
		if !slices.Contains(names, j.Name) && (older == 0 || time.Since(j.Submitted) < older) {
			continue
		}
		if err := q.remove(ctx, j); err != nil {
			return err
		}
		fmt.Fprintln(out, "removed", j.Name)
	}
	return nil
}
