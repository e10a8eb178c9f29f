package graphgen

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/option"
	"github.com/graphgen/graphgen/internal/prompttext"
	"github.com/graphgen/graphgen/internal/quote"
)

// newPrompts are texts instead of the spec's, by node. A program without WithPrompt does not link what checks them.
type newPrompts map[string]newPrompt

// A newPrompt replaces texts of a node that asks a model. Nil leaves the text of the spec.
type newPrompt struct{ instructions, message *string }

// WithPrompt replaces the instructions of a node that asks a model: a prompt, or a router, guard or
// autonomous node with instructions. The text has placeholders as in the spec, of fields that the node
// reads. They get the same values as placeholders in the spec. What the node reads and no placeholder names is shown
// to the model, as ever.
//
// Of the graph of a subgraph, the name is a path: help/answer is the node answer of the graph that the
// node help runs.
//
// A text that does not fit is a *ConfigError.
func WithPrompt(node, instructions string) Option {
	return withPrompt(node, newPrompt{instructions: &instructions})
}

// WithPromptMessage replaces the message of a node, as WithPrompt replaces its instructions.
func WithPromptMessage(node, message string) Option {
	return withPrompt(node, newPrompt{message: &message})
}

func withPrompt(node string, p newPrompt) Option {
	return always(func(s *settings) {
		all, _ := s.Prompts.(newPrompts)
		s.Prompts = all.with(node, p)
	})
}

// with returns the texts and the texts of a node. Other runs keep their map.
func (all newPrompts) with(node string, p newPrompt) newPrompts {
	all = maps.Clone(all)
	if all == nil {
		all = newPrompts{}
	}
	was := all[node]
	all[node] = newPrompt{cmp.Or(p.instructions, was.instructions), cmp.Or(p.message, was.message)}
	return all
}

// Of returns the texts that replace a node's, nil if none do.
func (all newPrompts) Of(node *prompttext.Info) *prompttext.NewParts {
	p, ok := all[node.Node]
	if !ok {
		return nil
	}
	return node.Replace(p.instructions, p.message)
}

// Pass returns the texts of to with those for the nodes whose names have a prefix.
func (all newPrompts) Pass(prefix string, to option.Prompts) option.Prompts {
	for name, p := range all {
		if inner, ok := strings.CutPrefix(name, prefix); ok {
			texts, _ := to.(newPrompts)
			to = texts.with(inner, p)
		}
	}
	return to
}

// Check returns why a text does not fit its node. runsGraph reports whether a node runs a graph.
func (all newPrompts) Check(nodes []prompttext.Info, runsGraph func(node string) bool) *option.Invalid {
	for _, node := range slices.Sorted(maps.Keys(all)) {
		outer, _, within := strings.Cut(node, "/")
		if within && runsGraph(outer) {
			continue // checked when the child run begins
		}
		var fields []string
		at := slices.IndexFunc(nodes, func(n prompttext.Info) bool { return n.Node == node })
		if at >= 0 {
			fields = nodes[at].Fields()
		}
		for _, part := range []struct {
			text   *string
			option string
		}{{all[node].instructions, "graphgen.WithPrompt"}, {all[node].message, "graphgen.WithPromptMessage"}} {
			if part.text == nil {
				continue
			}
			why := "the graph has no node of that name that asks a model by instructions"
			if at >= 0 {
				why = misfit(*part.text, fields)
			}
			if why != "" {
				return &option.Invalid{Option: part.option, Name: node, Why: why}
			}
		}
	}
	return nil
}

// misfit returns why a text does not fit a node that has those fields, an empty text if it does.
func misfit(text string, fields []string) string {
	clean := prompttext.Clean(text)
	pieces, ok := prompttext.Cut(clean)
	switch {
	case strings.TrimSpace(clean) == "":
		return "the text is empty"
	case !ok:
		return "a placeholder is not closed; {{{{ is the text of the braces"
	}
	for i := 1; i < len(pieces); i += 2 {
		switch {
		case slices.Contains(fields, pieces[i]):
		case len(fields) == 0:
			return "the node reads no field that a placeholder can name: " + quote.Text(pieces[i])
		default:
			return "the node does not read the field of the placeholder " + quote.Text(pieces[i]) + ", but " + strings.Join(fields, ", ")
		}
	}
	return ""
}

// A PromptCount counts the model calls that a version of a prompt was used for.
type PromptCount struct {
	Node       string
	Purpose    chat.Purpose
	Version    string // a hash of what its author wrote; equal texts have equal versions
	Replaced   bool   // by WithPrompt or WithPromptMessage
	ModelCalls int
}
