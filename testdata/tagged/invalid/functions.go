package g

import (
	"github.com/graphgen/graphgen/graph"

	"github.com/graphgen/graphgen"
)

//graphgen:graph functions entry=a no_match=end max_steps=9
type _ struct {
	State State
	A     graph.Func `graphgen:"reads=done; output=int; -> a if small; -> a if smal; -> a if big; -> a if both; -> a if none; -> a if full"`
	B     graph.Func `graphgen:"-> a if small"`
	C     graph.Func `graphgen:"-> b if a; -> b if state.Done; -> c if state.Don"`
}

// State is the state of the graph, and what a graph called functions needs no name for.
type State struct{ Done bool }

type FunctionsA int

func small(out int) bool { return out < 3 }

func big(out string) bool { return out != "" }

func both(s *State, out int) bool { return s.Done }

func none(out int) {}

func full(out int, s *State, res graphgen.Result) bool { return s.Done && res.Step > 3 }
