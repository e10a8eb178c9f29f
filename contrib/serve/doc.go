// Package serve serves machines of graphgen, and the threads of those that are durable, over HTTP.
//
//	m, err := NewRefund(shop, thread.With(thread.Settings{Store: store, Feed: new(thread.Feed)}))
//	h, err := serve.New(serve.Options{Identify: session}, serve.Durable("refunds", m))
//	err = h.ListenAndServe(ctx, "localhost:8080", 30*time.Second)
//
// A Handler is an http.Handler, which may be below any path. It keeps nothing that a store does not have: a client that loses its process continues
// at another one, with the number of the last step that it has.
//
//	GET     /graphs                               the graphs
//	GET     /graphs/{graph}                       a graph: the JSON Schemas of its input, output, requests and events
//	GET     /graphs/{graph}/picture.svg           its picture, for developers
//	POST    /graphs/{graph}/threads               begin a run in a thread
//	POST    /graphs/{graph}/runs                  make a run that is in no thread
//	GET     /threads                              a page of threads
//	GET     /threads/{thread}                     the status of a thread, and its open requests
//	DELETE  /threads/{thread}                     delete a thread
//	GET     /threads/{thread}/events              its steps and events, as server-sent events
//	GET     /threads/{thread}/history             a page of its steps
//	GET     /threads/{thread}/run                 a page of its last run as events, for developers
//	GET     /threads/{thread}/state               its state after a step
//	GET     /threads/{thread}/requests            its open requests
//	POST    /threads/{thread}/requests/{request}  answer a request
//	POST    /threads/{thread}/recover             continue its run, or get the result again
//	POST    /threads/{thread}/stop                stop its run before the next node
//	POST    /threads/{thread}/fork                make a thread that continues after a step
//	GET     /healthz                              whether the process lives
//	GET     /readyz                               whether it takes requests
//	GET     /openapi.json                         this table, as OpenAPI 3.1
//
// The README of the folder has the bodies, the events and the problems.
package serve
