package g

import "github.com/graphgen/graphgen/graph"

//graphgen:graph composed entry=both mutations={allow: [skip, add_node]}
type _ struct {
	State struct {
		Topics []string
		Topic  string
		Notes  []string `graphgen:"merge=append"`
	} `graphgen:"input=topics; output=notes"`

	Both graph.Parallel   `graphgen:"branches={left: find, right: [tell, find]}; join=first count=2; -> each"`
	Each graph.Map        `graphgen:"body=look,note; over=topics; item=topics; -> roam if state.Topic != \"\""`
	Roam graph.Autonomous `graphgen:"pool=dig,rest entry=dgi terminal=rest instructions='Go on.' allow_repeat=false max_steps=5"`
	Find graph.Func       `graphgen:"reads=topics; -> tell"`
	Tell graph.Func       `graphgen:"reads=topics; mutates=true"`
	Look graph.Func       `graphgen:"reads=topic; next=note"`
	Note graph.Func       `graphgen:"reads=topic; writes=notes; output=string"`
	Dig  graph.Func       `graphgen:"reads=topics; flags=terminal"`
	Rest graph.Func       `graphgen:"reads=topics"`
}
