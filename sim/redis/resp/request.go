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
	if !isPlain(word) {
		return strconv.AppendQuote(b, word)
	}
	if word == "" {
		return append(b, `""`...)
	}
	return append(b, word...)
}

// isPlain reports whether a word needs no quotes: it has only printable ASCII but no space, '"' or ';'.
// Owners and the names of scripts are long, so it looks at eight bytes at a time.
func isPlain(word string) bool {
	for len(word) >= 8 {
		x := uint64(word[0]) | uint64(word[1])<<8 | uint64(word[2])<<16 | uint64(word[3])<<24 |
			uint64(word[4])<<32 | uint64(word[5])<<40 | uint64(word[6])<<48 | uint64(word[7])<<56
		// The highest bit of a byte is set in below if the byte is less, or if a byte before it was.
		const each, highest = 0x0101010101010101, 0x8080808080808080
		below := func(x, least uint64) uint64 { return (x - least*each) &^ x }
		if (x|(x+each)|below(x, ' '+1)|below(x^'"'*each, 1)|below(x^';'*each, 1))&highest != 0 {
			return false
		}
		word = word[8:]
	}
	for i := range len(word) {
		if c := word[i]; c <= ' ' || c >= 0x7f || c == '"' || c == ';' {
			return false
		}
	}
	return true
}
