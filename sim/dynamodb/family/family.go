// Package family makes DynamoDB a family of lock servers for package scenarios. It connects the server of
// package dynamodb with the clients of package client, and defines their settings in a scenario file.
package family

import (
	"slices"
	"time"

	"lockquake/faults"
	lockdynamodb "lockquake/lock/dynamodb"
	"lockquake/sim"
	"lockquake/sim/backend"
	"lockquake/sim/dynamodb"
	"lockquake/sim/dynamodb/client"
	"lockquake/sim/dynamodb/table"
)

// Settings has the settings of the clients.
type Settings struct {
	DynamoDB client.Options `yaml:"dynamodb" doc:"the settings of each process's client of DynamoDB; the defaults are those of the AWS SDK for Go"`
}

// Family returns DynamoDB as a family of lock servers.
func Family() backend.Family {
	return backend.Family{
		Family:    lockdynamodb.Family(),
		Doc:       "Amazon DynamoDB, and the AWS SDK for Go as its client",
		Settings:  Settings{client.Options{}.WithDefaults()},
		Command:   isCommand,
		Start:     start,
		Prototype: &cluster{},
		ReplyTimeout: backend.ReplyTimeout{Key: "dynamodb.request-timeout", Of: func(s backend.Settings) time.Duration {
			return options(s).RequestTimeout
		}},
	}
}

// isCommand reports whether name is the name of a request that has no other.
func isCommand(name string) bool {
	return slices.ContainsFunc(table.Operations(), func(operation string) bool { return client.OperationName(operation) == name })
}

// options returns the options of a client under these settings.
func options(s backend.Settings) client.Options {
	var set Settings
	s.Apply(&set)
	return set.DynamoDB.WithDefaults()
}

// cluster implements backend.Cluster, and the faults that the service can have.
type cluster struct{ *dynamodb.Cluster }

var (
	_ backend.Crasher     = (*cluster)(nil)
	_ backend.Deleter     = (*cluster)(nil)
	_ backend.StaleReader = (*cluster)(nil)
	_ backend.Refuser     = (*cluster)(nil)
)

func start(s backend.Start) (backend.Cluster, error) {
	return &cluster{dynamodb.NewCluster(s.World, s.Layout, s.Locks)}, nil
}

// Connect implements backend.Cluster.
func (c *cluster) Connect(p *sim.Process, s backend.Settings) any {
	of := client.New(p, c.Names()[0], options(s))
	return lockdynamodb.Port{Client: of, SDK: of.Options()}
}

// Delete implements backend.Deleter.
func (c *cluster) Delete(_, pattern string) []string { return c.Server.Delete(pattern) }

// SetStale implements backend.StaleReader.
func (c *cluster) SetStale(_ string, by time.Duration) { c.Server.SetStale(by) }

// Refuses implements backend.Refuser.
func (*cluster) Refuses() []faults.Code { return dynamodb.Refuses() }

// Refuse implements backend.Refuser.
func (c *cluster) Refuse(_ string, with faults.Code) { c.Server.Refuse(with) }

// Accept implements backend.Refuser.
func (c *cluster) Accept(_ string, with faults.Code) { c.Server.Accept(with) }
