package inline_types

import "github.com/graphgen/graphgen/graph"

//graphgen:graph inline_types entry=a
type _ struct {
	State struct {
		Score int    `graphgen:"type=string"`
		Grade string `graphgen:"default=low; enum=low,high"`
		Lang  any    `graphgen:"default=go; enum=go,rust"`
		Kind  string `graphgen:"default=enum"`
	} `graphgen:"output=score,grade,lang,kind"`

	A graph.Func `graphgen:"writes=score,grade,lang,kind"`
}
