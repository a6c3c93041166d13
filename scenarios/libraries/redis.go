package libraries

// redis lists the libraries with a lock on Redis.
func redis() []Library {
	return []Library{
		{
			Name: "redsync", Project: "go-redsync/redsync", Preset: "redlock",
		},
	}
}
