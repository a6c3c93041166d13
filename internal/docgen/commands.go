package docgen

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// writeCommands writes the help text of each command.
func writeCommands(b *strings.Builder, root *cobra.Command) {
	writeProse(b, root.Long)
	writeFence(b, root.Example)
	for _, group := range root.Groups() {
		fmt.Fprintf(b, "## %s\n\n", strings.TrimSuffix(group.Title, ":"))
		for _, cmd := range root.Commands() {
			if cmd.GroupID == group.ID && !cmd.Hidden {
				writeCommand(b, cmd)
			}
		}
	}
}

// writeCommand writes one command with its flags.
func writeCommand(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "### %s\n\n%s.\n\n", cmd.CommandPath(), cmd.Short)
	if cmd.HasSubCommands() { // cobra writes the text of these
		var names []string
		for _, sub := range cmd.Commands() {
			names = append(names, sub.Name())
		}
		fmt.Fprintf(b, "    %s %s\n\n", cmd.CommandPath(), strings.Join(names, "|"))
	} else {
		usage := strings.TrimSuffix(cmd.UseLine(), " [flags]")
		fmt.Fprintf(b, "    %s\n\n", usage)
		writeProse(b, cmd.Long)
	}
	writeFence(b, cmd.Example)
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

// writeProse writes a text of a command. An indented paragraph, such as a diagram, is copied
// unchanged.
func writeProse(b *strings.Builder, text string) {
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if strings.HasPrefix(paragraph, "  ") {
			writeFence(b, paragraph)
		} else {
			// An asterisk or an underscore is meant literally.
			fmt.Fprintf(b, "%s\n\n", regexp.MustCompile(`[*_<]`).ReplaceAllString(paragraph, `\$0`))
		}
	}
}

// writeFence writes a text as a block of code, without its common indentation.
func writeFence(b *strings.Builder, text string) {
	text = strings.Trim(text, "\n")
	if text == "" {
		return
	}
	for strings.HasPrefix(text, " ") && !regexp.MustCompile(`(?m)^[^ \n]`).MatchString(text) {
		text = regexp.MustCompile(`(?m)^ `).ReplaceAllString(text, "")
	}
	fmt.Fprintf(b, "```text\n%s\n```\n\n", text)
}
