package command

import (
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"lockquake/internal/strictyaml"
	"lockquake/scenarios"
	"lockquake/scenarios/results"
)

// strategyList returns labels as --strategy takes them: with commas between them, so one with a comma is in quotes.
func strategyList(labels ...string) string {
	var list []string
	for _, label := range labels {
		if strings.ContainsAny(label, `,"`) {
			label = `"` + strings.ReplaceAll(label, `"`, `""`) + `"`
		}
		list = append(list, label)
	}
	return strings.Join(list, ",")
}

// setFlag adds --set to a command.
func setFlag(cmd *cobra.Command, into *[]string) {
	cmd.Flags().StringArrayVar(into, "set", nil, "set a value of the scenario, as in lock.ttl=5s or faults.pause.for=15s; repeatable")
	completeFlag(cmd, "set", cobra.NoFileCompletions)
}

// pausesFlag adds --pauses to a command.
func pausesFlag(cmd *cobra.Command, into *string) {
	cmd.Flags().StringVar(into, "pauses", "", "take the lengths of the workers' pauses from this file: "+pauseFiles)
}

// pauseFiles says which files --pauses reads.
const pauseFiles = "the gctrace of a Go program, a log of a JVM's safepoints or collections, a recording of hiccup, or one duration a line"

// loadPaused is loadWith with the file of --pauses. It comes after --set, so that the pauses may be
// those that --set adds.
func (p program) loadPaused(arg string, sets []string, pauses string) (*scenarios.Scenario, error) {
	s, err := p.loadWith(arg, sets)
	if err != nil || pauses == "" {
		return s, err
	}
	if s, err = p.ours(s.WithPauses(pauses)); err != nil {
		return nil, usageError{"--pauses: " + err.Error()}
	}
	return s, nil
}

// loadWith is load with the values of --set.
func (p program) loadWith(arg string, sets []string) (*scenarios.Scenario, error) {
	var overrides []results.Override
	for _, text := range sets {
		o, err := scenarios.ParseOverride(text)
		if err != nil {
			return nil, flagged("--set", err)
		}
		overrides = append(overrides, o)
	}
	s, err := p.ours(scenarios.LoadWith(arg, overrides, p.own...))
	var inFile *strictyaml.Error
	var setting *scenarios.SettingError
	switch {
	case errors.As(err, &setting):
		return nil, flagged("--set", err)
	case err != nil && !errors.As(err, &inFile):
		return nil, usageError{err.Error()}
	}
	return s, err
}

// loadToken loads the scenario of a token, with what was set for its run. It returns a usage error if the scenario
// has changed since.
func (p program) loadToken(token results.Token) (*scenarios.Scenario, error) {
	s, err := p.load(token.Scenario)
	if err == nil {
		s, err = s.With(token.Overrides)
	}
	if err != nil {
		return nil, flagged("the token:", err)
	}
	if s.Hash != token.Hash {
		return nil, usagef("%s is not the scenario that the token names: its hash is %s, the token's is %s", token.Scenario, s.Hash, token.Hash)
	}
	return s, nil
}

// flagged turns a SettingError into a usage error that names the flag.
func flagged(flag string, err error) error {
	if setting, ok := errors.AsType[*scenarios.SettingError](err); ok {
		return usageError{flag + " " + setting.Error()}
	}
	return err
}
