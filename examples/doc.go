// Package locks tests locks that know nothing of lockquake: public libraries, and services as people write them.
// It is a separate module, as your program would be.
package locks
