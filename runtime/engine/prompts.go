package engine

import (
	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/prompttext"
)

// NewParts returns the texts that replace texts of a node, nil if none do.
func (a *Agent) NewParts(node string) *prompttext.NewParts {
	if a.run.settings.Prompts == nil {
		return nil
	}
	info := a.run.Graph().prompt(node)
	if info == nil {
		return nil
	}
	return a.run.settings.Prompts.Of(info)
}

// A PromptInfo describes the texts of a node that asks a model.
type PromptInfo = prompttext.Info

// A PromptPart is a part of a prompt: the instructions, the message, or the rest that its author wrote.
type PromptPart = prompttext.Part

// prompt returns the description of a node's prompt, nil if it asks no model.
func (g *Graph) prompt(node string) *prompttext.Info {
	for i := range g.Prompts {
		if g.Prompts[i].Node == node {
			return &g.Prompts[i]
		}
	}
	return nil
}

// CountPrompt counts a call of a model by the version of its prompt. It returns the number of the count, for AskedAgain.
func (a *Agent) CountPrompt(purpose chat.Purpose, version string, replaced bool) int {
	return a.addPrompt(a.run.Graph().NodeName(a.run.here()), purpose, version, replaced, 1)
}

// CountPromptAgain counts a further call of the same node, with the same purpose and version.
func (a *Agent) CountPromptAgain(number int) { a.prompts[number].ModelCalls++ }

func (a *Agent) addPrompt(node string, purpose chat.Purpose, version string, replaced bool, calls int) int {
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
