package redis

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"lockquake/lock"
)

// owner makes the value of the key, which says whose the key is. Last is the value of
// the last attempt of the same call, "" for the first attempt.
type owner func(l *locker, last string) string

func owners() lock.Choice[owner] {
	return lock.Choice[owner]{Name: "owner", Doc: "how the value is made that says whose the key is", Options: []lock.Option[owner]{
		{Way: lock.Sound("random", "a value of 128 random bits for every attempt"), Do: ownerRandom},
		{Way: lock.Sound("call", "128 random bits for all attempts of one call"), Do: ownerCall},
		{Way: lock.Flaw("instance", "one random value for each client, so for all workers of a process"), Do: ownerInstance},
		{Way: lock.Flaw("weak", "process number and millisecond, which two containers can have in common"), Do: ownerWeak},
		{Way: lock.Flaw("constant", "one value for everybody"), Do: ownerConstant},
	}}
}

func ownerRandom(l *locker, _ string) string {
	var bits [16]byte
	binary.BigEndian.PutUint64(bits[:8], l.random.Uint64())
	binary.BigEndian.PutUint64(bits[8:], l.random.Uint64())
	var digits [32]byte
	hex.Encode(digits[:], bits[:])
	return string(digits[:])
}

func ownerCall(l *locker, last string) string {
	if last != "" {
		return last
	}
	return ownerRandom(l, "")
}

func ownerInstance(l *locker, _ string) string {
	if l.instance == "" {
		l.instance = ownerRandom(l, "")
	}
	return l.instance
}

func ownerWeak(l *locker, _ string) string { return fmt.Sprintf("1-%d", l.env.Now().UnixMilli()) }

func ownerConstant(*locker, string) string { return "locked" }
