package threads

import (
	"context"
	"iter"
	"strings"

	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// Steps yields what the records of a thread have saved, from the first that is kept. The last pair has the error, if there is one.
func Steps(ctx context.Context, s thread.Store, name string) iter.Seq2[thread.Step, error] {
	return durable.History(ctx, s, name, 0)
}

// Waiting returns the nodes at which a thread waits for answers, each with the nodes that run its graph, as in look/ask.
func Waiting(h *thread.Head) (nodes []string, err error) {
	info, err := durable.InfoOf(h)
	if err != nil {
		return nil, err
	}
	for i := range info.Requests {
		q := &info.Requests[i]
		nodes = append(nodes, strings.TrimPrefix(q.Within+"/"+q.Node, "/"))
	}
	return nodes, nil
}
