// Package prose keeps the words of the project plain. It has only a test: it goes
// through the comments and strings of all Go files and through all Markdown files, and
// refuses words that docs/glossary.md has better ones for.
package prose
