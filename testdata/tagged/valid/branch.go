package branch

import "github.com/graphgen/graphgen/graph"

// a label that the handler returns selects the target.
//
//graphgen:graph branch entry=classify no_match=end
type _ struct {
	State struct {
		Message string
		Reply   *string
	} `graphgen:"input=message; output=reply"`

	// tells what the message is about.
	Classify graph.Func `graphgen:"reads=message; edge branch={tool: tools, talk: respond, bye: end}"`

	//graphgen:edge branch={again: classify, done: respond} max_iterations=2
	Tools graph.Func `graphgen:"reads=message; writes=reply"`

	Respond graph.Func `graphgen:"reads=message; writes=reply"`
}
