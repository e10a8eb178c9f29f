package engine

import (
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/prompttext"
)

// NewParts returns the texts that replace those of a node, nil if none do.
func (r *Run) NewParts(node string) *prompttext.NewParts {
	if r.settings.Prompts == nil {
		return nil
	}
	info := r.graph.prompt(node)
	if info == nil {
		return nil
	}
	return r.settings.Prompts.Of(info)
}

// A PromptInfo describes the texts of a node that asks a model.
type PromptInfo = prompttext.Info

// A PromptPart is a part of a prompt: the instructions, the message, or the rest that its author wrote.
type PromptPart = prompttext.Part

// Need returns the error unless a machine is given something that it is made with.
func Need(given bool, missing error) error {
	if given {
		return nil
	}
	return missing
}

// prompt returns the description of a node's prompt, nil if it asks no model.
func (g *Graph) prompt(node string) *prompttext.Info {
	for i := range g.Prompts {
		if g.Prompts[i].Node == node {
			return &g.Prompts[i]
		}
	}
	return nil
}

// Check returns the first error of what a machine is made with, and else why its runs cannot have the options.
func (g *Graph) Check(options []graphgen.Option, missing ...error) error {
	for _, err := range missing {
		if err != nil {
			return err
		}
	}
	if len(options) == 0 {
		return nil
	}
	var s graphgen.Settings
	s.Apply(options)
	if err := g.accepts(atConstructor, &s, earlier{}); err != nil {
		return err
	}
	return g.unfit(&s)
}

func (g *Graph) checkPrompts(s *graphgen.Settings) error {
	if s.Prompts == nil {
		return nil
	}
	return s.Prompts.Check(g.Name, g.Prompts, g.runsGraph)
}

// runsGraph reports whether a node runs a graph.
func (g *Graph) runsGraph(node string) bool {
	return slices.ContainsFunc(g.Nodes, func(n NodeInfo) bool { return n.Name == node && n.Kind == "subgraph" })
}

// passPrompts gives a child run the texts for its nodes, whose names have a prefix.
func passPrompts(prefix string, to, from *graphgen.Settings) {
	if from.Prompts != nil {
		from.Prompts.Pass(prefix, to)
	}
}

// AskedBy counts a call of a model by the version of its prompt. It returns the number of the count, for AskedAgain.
func (r *Run) AskedBy(purpose chat.Purpose, version string, replaced bool) int {
	return r.countPrompt(r.graph.NodeName(r.here()), purpose, version, replaced, 1)
}

// AskedAgain counts a further call of the same node, with the same purpose and version.
func (r *Run) AskedAgain(number int) { r.more.active.prompts[number].ModelCalls++ }

func (r *Run) countPrompt(node string, purpose chat.Purpose, version string, replaced bool, calls int) int {
	a := r.withActivity()
	for i := range a.prompts {
		if p := &a.prompts[i]; p.Version == version && p.Node == node && p.Purpose == purpose {
			p.ModelCalls += calls
			return i
		}
	}
	if a.prompts == nil {
		a.prompts = a.firstPrompt[:0]
	}
	a.prompts = append(a.prompts, graphgen.PromptCount{Node: node, Purpose: purpose, Version: version, Replaced: replaced, ModelCalls: calls})
	return len(a.prompts) - 1
}
