// Command rereport writes a report from a results.json. Its test checks that such a program
// links no simulation, no server and no lock.
//
//	rereport results.json directory
package main
