// Package skillgroups names skill groups, in a spec and in a graph that is a Go struct.
package skillgroups

import "github.com/graphgen/graphgen/graph"

// A graph in Go names skill groups, its own and those of a file.
//
//graphgen:graph clerk entry=ask use={house: house.types.yaml}
//graphgen:set skills={polite: {instructions: 'Say please.', tools: {bow: {doc: 'Bows.'}}}}
type _ struct {
	State struct {
		Question string
		Answer   string
	} `graphgen:"input=question; output=answer"`

	Ask graph.Prompt `graphgen:"instructions=Answer.; reads=question; writes=answer; skills=[polite, house.web]"`
}
