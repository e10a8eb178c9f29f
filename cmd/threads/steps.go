package threads

import (
	"context"
	"encoding/json"
	"iter"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/runtime/durable"
	"github.com/graphgen/graphgen/thread"
)

// Steps yields what the records of a thread have saved, from the first that is kept. The last pair has the error, if there is one.
func Steps(ctx context.Context, s thread.Store, name string) iter.Seq2[thread.Step, error] {
	return durable.History(ctx, s, name, 0)
}

// An Asked is a request that a thread waits for.
type Asked struct {
	Path, Branch, Node string // the path has the nodes that run its graph, as in look/ask
	JSON               []byte // as events have it, without values of the state
}

// Requests returns the requests whose answers a thread waits for.
func Requests(h *thread.Head) (list []Asked, err error) {
	info, err := durable.InfoOf(h)
	if err != nil {
		return nil, err
	}
	for _, q := range info.Requests {
		q.Shown = nil
		text, err := graphgen.AppendRequests(nil, []graphgen.Request{q})
		if err != nil {
			return nil, err
		}
		var one struct {
			Requests []json.RawMessage `json:"requests"`
		}
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, err
		}
		list = append(list, Asked{q.Within, q.Branch, q.Node, one.Requests[0]})
	}
	return list, nil
}
