package threads

import (
	"context"
	"iter"

	"github.com/graphgen/graphgen/internal/runevents"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// Steps yields what the records of a thread have saved, from the first that is kept. The last pair has the error, if there is one.
func Steps(ctx context.Context, s thread.Store, name string) iter.Seq2[thread.Step, error] {
	return durable.History(ctx, s, name, 0)
}

// Requests returns the requests whose answers a thread waits for.
func Requests(h *thread.Head) ([]runevents.Asked, error) {
	info, err := durable.InfoOf(h)
	if err != nil {
		return nil, err
	}
	return runevents.Requests(info.Requests)
}
