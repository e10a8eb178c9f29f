package policy

import "github.com/graphgen/graphgen/graph"

// timeouts, retries and the timeout of a run.
//
//graphgen:graph policy entry=fetch timeout=10m on_error=fallback
type _ struct {
	State struct {
		URL  string
		Body string
	} `graphgen:"input=url; output=body"`

	Fetch    graph.Func `graphgen:"reads=url; writes=body; timeout=30s; next=parse; flags=retryable(attempts=4, wait=1s, max_wait=3s)"`
	Parse    graph.Func `graphgen:"reads=body; flags=retryable; next=store"`
	Store    graph.Func `graphgen:"reads=body; timeout=1m; flags=retryable(attempts=2, on=any)"`
	Fallback graph.Func `graphgen:"writes=body"`
}
