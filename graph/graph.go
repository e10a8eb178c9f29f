// Package graph holds the markers of graphs that are written as Go structs: the type of a
// struct field is what the field declares. The markers have no fields, no methods and
// no use at run time; graphgen reads them.
//
//	//graphgen:graph review entry=draft max_steps=20
//	type _ struct {
//		State ReviewState `graphgen:"input=topic; output=article"`
//
//		Draft   graph.Func `graphgen:"reads=topic,verdicts; writes=article; -> critic"`
//		Critic  graph.Func `graphgen:"reads=article; output=Verdict; writes=verdicts; -> publish if out.Score >= 4; -> draft max_iterations=3; -> publish"`
//		Publish graph.Func `graphgen:"reads=article; -> end"`
//	}
//
// The language is described in docs/reference/tagged-go.md. The markers of nodes are in markers_gen.go.
package graph

// Type marks a type of the graph's Types that its tag describes: an enum, as in
//
//	Grade graph.Type `graphgen:"enum=low,high"`
type Type struct{}
