package engine

import (
	"slices"
	"strings"

	graphrt "github.com/graphgen/graphgen/runtime"
	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/prompttext"
)

// A PromptInfo describes the texts of a node that asks a model.
type PromptInfo struct {
	Node                        string
	Instructions, Message, Rest PromptPart
	Shown                       []string // fields that no placeholder names
}

// A PromptPart is a part of a prompt: the instructions, the message, or the rest that its author wrote.
type PromptPart struct {
	Hash   string
	Fields []string // that its placeholders name
}

// NewParts are the texts that replace those of a node's prompt.
type NewParts struct {
	Info                  *PromptInfo
	Instructions, Message []string // as prompttext.Cut returns them; nil: the text of the spec stays
	Version               string
}

// NewParts returns the texts that replace those of a node, nil if none do.
func (r *Run) NewParts(node string) *NewParts {
	p, ok := r.settings.Prompts[node]
	if !ok {
		return nil
	}
	info := r.graph.prompt(node)
	if info == nil {
		return nil
	}
	n := &NewParts{Info: info}
	hash := func(text *string, part *PromptPart, pieces *[]string) string {
		if text == nil {
			return part.Hash
		}
		clean := prompttext.Clean(*text)
		*pieces, _ = prompttext.Cut(clean)
		return prompttext.Hash(clean)
	}
	n.Version = prompttext.Version(hash(p.Instructions, &info.Instructions, &n.Instructions), hash(p.Message, &info.Message, &n.Message), info.Rest.Hash)
	return n
}

// prompt returns the description of a node's prompt, nil if it asks no model.
func (g *Graph) prompt(node string) *PromptInfo {
	for i := range g.Prompts {
		if g.Prompts[i].Node == node {
			return &g.Prompts[i]
		}
	}
	return nil
}

// CheckPrompts returns a PromptError for a text of the options that does not fit its node.
func (g *Graph) CheckPrompts(options []graphrt.Option) error {
	if len(options) == 0 {
		return nil
	}
	var s graphrt.Settings
	for _, o := range options {
		o(&s)
	}
	return g.checkPrompts(s.Prompts)
}

func (g *Graph) checkPrompts(prompts map[string]graphrt.Prompt) error {
	for _, node := range sortedKeys(prompts) {
		p := prompts[node]
		if err := g.checkPart(node, p.Instructions, false); err != nil {
			return err
		}
		if err := g.checkPart(node, p.Message, true); err != nil {
			return err
		}
	}
	return nil
}

func sortedKeys(prompts map[string]graphrt.Prompt) []string {
	var names []string
	for name := range prompts {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// checkPart checks a text. One for a node of a child run is checked when that begins.
func (g *Graph) checkPart(node string, text *string, isMessage bool) error {
	if text == nil {
		return nil
	}
	wrong := &graphrt.PromptError{Graph: g.Name, Node: node, Message: isMessage}
	outer, _, within := strings.Cut(node, "/")
	info := g.prompt(node)
	switch {
	case within && g.runsGraph(outer):
		return nil
	case info == nil:
		wrong.Why = "the graph has no node of that name that asks a model by instructions"
		return wrong
	}
	clean := prompttext.Clean(*text)
	pieces, ok := prompttext.Cut(clean)
	switch {
	case strings.TrimSpace(clean) == "":
		wrong.Why = "the text is empty"
		return wrong
	case !ok:
		wrong.Why = "a placeholder is not closed; {{{{ is the text of the braces"
		return wrong
	}
	fields := info.fields()
	for i := 1; i < len(pieces); i += 2 {
		if !slices.Contains(fields, pieces[i]) {
			wrong.Field, wrong.Fields = pieces[i], fields
			return wrong
		}
	}
	return nil
}

// fields lists the fields that placeholders may name.
func (p *PromptInfo) fields() []string {
	var list []string
	for _, some := range [][]string{p.Instructions.Fields, p.Message.Fields, p.Rest.Fields, p.Shown} {
		for _, name := range some {
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// runsGraph reports whether a node runs a graph.
func (g *Graph) runsGraph(node string) bool {
	return slices.ContainsFunc(g.Nodes, func(n NodeInfo) bool { return n.Name == node && n.Kind == "subgraph" })
}

// passPrompts gives a child run the texts for its nodes, whose names have a prefix.
func passPrompts(prefix string, to, from *graphrt.Settings) {
	for name, p := range from.Prompts {
		inner, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		if p.Instructions != nil {
			graphrt.WithPrompt(inner, *p.Instructions)(to)
		}
		if p.Message != nil {
			graphrt.WithPromptMessage(inner, *p.Message)(to)
		}
	}
}

// AskedBy counts a call of a model by the version of its prompt.
func (r *Run) AskedBy(purpose chat.Purpose, version string, replaced bool) {
	r.countPrompt(r.graph.NodeName(r.here()), purpose, version, replaced, 1)
}

func (r *Run) countPrompt(node string, purpose chat.Purpose, version string, replaced bool, calls int) {
	x := r.withExtra()
	for i := range x.prompts {
		if p := &x.prompts[i]; p.Version == version && p.Node == node && p.Purpose == purpose {
			p.ModelCalls += calls
			return
		}
	}
	x.prompts = append(x.prompts, graphrt.PromptCount{Node: node, Purpose: purpose, Version: version, Replaced: replaced, ModelCalls: calls})
}
