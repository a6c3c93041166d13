package lock

import "time"

// Profile is a set of numbers that people use together for one kind of work. It
// does not change the parts of a strategy, nor its jitter.
type Profile struct {
	Name     string
	TTL      time.Duration
	Attempts Attempts
	Delay    time.Duration // before the second attempt; it doubles from there
	Renew    time.Duration
}

// Profiles lists the profiles that Params.Profile can name.
func Profiles() []Profile {
	return []Profile{
		{"financial", 5 * time.Second, 5, 200 * time.Millisecond, 1500 * time.Millisecond},
		{"cache", 2 * time.Second, 2, 50 * time.Millisecond, 800 * time.Millisecond},
		{"batch", 30 * time.Second, 10, 500 * time.Millisecond, 5 * time.Second},
		{"default", 5 * time.Second, 3, 100 * time.Millisecond, time.Second},
	}
}

// ApplyProfile sets TTL, Renew and the attempts and delays of Retry to those of the
// profile. An unknown name changes nothing.
func (p *Params) ApplyProfile(name string) {
	for _, f := range Profiles() {
		if f.Name == name {
			p.TTL, p.Renew = f.TTL, f.Renew
			p.Retry.Attempts, p.Retry.Delay, p.Retry.Doubling = f.Attempts, f.Delay, true
		}
	}
}
