package loops

import "github.com/graphgen/graphgen/graph"

// the shorthands sequential and loop_until.
//
//graphgen:graph loops
//graphgen:set entry=open
//graphgen:edge open -> fetch -> refine
type _ struct {
	State struct {
		Quality int
		Rounds  int `graphgen:"merge=sum"`
	} `graphgen:"output=quality,rounds"`

	Open, Fetch graph.Func

	//graphgen:loop_until exit=deliver max_iterations=3 if out.Quality >= 4
	Refine graph.Func `graphgen:"output={quality: int, rounds: int}; writes=quality,rounds"`

	Deliver graph.Func `graphgen:"reads=quality"`
}
