// Package family makes Redis a family of lock servers that a scenario can use: it
// puts the cluster of package redis and the clients of package client together, and
// says which settings a file may have. It is a package of its own because a server
// does not know its clients, and a family knows both.
//
// [Family] is what package scenarios is given (family.go). A cluster of it carries
// out every fault of servers (faults.go).
package family
