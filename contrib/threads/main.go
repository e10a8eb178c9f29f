// Threads is the verb threads of graphgen with every store: it lists, shows and changes threads in folders, SQLite databases, Postgres and
// Redis. It is a module of its own, so that graphgen links no drivers.
package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/signal"
	"syscall"

	"github.com/graphgen/graphgen/cmd/threads"
	"github.com/graphgen/graphgen/contrib/postgres"
	"github.com/graphgen/graphgen/contrib/redis"
	"github.com/graphgen/graphgen/contrib/sqlite"
	"github.com/graphgen/graphgen/thread"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal ends the process
	os.Exit(threads.Main(ctx, "threads", os.Args[1:], stores()))
}

// stores returns the stores of this program.
func stores() threads.Stores {
	all := threads.Files()
	all["sqlite"] = func(ctx context.Context, url string, create bool) (thread.Store, error) {
		path := threads.Path(url)
		if _, err := os.Stat(path); !create && errors.Is(err, fs.ErrNotExist) {
			return nil, threads.Missing(path)
		}
		return opened(sqlite.Open(ctx, path))
	}
	for _, scheme := range []string{"postgres", "postgresql"} {
		all[scheme] = func(ctx context.Context, url string, _ bool) (thread.Store, error) {
			return opened(postgres.Open(ctx, url))
		}
	}
	for _, scheme := range []string{"redis", "rediss", "unix"} {
		all[scheme] = func(ctx context.Context, url string, _ bool) (thread.Store, error) {
			return opened(redis.Open(ctx, url, redis.Lossy())) // programs that make runs refuse such a server
		}
	}
	return all
}

// opened returns a store as its interface, nil with an error.
func opened[S thread.Store](s S, err error) (thread.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}
