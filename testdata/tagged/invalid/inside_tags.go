package g

import "github.com/graphgen/graphgen/graph"

//graphgen:graph inside entry=frist max_stepz=3
type _ struct {
	State struct {
		Topic string
		Draft string
	} `json:"-" graphgen:"input=topic; output=darft"`

	First  graph.Func `graphgen:"raeds=topic; writes=draft; -> second if out.Drft == \"\"; -> thrid"`
	Second graph.Func "graphgen:\"reads=topic; writes=draft; -> end if out.Draft == \\\"x\\\" && out.Dra == 1; next=end\""
	// éé comes before what is wrong in columns of two bytes.
	Third graph.Func `graphgen:"doc='éé'; reads=tpic; -> end"`
}
