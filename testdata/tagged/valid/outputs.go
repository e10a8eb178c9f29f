package outputs

import "github.com/graphgen/graphgen/graph"

// edges look at fields of the output.
//
//graphgen:graph outputs entry=judge no_match=end
type _ struct {
	Types struct {
		// how bad it is
		Level graph.Type `graphgen:"enum=low,middle,high"`
	}
	State struct{ Took string } `graphgen:"output=took"`

	//graphgen:set output={level: Level, tags: ?string, sure: bool, confidence: float}
	//graphgen:edge -> fix on_output={level: high} priority=4
	//graphgen:edge -> tag on_output={tags: urgent} priority=3
	//graphgen:edge -> ask on_output={sure: false} priority=2
	//graphgen:edge -> done on_confidence=0.7 priority=1
	//graphgen:edge -> watch if out.Level == LevelMiddle || res.Visit > 1
	Judge graph.Func

	Fix   graph.Func `graphgen:"writes=took"`
	Watch graph.Func `graphgen:"writes=took"`
	Ask   graph.Func `graphgen:"writes=took"`
	Tag   graph.Func `graphgen:"writes=took"`
	Done  graph.Func `graphgen:"writes=took"`
}
