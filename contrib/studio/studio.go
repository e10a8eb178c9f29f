// Package studio serves a page for developers, over the handler of contrib/serve: the graphs with their pictures, forms that start runs and answer what
// they ask, runs as they happen, threads with their states, and forks.
//
//	api, err := serve.New(serve.Options{Shared: true, Details: true}, serve.Durable("refunds", m))
//	err = http.ListenAndServe("localhost:8081", studio.New(api, studio.Options{}))
//
// The page needs the option Details, which sends clients prompts, answers and errors: serve it to developers alone.
package studio

import (
	"net/http"

	"github.com/graphgen/graphgen/internal/studio"
)

// Options configure a studio. What is zero is the default.
type Options struct {
	ReadOnly bool // it shows, and changes nothing
}

// New returns the handler of a studio over an API: a handler of contrib/serve, or a proxy of one of another process. It is for the root of a server;
// http.StripPrefix has it below another path, which ends in a slash.
func New(api http.Handler, o Options) http.Handler {
	return studio.Handler(api, studio.Options{ReadOnly: o.ReadOnly})
}
