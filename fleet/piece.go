package fleet

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"lockquake/cmd/command"
	"lockquake/scenarios/campaign"
	"lockquake/scenarios/results"
)

// A piece runs in a process of its own, whose folder holds its files. The process ends when its standard input
// does, so that it does not outlive its worker, and removes the folder then. On its standard output are lines with
// its progress.
const (
	jobFile    = "job"    // the description of the campaign
	resultFile = "result" // the journal of the runs, compressed
)

// said is a line of the process.
type said struct {
	Done int           `json:"done"`           // runs
	Took time.Duration `json:"took,omitempty"` // at the end, in nanoseconds
}

// newPiece returns the command that a worker calls.
func newPiece(p command.Program) *cobra.Command {
	var seeds results.SeedRange
	cmd := &cobra.Command{
		Use:    "piece DIR",
		Short:  "Run a piece of a campaign for a worker",
		Hidden: true,
		Args:   cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			go func() {
				_, _ = io.Copy(io.Discard, os.Stdin)
				_ = os.RemoveAll(args[0])
				os.Exit(1)
			}()
			return runPiece(cmd.Context(), p, args[0], seeds, cmd.OutOrStdout())
		},
	}
	cmd.Flags().Uint64Var(&seeds.First, "first", 0, "first seed")
	cmd.Flags().Uint64Var(&seeds.Last, "last", 0, "last seed")
	return cmd
}

// runPiece runs the seeds of the campaign that dir describes, and writes the journal of its runs there.
func runPiece(ctx context.Context, p command.Program, dir string, seeds results.SeedRange, out io.Writer) error {
	of, err := campaign.ReadJournal(filepath.Join(dir, jobFile))
	if err != nil {
		return err
	}
	s, err := of.Scenario(p.Own...)
	if err != nil {
		return err
	}
	s.Program = p.Name // for the command that repeats a run which fails
	r, err := of.Campaign()
	if err = errors.Join(err, of.Close()); err != nil {
		return err
	}
	if s.Large() && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(100) // a large run keeps most of what it allocates
	}
	journal, err := campaign.CreateJournal(filepath.Join(dir, "runs"), s)
	if err != nil {
		return err
	}
	r.Journal, r.Piece, r.Jobs = journal, seeds, 1
	lines, next := json.NewEncoder(out), time.Now()
	r.Progress = func(at campaign.Progress) {
		if now := time.Now(); now.After(next) {
			next = now.Add(500 * time.Millisecond)
			_ = lines.Encode(said{Done: at.Done}) // without a reader the standard input has ended too
		}
	}
	began := time.Now()
	if _, err := campaign.Run(ctx, s, r); err != nil {
		return errors.Join(err, journal.Close())
	}
	took := time.Since(began)
	if err := errors.Join(pack(journal, filepath.Join(dir, resultFile)), journal.Close()); err != nil {
		return err
	}
	return lines.Encode(said{Took: took})
}

// pack writes a journal compressed, so that the same runs are the same bytes.
func pack(journal io.WriterTo, path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	z := gzip.NewWriter(file)
	_, err = journal.WriteTo(z)
	return errors.Join(err, z.Close(), file.Close())
}

// child runs a piece in a process, and returns how long it took. Done is called with the number of runs so far.
// Its error has in its text what the process said.
func child(ctx context.Context, dir string, seeds results.SeedRange, done func(runs int)) (took time.Duration, err error) {
	path, err := os.Executable()
	if err != nil {
		return 0, err
	}
	cmd := exec.CommandContext(ctx, path, "piece", dir, "--first", fmt.Sprint(seeds.First), "--last", fmt.Sprint(seeds.Last))
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1") // the worker has as many pieces as it has processors
	stderr := &head{most: 16 << 10}
	cmd.Stderr = stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		var line said
		if json.Unmarshal(lines.Bytes(), &line) == nil {
			took = max(took, line.Took)
			done(line.Done)
		}
	}
	err = cmd.Wait()
	switch {
	case ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case err != nil:
		return 0, &pieceError{fmt.Sprintf("%v\n%s", err, stderr)}
	case took == 0:
		return 0, &pieceError{fmt.Sprintf("it ended without a result\n%s", stderr)}
	}
	return took, nil
}

// pieceError is a piece that the process could not run.
type pieceError struct{ text string }

func (e *pieceError) Error() string { return e.text }

// head keeps the first bytes of a text.
type head struct {
	most int
	mu   sync.Mutex
	text bytes.Buffer
}

func (t *head) Write(data []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(data[:min(len(data), t.most-t.text.Len())])
	return len(data), nil
}

func (t *head) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.text.String()
}
