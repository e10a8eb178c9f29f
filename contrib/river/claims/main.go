// Command claims is the program of the guide to several workers: claims file NAME starts the thread of a claim, claims work works on threads
// until a signal ends it. The variable DATABASE has the address of the database, which has tables of the program:
//
//	create table claims (name text);
//	create table notes (claim text, process int);
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/graphgen/graphgen/contrib/river"
	"github.com/graphgen/graphgen/contrib/river/rivertest"
	"github.com/graphgen/graphgen/thread"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:]); err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	pool, err := pgxpool.New(ctx, os.Getenv("DATABASE"))
	if err != nil {
		return err
	}
	defer pool.Close()
	q, err := river.New(ctx, pool, river.Options{})
	switch {
	case err != nil:
		return err
	case len(args) == 1 && args[0] == "work":
		return work(ctx, pool, q)
	case len(args) == 2 && args[0] == "file":
		return file(ctx, pool, q, args[1])
	}
	return errors.New("usage: claims work, or claims file NAME")
}

// work works on the threads of claims.
func work(ctx context.Context, pool *pgxpool.Pool, q *river.Queue) error {
	m, err := rivertest.NewClaim(&office{pool}, thread.In(q.Store()))
	if err != nil {
		return err
	}
	return q.Work(ctx, river.Worker{
		Machines: []*river.Machine{river.Durable(m)},
		Report:   func(thread string, err error) { slog.Error("claims", "thread", thread, "error", err) },
	})
}

// file writes a claim, and starts its thread in the same transaction.
func file(ctx context.Context, pool *pgxpool.Pool, q *river.Queue, name string) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `insert into claims values ($1)`, name); err != nil {
			return err
		}
		_, err := q.In(tx).Start(ctx, river.Order{Graph: "claim", Thread: name, Run: name, Input: rivertest.ClaimInput{Claim: name}})
		return err
	})
}

// office has the handlers of claims.
type office struct{ pool *pgxpool.Pool }

func (o *office) Note(ctx context.Context, in rivertest.ClaimNoteIn) (rivertest.ClaimNoteOut, error) {
	_, err := o.pool.Exec(ctx, `insert into notes values ($1, $2)`, in.Claim, os.Getpid())
	return rivertest.ClaimNoteOut{Notes: 1}, err
}

func (o *office) Pay(context.Context, rivertest.ClaimPayIn) (rivertest.ClaimPayOut, error) {
	return rivertest.ClaimPayOut{Status: "paid"}, nil
}
