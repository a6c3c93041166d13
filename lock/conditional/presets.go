package conditional

import (
	"time"

	"lockquake/lock"
)

// Strategies lists the strategies that take no lock.
func Strategies() []lock.Entry {
	deciding, units := []lock.Need{lock.NeedDecidingWrite}, []lock.Need{lock.NeedUnits}
	return []lock.Entry{
		sound("optimistic", "no lock: a write takes effect if the item still has the version that was read; after a conflict the work is done again, 5 times at most", deciding, "",
			func(d lock.Deps) lock.Strategy { return &optimistic{Deps: d} }),
		sound("unique-key", "no lock: a unit of work belongs to the worker that inserts its key first", units, "this only for the units of work: other items that the work writes are not protected",
			func(d lock.Deps) lock.Strategy { return &uniqueKey{d} }),
		flawed("optimistic-state", "optimistic, and a write compares the value that was read, which can come back, instead of a version", deciding,
			func(d lock.Deps) lock.Strategy { return &optimistic{Deps: d, byValue: true} }),
		flawed("optimistic-reply-lost", "optimistic, and a write whose outcome is unknown is repeated as if it had had no effect", deciding,
			func(d lock.Deps) lock.Strategy { return &optimistic{Deps: d, repeatUnknown: true} }),
	}
}

// sound returns a strategy without a known bug. The resource itself decides, so neither
// stopped workers, nor late messages, nor wrong clocks, nor lock servers can break it.
func sound(name, doc string, needs []lock.Need, also string, make func(lock.Deps) lock.Strategy) lock.Entry {
	e := flawed(name, doc, needs, make)
	e.Flawed = false
	e.Claims = lock.Claims{
		Corruption: lock.Classes(),
		Service:    []lock.Class{lock.ClassPause, lock.ClassDelay, lock.ClassUnknown, lock.ClassCrash},
		Also:       also,
	}
	return e
}

func flawed(name, doc string, needs []lock.Need, make func(lock.Deps) lock.Strategy) lock.Entry {
	return lock.Entry{
		Name: name, Doc: doc, LockFree: true, Flawed: true, Needs: needs, New: make,
		Defaults: lock.Params{Retry: lock.Retry{Attempts: 5, Delay: 20 * time.Millisecond, Jitter: 10 * time.Millisecond, Doubling: true}},
	}
}
