package g

import "github.com/graphgen/graphgen/graph"

//graphgen:graph
type _ struct {
	A graph.Func
}

//graphgen:graph two entry=a
//graphgen:graph three
//graphgen:limits max_steps=3
//graphgen:edge -> end
//graphgen:edge a -> b -> end priority=3
//graphgen:edge a -> end if
//graphgen:set max_visits=3, entry
//graphgen:loop_until node=a exit=end if out.Done max_iterations=two
type _ struct {
	//graphgen:set reads=[topic
	A graph.Func `graphgen:"max_visits=3" json`
	//graphgen:egde -> end
	B    graph.Func `graphgen:"flags=retryable(attempts=1,,)"`
	C, D graph.Func
	graph.Guard
	E graph.Funk
}

// This stands above nothing.
//
//graphgen:graph four

func nothing() {}
