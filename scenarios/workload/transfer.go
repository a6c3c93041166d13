package workload

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"lockquake/history"
)

// Locking selects the locks of a transfer.
type Locking string

// The four ways.
const (
	LockBoth   Locking = "both"   // those of both accounts, sorted
	LockSource Locking = "source" // that of the account with the debit
	LockNames  Locking = "names"  // one for debits of the source and one for credits of the destination
	LockAll    Locking = "all"    // one for all accounts, so that both writes are in one section
)

// Fenced selects the writes of a transfer that carry the fencing token.
type Fenced string

// The two ways.
const (
	FencedBoth  Fenced = "both"
	FencedFirst Fenced = "first" // the debit
)

// transferInfo returns the workload transfer.
func transferInfo() Info {
	return Info{
		Name: "transfer", Initial: "1000", Least: 2, Outside: true, Do: transfer,
		Doc: "read the balance of an account, hold, write it with a debit, then add the credit to another account: the total must stay the same",
		Params: []Param{
			{Name: "locking", Word: &Word{func(s Settings) string { return string(s.Locking) }, "way to lock two accounts", words([]Locking{LockBoth, LockSource, LockNames, LockAll})}},
			{Name: "fenced", Word: &Word{func(s Settings) string { return string(s.Fenced) }, "choice of fenced writes", words([]Fenced{FencedBoth, FencedFirst})}},
		},
	}
}

// transfer moves a random amount from one account to another. The debit is written from the balance
// that was read before the hold, and the credit from one that is read right before the write.
func transfer(ctx context.Context, w *Work) error {
	const most = 10
	accounts := slices.Clone(w.Items)
	from := w.takeOne(&accounts)
	to := w.takeOne(&accounts)
	amount := 1 + w.Draw.Int64N(most)
	keys := []string{from, to}
	switch w.Settings.Locking {
	case LockSource:
		keys = keys[:1]
	case LockNames:
		keys = []string{from + "/debit", to + "/credit"}
	case LockAll:
		keys = []string{w.Items[0] + "/all"}
	default:
		slices.Sort(keys)
	}
	unit := fmt.Sprintf("%s/transfer-%d", w.Worker, w.Section)
	return w.lockAll(ctx, keys, unit, func(held []holding) error {
		source, destination := held[0], held[len(held)-1]
		if destination.key == from {
			source, destination = destination, source
		}
		balance, err := readNumber(source.ctx, source.section, from)
		if err != nil || balance < amount {
			return err
		}
		if err := w.Spend(source.ctx, w.Hold); err != nil {
			return err
		}
		if err := source.section.Write(source.ctx, from, strconv.FormatInt(balance-amount, 10)); err != nil {
			return err
		}
		if w.Settings.Fenced == FencedFirst {
			to = history.Outside(to, false)
		}
		if balance, err = readNumber(destination.ctx, destination.section, to); err != nil {
			return err
		}
		return destination.section.Write(destination.ctx, to, strconv.FormatInt(balance+amount, 10))
	})
}

// takeOne draws one of the names and removes it.
func (w *Work) takeOne(names *[]string) string {
	i := int(w.Draw.Int64N(int64(len(*names))))
	name := (*names)[i]
	*names = slices.Delete(*names, i, i+1)
	return name
}
