package engine

import (
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/optionset"
	"github.com/graphgen/graphgen/internal/prompttext"
)

// NewParts returns the texts that replace those of a node, nil if none do.
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

// Part is something that a machine is made with.
type Part struct {
	what, name string
	given      bool
}

// Need describes a part of a machine by its name in a ConfigError, and whether it is given.
func Need(given bool, what string) Part { return Part{what, "", given} }

// NeedGraph is Need for the machine of another graph.
func NeedGraph(given bool, graph string) Part { return Part{"graph", graph, given} }

// prompt returns the description of a node's prompt, nil if it asks no model.
func (g *Graph) prompt(node string) *prompttext.Info {
	for i := range g.Prompts {
		if g.Prompts[i].Node == node {
			return &g.Prompts[i]
		}
	}
	return nil
}

// Options are the options of a machine, each applied once.
type Options struct{ settings Settings }

// noOptions are those of a machine without options.
var noOptions Options

// Configure applies the options of a machine. The error is a *graphgen.ConfigError: a part is missing, or runs of the graph cannot have the options.
func Configure[O interface {
	option.Thread[optionset.Settings]
}](g *Graph, options []O, parts ...Part) (*Options, error) {
	for _, p := range parts {
		if !p.given {
			return nil, &graphgen.ConfigError{Graph: g.Name, Option: p.what, Name: p.name, Why: "it is nil: the constructor needs it"}
		}
	}
	if len(options) == 0 {
		return &noOptions, nil
	}
	m := new(Options)
	for _, o := range options {
		option.Set(&m.settings.Settings, o)
	}
	s := &m.settings
	s.Observers, s.Hooks = Clip(s.Observers), Clip(s.Hooks)
	s.Toolboxes, s.ToolWrappers, s.ModelWrappers = Clip(s.Toolboxes), Clip(s.ToolWrappers), Clip(s.ModelWrappers)
	s.kept, s.own = s.Thread, &machineHooks{s.Observers, s.Hooks}
	if err := g.unfit(&s.Settings); err != nil {
		return nil, err
	}
	return m, nil
}

// Made returns the machine of a constructor, or the error of its options.
func Made[M any](machine M, err error) (M, error) {
	if err != nil {
		var none M
		return none, err
	}
	return machine, nil
}

// runsGraph reports whether a node runs a graph.
func (g *Graph) runsGraph(node string) bool {
	return slices.ContainsFunc(g.Nodes, func(n NodeInfo) bool { return n.Name == node && n.Kind == "subgraph" })
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
