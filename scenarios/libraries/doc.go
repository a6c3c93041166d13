// Package libraries lists published lock libraries by name. For each it has the nearest strategy of the
// catalogue, the parts to set, the differences, and the scenarios that reproduce its bugs.
//
// [All] is the catalogue, in files by the sort of server. [Find] resolves a name as a user writes it.
// Every [Fact] names the file in which it was read, at the version of the library, or says that it
// was inferred.
package libraries
