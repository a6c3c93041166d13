// Package prose keeps the language of the project plain. It has only a test, which reads the
// comments and strings of all Go files and all Markdown files. It refuses words for which
// docs/glossary.md has better ones, and in the folders and files listed in plain some more.
package prose
