package command

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// referenceCommands writes what each command says of itself.
func referenceCommands(b *strings.Builder, root *cobra.Command) {
	referenceProse(b, root.Long)
	referenceFence(b, root.Example)
	for _, group := range root.Groups() {
		fmt.Fprintf(b, "## %s\n\n", strings.TrimSuffix(group.Title, ":"))
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && !cmd.Hidden {
				referenceOneCommand(b, cmd)
			}
		}
	}
}

func referenceOneCommand(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "### %s\n\n%s.\n\n", cmd.CommandPath(), cmd.Short)
	if subs := cmd.Commands(); len(subs) > 0 { // the words of these are cobra's
		fmt.Fprintf(b, "    %s %s\n\n", cmd.CommandPath(), strings.Join(commandsOf(cmd), "|"))
	} else {
		usage := strings.TrimSuffix(cmd.UseLine(), " [flags]")
		fmt.Fprintf(b, "    %s\n\n", usage)
		referenceProse(b, cmd.Long)
	}
	referenceFence(b, cmd.Example)
	flags := false
	cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
		if f.Name == "help" || f.Hidden {
			return
		}
		flags = true
		name, usage := pflag.UnquoteUsage(f)
		if name != "" {
			name = " " + name
		}
		preset := ""
		switch f.DefValue {
		case "", "false", "0", "[]", "0s":
		default:
			preset = fmt.Sprintf(" (default %s)", f.DefValue)
		}
		fmt.Fprintf(b, "- `--%s%s`: %s%s\n", f.Name, name, usage, preset)
	})
	if flags {
		b.WriteByte('\n')
	}
}

// referenceProse writes a text of a command. A paragraph that is indented is a
// picture of something, and stays as it is.
func referenceProse(b *strings.Builder, text string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			referenceFence(b, paragraph)
		} else {
			// An asterisk or an underscore is meant literally.
			fmt.Fprintf(b, "%s\n\n", regexp.MustCompile(`[*_<]`).ReplaceAllString(paragraph, `\$0`))
		}
	}
}

// referenceFence writes a text as a block of code, without the indentation that
// all of it has.
func referenceFence(b *strings.Builder, text string) {
	text = strings.Trim(text, "\n")
	if text == "" {
		return
	}
	for strings.HasPrefix(text, " ") && !regexp.MustCompile(`(?m)^[^ \n]`).MatchString(text) {
		text = regexp.MustCompile(`(?m)^ `).ReplaceAllString(text, "")
	}
	fmt.Fprintf(b, "```text\n%s\n```\n\n", text)
}
