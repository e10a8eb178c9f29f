package helps

import "github.com/graphgen/graphgen/graph"

//graphgen:graph helps entry=draft
//graphgen:set recursion_limit=20
//graphgen:edge review -> lost
//graphgen:edge review -> branch
type _ struct {
	State struct{ Topic string } `graphgen:"input=topic; output=topic,score"`

	Draft graph.Prompt `graphgen:"instructions='About {{topic}} in {{json}}.'; output=[]string; retries=3; next=review"`

	Review graph.Func `graphgen:"on_failure=draft; writes=verdict; -> draft if out.Score > 3"`

	Ask graph.Human `graphgen:"next=roam"`

	Roam graph.Subgraph `graphgen:"next=all"`

	All graph.Parallel `graphgen:"join=1; next=each"`

	Each graph.Map `graphgen:"next=again"`

	Again graph.Loop `graphgen:"body=step"`

	Step graph.Func `graphgen:"kind=while"`

	Call graph.Tool `graphgen:"tool=search; then=end"`
}
