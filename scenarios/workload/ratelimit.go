package workload

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"lockquake/lock"
)

// Expiry selects when the end of a window is written.
type Expiry string

// The two moments.
const (
	ExpiryWithCount  Expiry = "with-count"
	ExpiryAfterCount Expiry = "after-count" // by a second write: a crash before it leaves a window without an end
)

// rateLimitInfo returns the workload rate-limit.
func rateLimitInfo() Info {
	return Info{
		Name: "rate-limit", Do: oneLock(rateLimit),
		Doc: "read the number of requests in the window, hold, and count the request if it is within the limit: no window may admit more, and a request may be refused only at the limit",
		Offers: func(s Settings) []lock.Need {
			if !s.Sliding && s.Expiry == ExpiryAfterCount {
				return nil // another section may write between the two writes
			}
			return []lock.Need{lock.NeedDecidingWrite}
		},
		Params: []Param{
			{Name: "limit", Count: &Count{func(s Settings) int { return s.Limit }, 1, maxLimit}},
			{Name: "window", Time: &Time{func(s Settings) time.Duration { return s.Window }, time.Millisecond}},
			{Name: "sliding"},
			{Name: "expiry", Word: &Word{func(s Settings) string { return string(s.Expiry) }, "moment of an expiry", words([]Expiry{ExpiryWithCount, ExpiryAfterCount})}},
		},
	}
}

// rateLimit admits one request, which its first write to the item means, or turns it away. Times
// are those of the worker's wall clock.
func rateLimit(w *Work) lock.Body {
	return func(ctx context.Context, s lock.Section) error {
		value, err := s.Read(ctx, w.Item)
		if err != nil {
			return err
		}
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		if w.Settings.Sliding {
			return w.slide(ctx, s, value)
		}
		return w.countFixed(ctx, s, value)
	}
}

// slide counts a request in a sliding window. The item holds the times of the last requests.
func (w *Work) slide(ctx context.Context, s lock.Section, value string) error {
	now := w.Wall()
	var recent []string
	for text := range strings.FieldsSeq(value) {
		at, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("%s does not hold times: %w", w.Item, err)
		}
		if now-at < w.Settings.Window {
			recent = append(recent, text)
		}
	}
	if len(recent) >= w.Settings.Limit {
		return nil
	}
	return s.Write(ctx, w.Item, strings.Join(append(recent, now.String()), " "))
}

// countFixed counts a request in a fixed window. The item holds the count and the end of the window,
// which may be missing.
func (w *Work) countFixed(ctx context.Context, s lock.Section, value string) error {
	count, end, _ := strings.Cut(value, " until ")
	n, err := number(w.Item, count)
	if err != nil {
		return err
	}
	now := w.Wall()
	if end != "" {
		until, err := time.ParseDuration(end)
		if err != nil {
			return fmt.Errorf("%s does not hold the end of a window: %w", w.Item, err)
		}
		if now >= until {
			n = 0
		}
	}
	if n >= int64(w.Settings.Limit) {
		return nil
	}
	if n == 0 {
		end = (now + w.Settings.Window).String()
		if w.Settings.Expiry == ExpiryAfterCount {
			if err := s.Write(ctx, w.Item, "1"); err != nil {
				return err
			}
		}
	}
	count = strconv.FormatInt(n+1, 10)
	if end != "" {
		count += " until " + end
	}
	return s.Write(ctx, w.Item, count)
}
