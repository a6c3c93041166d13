//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package fleet

// holdDir does nothing: this system has no lock that ends with its process.
func holdDir(string) (release func(), err error) { return func() {}, nil }
