package judges_test

import (
	"net/http"
	"time"

	"github.com/graphgen/graphgen/contrib/serve"
	"github.com/graphgen/graphgen/contrib/serve/mcp"
	"github.com/graphgen/graphgen/contrib/serve/servetest/tools"
	"github.com/graphgen/graphgen/thread"
)

// newTools returns an MCP server with the tools that the conformance suite calls, by its names, for one tenant without callers.
func newTools(store thread.Store, sealed bool) (http.Handler, error) {
	set := thread.With(thread.Settings{Store: store, Feed: new(thread.Feed), Lease: time.Second})
	simple, err := tools.NewSimple()
	if err != nil {
		return nil, err
	}
	failing, err := tools.NewFailing(tools.Broken{})
	if err != nil {
		return nil, err
	}
	progress, err := tools.NewProgress()
	if err != nil {
		return nil, err
	}
	greeting, err := tools.NewGreeting(set)
	if err != nil {
		return nil, err
	}
	tampering, err := tools.NewTampering(set)
	if err != nil {
		return nil, err
	}
	streaming, err := tools.NewStreaming(set)
	if err != nil {
		return nil, err
	}
	confirming, err := tools.NewConfirming(set)
	if err != nil {
		return nil, err
	}
	rounds, err := tools.NewRounds(set)
	if err != nil {
		return nil, err
	}
	h, err := serve.New(serve.Options{Shared: true},
		serve.Plain("test_simple_text", simple), serve.Plain("test_logging_tool", simple),
		serve.Plain("test_error_handling", failing), serve.Plain("test_tool_with_progress", progress),
		serve.Durable("test_input_required_result_elicitation", greeting), serve.Durable("test_input_required_result_tampered_state", tampering),
		serve.Durable("test_streaming_elicitation", streaming), serve.Durable("test_input_required_result_request_state", confirming),
		serve.Durable("test_input_required_result_multi_round", rounds),
	)
	if err != nil {
		return nil, err
	}
	return mcp.New(h, mcp.Options{Key: []byte("a key of the tests"), Sealed: sealed}), nil
}
