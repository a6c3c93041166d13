package resp

// Version is the version of Redis that the simulation follows. VersionNumber is the same version as
// scripts read it.
const (
	Version       = "7.0.15"
	VersionNumber = 0x07000f
)
