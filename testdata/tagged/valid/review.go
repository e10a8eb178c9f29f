package review

import "github.com/graphgen/graphgen/graph"

// drafts an article and refines it until a critic is content.
//
//graphgen:graph review entry=draft max_steps=20
type _ struct {
	Types struct {
		Verdict struct {
			Score  int `graphgen:"min=1; max=5"`
			Issues []string
		}
	}
	State struct {
		Topic    string
		Article  string
		Verdicts []Verdict `graphgen:"merge=append"`
	} `graphgen:"input=topic; output=article"`

	// Draft writes about the topic and addresses every issue the critic raised.
	Draft graph.Func `graphgen:"reads=topic,verdicts; writes=article; -> critic"`

	// Critic judges the article.
	//
	//graphgen:edge -> publish if out.Score >= 4 priority=10
	//graphgen:edge -> draft max_iterations=3
	//graphgen:edge -> publish label='good enough'
	Critic graph.Func `graphgen:"reads=article; output=Verdict; writes=verdicts"`

	// Publish puts the article where its readers are.
	Publish graph.Func `graphgen:"reads=article; flags=critical; -> end"`
}
