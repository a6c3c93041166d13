// Package locks tests locks that know nothing of lockquake: public libraries, and services as people write them.
// It is a module of its own, as yours is.
package locks
