package resp

import (
	"slices"
	"strconv"
)

// Command is a request for one command: its name and arguments as strings.
type Command struct {
	Args []string

	reply Reply // the answer, stored here to save an allocation
}

// Answer stores the reply in the command and returns a pointer to it.
func (c *Command) Answer(r Reply) *Reply {
	c.reply = r
	return &c.reply
}

// AppendTrace appends the words of the command, quoted where necessary.
func (c *Command) AppendTrace(b []byte) []byte { return appendWords(b, c.Args) }

// Copy implements sim.Copier.
func (c *Command) Copy() any { return &Command{Args: slices.Clone(c.Args)} }

// Pipeline is a request for several commands that are sent together. Those between MULTI and EXEC
// are a transaction.
type Pipeline struct {
	Commands [][]string
}

// AppendTrace appends the commands, separated by semicolons.
func (p *Pipeline) AppendTrace(b []byte) []byte {
	for i, words := range p.Commands {
		if i > 0 {
			b = append(b, "; "...)
		}
		b = appendWords(b, words)
	}
	return b
}

func appendWords(b []byte, words []string) []byte {
	for i, word := range words {
		if i > 0 {
			b = append(b, ' ')
		}
		b = appendWord(b, word)
	}
	return b
}

func appendWord(b []byte, word string) []byte {
	for i := range len(word) {
		if c := word[i]; c <= ' ' || c >= 0x7f || c == '"' || c == ';' {
			return strconv.AppendQuote(b, word)
		}
	}
	if word == "" {
		return append(b, `""`...)
	}
	return append(b, word...)
}
