package graphrt

import (
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/runtime/chat"
)

// A Prompt replaces texts of a node that asks a model. Nil leaves the text of the spec.
type Prompt struct{ Instructions, Message *string }

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
	return withPrompt(node, Prompt{Instructions: &instructions})
}

// WithPromptMessage replaces the message of a node, as WithPrompt replaces its instructions.
func WithPromptMessage(node, message string) Option {
	return withPrompt(node, Prompt{Message: &message})
}

func withPrompt(node string, p Prompt) Option {
	return func(s *Settings) {
		all := make(map[string]Prompt, len(s.Prompts)+1) // other runs have the map that was
		for name, prompt := range s.Prompts {
			all[name] = prompt
		}
		was := all[node]
		if p.Instructions == nil {
			p.Instructions = was.Instructions
		}
		if p.Message == nil {
			p.Message = was.Message
		}
		all[node] = p
		s.Prompts = all
	}
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
	s := "graph " + e.Graph + ": " + part + " for node " + strconv.Quote(e.Node) + ": "
	switch {
	case e.Why != "":
		return s + e.Why
	case len(e.Fields) == 0:
		return s + "the node reads no field that a placeholder can name: " + strconv.Quote(e.Field)
	}
	return s + "the node does not read the field of the placeholder " + strconv.Quote(e.Field) + ", but " + strings.Join(e.Fields, ", ")
}

// A PromptCount counts the model calls that a version of a prompt was used for.
type PromptCount struct {
	Node       string
	Purpose    chat.Purpose
	Version    string // a hash of what its author wrote; equal texts have equal versions
	Replaced   bool   // by WithPrompt or WithPromptMessage
	ModelCalls int
}
