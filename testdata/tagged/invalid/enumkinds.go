package enumkinds

import "github.com/graphgen/graphgen/graph"

//graphgen:graph enumkinds entry=small
type _ struct {
	State struct{ Small Small } `graphgen:"output=small"`

	// Small has no value above 255.
	//
	//graphgen:edge -> large if out.Small > 300
	//graphgen:edge -> end
	Small graph.Func `graphgen:"writes=small"`

	// Large has none below 0.
	//
	//graphgen:edge -> fits if out.Small > -1
	//graphgen:edge -> end
	Large graph.Func `graphgen:"writes=small"`

	// Fits compares with what the type has.
	//
	//graphgen:edge -> end if out.Small > 200
	//graphgen:edge -> end
	Fits graph.Func `graphgen:"writes=small"`
}

type Small uint8

const (
	Few  Small = 1
	Many Small = 255
)
