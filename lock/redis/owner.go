package redis

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"

	"lockquake/lock"
)

// owner makes the value of the key, which identifies its owner. Last is the value of the
// attempt before in the same call, "" for the first attempt.
type owner func(l *locker, last string) string

func owners() lock.Choice[owner] {
	return lock.Choice[owner]{Name: "owner", Doc: "the value of the key, which identifies its owner", Options: []lock.Option[owner]{
		{Way: lock.Sound("random", "128 random bits, new for every attempt"), Value: ownerRandom},
		{Way: lock.Sound("call", "128 random bits, the same for all attempts of one call"), Value: ownerCall},
		{Way: lock.Flaw("instance", "one random value for each client, shared by all workers of a process"), Value: ownerInstance},
		{Way: lock.Flaw("weak", "process ID and millisecond, which can be equal in two containers"), Value: ownerWeak},
		{Way: lock.Flaw("constant", "the same value for all workers"), Value: ownerConstant},
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
