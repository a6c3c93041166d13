// Package family makes Redis a family of lock servers for package scenarios. It connects
// the cluster of package redis with the clients of package client, and defines their
// settings in a scenario file. It is a package of its own because servers do not import
// their clients, and a family imports both.
//
// [Family] returns the family (family.go). Its clusters run every fault of servers
// (faults.go).
package family
