package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"lockquake/lock"
	"lockquake/lock/postgres"
)

// The manager that runs in the simulation runs on pgxpool in production. Two transfers between the
// same accounts in opposite directions do not wait for each other, since the manager orders the locks.
func ExampleManager() {
	ctx := context.Background()
	pool, err := pgxpool.New(ctx, "postgres://localhost/bank")
	if err != nil {
		log.Fatal(err)
	}
	defer pool.Close()
	locks := &postgres.Manager{Pool: postgres.PoolOf(pool.Acquire), Wait: 5 * time.Second}

	err = locks.WithLocks(ctx, []string{"account 7", "account 3"}, func(ctx context.Context, conn postgres.Conn) error {
		if _, err := conn.Exec(ctx, "UPDATE accounts SET balance = balance - 10 WHERE number = 7"); err != nil {
			return err
		}
		_, err := conn.Exec(ctx, "UPDATE accounts SET balance = balance + 10 WHERE number = 3")
		return err
	})
	switch {
	case errors.Is(err, lock.ErrNotObtained):
		fmt.Println("another transfer is under way:", err)
	case errors.Is(err, lock.ErrUnknown):
		fmt.Println("look if the money has moved:", err)
	case err != nil:
		fmt.Println("nothing has moved:", err)
	}
}
