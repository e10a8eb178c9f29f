package graphgen

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/prompttext"
	"github.com/graphgen/graphgen/internal/quote"
)

// newPrompts are texts in place of those of the spec, by node. A program without WithPrompt does not link what checks them.
type newPrompts map[string]newPrompt

// A newPrompt replaces texts of a node that asks a model. Nil leaves the text of the spec.
type newPrompt struct{ instructions, message *string }

// WithPrompt replaces the instructions of a node that asks a model: a prompt, or a router, guard or
// autonomous node with instructions. The text has placeholders as in the spec, of fields that the node
// reads. They get the values that those of the spec would. What the node reads and no placeholder names is shown
// to the model, as ever.
//
// Of the graph of a subgraph, the name is a path: help/answer is the node answer of the graph that the
// node help runs.
//
// The constructor of a machine returns a *PromptError for a text that does not fit. A run that is
// given one fails with it before its first step.
func WithPrompt(node, instructions string) Option {
	return withPrompt(node, newPrompt{instructions: &instructions})
}

// WithPromptMessage replaces the message of a node, as WithPrompt replaces its instructions.
func WithPromptMessage(node, message string) Option {
	return withPrompt(node, newPrompt{message: &message})
}

func withPrompt(node string, p newPrompt) Option {
	return func(s *Settings) {
		all, _ := s.Prompts.(newPrompts)
		all = maps.Clone(all) // other runs have the map that was
		if all == nil {
			all = newPrompts{}
		}
		was := all[node]
		all[node] = newPrompt{cmp.Or(p.instructions, was.instructions), cmp.Or(p.message, was.message)}
		s.Prompts = all
	}
}

// Of returns the texts that replace those of a node, nil if none do.
func (all newPrompts) Of(node *prompttext.Info) *prompttext.NewParts {
	p, ok := all[node.Node]
	if !ok {
		return nil
	}
	return node.Replace(p.instructions, p.message)
}

// Pass gives a child run the texts for its nodes, whose names have a prefix.
func (all newPrompts) Pass(prefix string, to *Settings) {
	for name, p := range all {
		if inner, ok := strings.CutPrefix(name, prefix); ok {
			withPrompt(inner, p)(to)
		}
	}
}

// Check returns a PromptError for a text that does not fit its node. runsGraph reports whether a node runs a graph.
func (all newPrompts) Check(graph string, nodes []prompttext.Info, runsGraph func(node string) bool) error {
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
			text    *string
			message bool
		}{{all[node].instructions, false}, {all[node].message, true}} {
			wrong := &PromptError{Graph: graph, Node: node, Message: part.message}
			switch {
			case part.text == nil:
				continue
			case at < 0:
				wrong.Why = "the graph has no node of that name that asks a model by instructions"
				return wrong
			case !wrong.fits(*part.text, fields):
				return wrong
			}
		}
	}
	return nil
}

// fits reports whether a text fits a node that has those fields. If it does not, the error has the reason.
func (e *PromptError) fits(text string, fields []string) bool {
	clean := prompttext.Clean(text)
	pieces, ok := prompttext.Cut(clean)
	switch {
	case strings.TrimSpace(clean) == "":
		e.Why = "the text is empty"
		return false
	case !ok:
		e.Why = "a placeholder is not closed; {{{{ is the text of the braces"
		return false
	}
	for i := 1; i < len(pieces); i += 2 {
		if !slices.Contains(fields, pieces[i]) {
			e.Field, e.Fields = pieces[i], fields
			return false
		}
	}
	return true
}

// A PromptError reports a text of WithPrompt or WithPromptMessage that does not fit its node.
type PromptError struct {
	Graph, Node string
	Message     bool     // it is the message, not the instructions
	Field       string   // the placeholder that the node may not have
	Fields      []string // those that it may have
	Why         string   // the mistake, where it is another; empty: it is the placeholder
}

func (e *PromptError) Error() string {
	part := "the instructions"
	if e.Message {
		part = "the message"
	}
	s := "graph " + e.Graph + ": " + part + " for node " + quote.Text(e.Node) + ": "
	switch {
	case e.Why != "":
		return s + e.Why
	case len(e.Fields) == 0:
		return s + "the node reads no field that a placeholder can name: " + quote.Text(e.Field)
	}
	return s + "the node does not read the field of the placeholder " + quote.Text(e.Field) + ", but " + strings.Join(e.Fields, ", ")
}

// A PromptCount counts the model calls that a version of a prompt was used for.
type PromptCount struct {
	Node       string
	Purpose    chat.Purpose
	Version    string // a hash of what its author wrote; equal texts have equal versions
	Replaced   bool   // by WithPrompt or WithPromptMessage
	ModelCalls int
}
