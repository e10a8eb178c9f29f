package panics

import "github.com/graphgen/graphgen/graph"

//graphgen:graph panics entry=work max_steps=20
type _ struct {
	State State `graphgen:"input=y; output=y"`

	// Work fails where the function that starts a branch panics.
	//
	//graphgen:set branches={left: {run: ask, if: wants}, right: look} join=all
	//graphgen:edge -> tell on=error
	//graphgen:edge -> find
	Work graph.Parallel
	Ask  graph.Func `graphgen:"reads=y; fail_soft=true"`
	Look graph.Func `graphgen:"reads=y; fail_soft=true"`

	Tell graph.Func `graphgen:"reads=x; writes=y; -> end"`
	Find graph.Func `graphgen:"reads=y; writes=x; -> tell"`
}

type State struct{ X, Y string }

func wants(s *State) bool { return s.Y[0] == 'a' }
