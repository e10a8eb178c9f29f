// Package skillgroupstagged names skill groups in a graph that is a Go struct.
package skillgroupstagged

import "github.com/graphgen/graphgen/graph"

// A graph in Go names skill groups, its own and the groups of a file of another package.
//
//graphgen:graph clerk entry=ask use={house: github.com/graphgen/graphgen/golden/skillgroups}
//graphgen:set skills={polite: {instructions: 'Say please.', tools: {bow: {doc: 'Bows.'}}}}
type _ struct {
	State struct {
		Question string
		Answer   string
	} `graphgen:"input=question; output=answer"`

	Ask graph.Prompt `graphgen:"instructions=Answer.; reads=question; writes=answer; skills=[polite, house.web]"`
}
