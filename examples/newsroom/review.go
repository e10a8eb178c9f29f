package newsroom

import "github.com/graphgen/graphgen/graph"

// Newsroom drafts an article and refines it until a critic is content.
//
//graphgen:graph newsroom entry=draft max_steps=20 codecs=all
type _ struct {
	State Desk `graphgen:"input=topic; output=article,praise"`

	// Draft writes about the topic, and addresses every issue that the critic raised.
	Draft graph.Func `graphgen:"reads=topic,verdicts; writes=article; -> critic"`

	// Critic judges the article.
	//
	//graphgen:set reads=article output=Verdict writes=verdicts
	//graphgen:edge -> publish if content priority=10
	//graphgen:edge -> spike if out.Severity == Fatal
	//graphgen:edge -> draft max_iterations=3 label='raised issues'
	//graphgen:edge -> publish
	Critic graph.Func

	// Publish puts the article where its readers are.
	Publish graph.Func `graphgen:"reads=article; writes=praise; flags=critical,retryable(attempts=3, wait=10ms); -> end"`

	// Spike keeps the article from its readers.
	Spike graph.Func `graphgen:"reads=verdicts; -> end"`
}

// A Desk is what lies on the editor's desk.
type Desk struct {
	Topic    string
	Article  string
	Praise   int       `graphgen:"merge=sum"`
	Verdicts []Verdict `graphgen:"merge=append"`
}

// A Verdict is the critic's judgement of a draft.
type Verdict struct {
	Score    int `graphgen:"min=1; max=5"`
	Severity Severity
	Issues   []string
}

// Severity is how bad the worst issue is.
type Severity string

// The severities.
const (
	Minor Severity = "minor"
	Major Severity = "major"
	Fatal Severity = "fatal"
)

// content reports whether the critic lets an article pass.
func content(out Verdict, s *Desk) bool {
	return out.Score >= 4 || len(s.Verdicts) > 2 && out.Severity == Minor
}
