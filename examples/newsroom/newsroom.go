// Package newsroom drafts articles and judges them until they can be published. Its graph is
// written in Go: review.go declares the nodes, and the types of their data.
package newsroom

//go:generate go tool graphgen

import (
	"context"
	"fmt"
	"strings"
)

// A Staff does the work: Facts are what is known by topic.
type Staff struct{ Facts map[string][]string }

// Draft writes a sentence for each fact that the critic has missed so far, and for the first.
func (s Staff) Draft(_ context.Context, in NewsroomDraftIn) (NewsroomDraftOut, error) {
	facts := s.Facts[in.Topic]
	known := min(len(facts), 1+len(in.Verdicts))
	text := []string{"News of " + in.Topic + "."}
	for _, fact := range facts[:known] {
		text = append(text, fact+".")
	}
	return NewsroomDraftOut{Article: strings.Join(text, " ")}, nil
}

// enough is how many sentences the critic requires.
const enough = 4

// Critic counts sentences.
func (s Staff) Critic(_ context.Context, in NewsroomCriticIn) (Verdict, error) {
	sentences := strings.Count(in.Article, ".")
	switch {
	case sentences == 1:
		return Verdict{Score: 1, Severity: Fatal, Issues: []string{"there is nothing to tell"}}, nil
	case sentences < enough:
		issue := fmt.Sprintf("%d sentences of %d", sentences, enough)
		return Verdict{Score: sentences, Severity: Major, Issues: []string{issue}}, nil
	}
	return Verdict{Score: 5, Severity: Minor, Issues: []string{}}, nil
}

// Publish is praised for every sentence.
func (s Staff) Publish(_ context.Context, in NewsroomPublishIn) (NewsroomPublishOut, error) {
	return NewsroomPublishOut{Praise: strings.Count(in.Article, ".")}, nil
}

// Spike has nothing to do: what is not published is forgotten.
func (s Staff) Spike(context.Context, NewsroomSpikeIn) error { return nil }
