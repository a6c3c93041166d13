package workload

import (
	"context"
	"fmt"
	"strconv"

	"lockquake/lock"
)

// Scope decides which sales have one lock.
type Scope string

// The two scopes.
const (
	ScopeItem   Scope = "item"   // one product
	ScopeGlobal Scope = "global" // all products
)

// flashSaleInfo returns the workload flash-sale.
func flashSaleInfo() Info {
	return Info{
		Name: "flash-sale", Initial: "20", Do: flashSale,
		Doc: "read the stock of a product, hold, write it with one less if there is any, create the order: there must be as many orders as the stock has lost, and no more than it had",
		Params: []Param{
			{Name: "scope", Word: &Word{func(s Settings) string { return string(s.Scope) }, "scope of a lock", words([]Scope{ScopeItem, ScopeGlobal})}},
		},
	}
}

// flashSale sells one piece of the drawn product. Each order is an item of its own, which holds how
// many pieces were ordered.
func flashSale(ctx context.Context, w *Work) error {
	key := w.Item
	if w.Settings.Scope == ScopeGlobal {
		key = w.Items[0] + "/all"
	}
	return w.Locked(ctx, key, "", func(ctx context.Context, s lock.Section) error {
		left, err := readNumber(ctx, s, w.Item)
		if err != nil || left <= 0 {
			return err
		}
		if err := w.Spend(ctx, w.Hold); err != nil {
			return err
		}
		if err := s.Write(ctx, w.Item, strconv.FormatInt(left-1, 10)); err != nil {
			return err
		}
		return s.Write(ctx, fmt.Sprintf("%s/order-%s-%d", w.Item, w.Worker, w.Section), "1")
	})
}
