// Package libraries knows published lock libraries by name: for each the strategy of the catalogue
// that is nearest, the parts to set, where the library differs, and which of its bugs a scenario
// reproduces.
//
// [All] is the catalogue, in files by the sort of server. [Find] resolves a name as a user writes it.
// Every [Fact] names the file in which it was read, at the version of the library, or says that it
// was inferred.
package libraries
