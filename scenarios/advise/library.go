package advise

import (
	"lockquake/lock"
	"lockquake/scenarios"
	"lockquake/scenarios/libraries"
)

// libraryOf resolves the name of a library that is not that of a strategy.
func (in *Inputs) libraryOf(name string) (libraries.Library, bool) {
	if _, ok := in.entry(name); ok {
		return libraries.Library{}, false
	}
	return libraries.Find(name)
}

// setLibrary sets the library in question, with its parts and its numbers.
func (in *Inputs) setLibrary(l libraries.Library) error {
	use, err := scenarios.LibraryUse(l)
	if err != nil {
		return err
	}
	in.library, in.parts = &l, use.Lock
	in.numbers, err = scenarios.LibraryDefaults(l)
	return err
}

// mine returns the strategy in question, with the parts and the numbers of the library.
func (in *Inputs) mine() lock.Entry {
	e, _ := in.entry(in.Lock)
	in.parts.Apply(&e.Defaults)
	in.numbers.Apply(&e.Defaults)
	return e
}

// differences lists where the library differs from what is simulated, one sentence each.
func (in *Inputs) differences() []string {
	if in.library == nil {
		return nil
	}
	var all []string
	for _, f := range in.library.Facts {
		if f.Kind == libraries.Differs {
			all = append(all, in.library.Name+" differs from "+in.library.Nearest()+": "+f.Text+".")
		}
	}
	return all
}
