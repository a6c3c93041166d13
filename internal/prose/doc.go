// Package prose keeps the language of the project plain. It has only a test, which reads the
// comments and strings of all Go files and all Markdown files. It refuses words for which
// there are better ones, in docs/glossary.md or in the list itself.
package prose
