package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/reports/words"
	"lockquake/scenarios/advise"
)

// inputs reads the inputs from the flags. On a terminal it asks for them, unless one is given or --yes is.
func (f *adviseFlags) inputs(ctx context.Context, cmd *cobra.Command) (advise.Inputs, error) {
	in := advise.Inputs{Own: f.program.own}
	if err := f.writable(); err != nil {
		return in, err
	}
	var ask *asker
	if given := f.given(cmd); len(given) == 0 && !f.yes && isTerminal(cmd.InOrStdin()) {
		ask = newAsker(cmd.InOrStdin(), cmd.ErrOrStderr())
	} else if given["lock"] && !given["topology"] {
		in.Lock = strings.TrimSpace(*f.values["lock"]) // the topology follows from it
	}
	for _, q := range advise.Questions() {
		if err := f.answer(ctx, cmd, ask, q, &in); err != nil {
			return in, err
		}
	}
	return in, nil
}

// given lists the questions that flags answer.
func (f *adviseFlags) given(cmd *cobra.Command) map[string]bool {
	given := map[string]bool{}
	for name := range f.values {
		if cmd.Flags().Changed(name) {
			given[name] = true
		}
	}
	return given
}

// answer answers one question: by its flag, by what is typed, or by its default.
func (f *adviseFlags) answer(ctx context.Context, cmd *cobra.Command, ask *asker, q advise.Question, in *advise.Inputs) error {
	given := cmd.Flags().Changed(q.Name)
	switch {
	case q.Skip != nil && q.Skip(in) && given:
		return usagef("--%s does not apply to %s; leave it out", q.Name, in.Lock)
	case q.Skip != nil && q.Skip(in):
		return nil
	case given:
		if err := q.Answer(in, *f.values[q.Name], true); err != nil {
			return usageError{"--" + q.Name + ": " + err.Error()}
		}
		return nil
	case ask == nil:
		if err := q.Answer(in, q.Default(in), false); err != nil {
			return usageError{"--" + q.Name + ": " + err.Error()}
		}
		return nil
	}
	return ask.question(ctx, q, in)
}

// asker asks questions on a terminal.
type asker struct {
	out   io.Writer
	lines chan typed
}

// typed is a line that was typed, or the end of the input.
type typed struct {
	text string
	err  error
}

// newAsker starts to read lines. A read of a terminal cannot be interrupted, so it has a goroutine of its
// own, which ends with the process.
func newAsker(in io.Reader, out io.Writer) *asker {
	a := &asker{out, make(chan typed)}
	go func() {
		reader := bufio.NewReader(in)
		for {
			text, err := reader.ReadString('\n')
			a.lines <- typed{text, err}
			if err != nil {
				return
			}
		}
	}()
	return a
}

// question asks until the answer is valid. An empty line is the default.
func (a *asker) question(ctx context.Context, q advise.Question, in *advise.Inputs) error {
	usual := q.Default(in)
	for {
		asked := fmt.Sprintf("%s [%s]", q.Asks, usual)
		fmt.Fprint(a.out, strings.Join(words.Wrap(asked, screenOf(a.out).Columns()-len("  ")), "\n  ")+" ")
		var line typed
		select {
		case <-ctx.Done():
			fmt.Fprintln(a.out)
			return interruptError{"nothing was written"}
		case line = <-a.lines:
		}
		text := strings.TrimSpace(line.text)
		if line.err != nil && (text == "" || !errors.Is(line.err, io.EOF)) {
			fmt.Fprintln(a.out)
			return usagef("the input ended before all questions were answered")
		}
		given := text != ""
		if !given {
			text = usual
		}
		err := q.Answer(in, text, given)
		if err == nil {
			return nil
		}
		say(a.out, "%v", err)
		if line.err != nil {
			return usageError{"--" + q.Name + ": " + err.Error()}
		}
	}
}
