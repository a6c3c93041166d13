// Package command is the command lockquake: its command line, its progress and its
// exit codes.
package command
