package pipeline

import (
	"slices"

	"github.com/graphgen/graphgen/runtime/chat"
	"github.com/graphgen/graphgen/runtime/internal/engine"
)

// Dialogs holds the Dialog of each dynamic node of a run. The zero Dialogs is ready.
type Dialogs struct{ of map[string]*Dialog }

// Of returns the Dialog of the current node.
func (s *Dialogs) Of(run *engine.Run) *Dialog { return s.named(run.NodeName()) }

func (s *Dialogs) named(name string) *Dialog {
	d := s.of[name]
	if d == nil {
		if s.of == nil {
			s.of = map[string]*Dialog{}
		}
		d = &Dialog{name: name}
		s.of[name] = d
	}
	return d
}

// EnterAdded is Enter for the current node if it is a dynamic node of kind prompt. node describes
// what such nodes have in common, and has every tool that they may call. The request has the
// node's own prompt alone: the conversation holds fields that only other nodes may read. Its
// instructions are the user's message, because a model may have written them. field writes the
// parts of the prompt that depend on the run: a field of the state by its name, into the message,
// or as one that is shown.
func (d *Dialog) EnterAdded(run *engine.Run, talk *Conversation, model chat.Model, node *Node, field func(p *Prompt, name string, shown bool)) {
	added := run.AddedNode()
	own := *node
	own.Name, own.Tools, own.Specs, own.Scope = added.Name, nil, nil, Scoped
	for i := range node.Tools {
		if slices.Contains(added.Tools, node.Tools[i].Name) {
			own.Tools, own.Specs = append(own.Tools, node.Tools[i]), append(own.Specs, node.Specs[i])
		}
	}
	own.Loop, own.Version = len(own.Tools) > 0, addedVersion(added.Instructions)
	if !d.Enter(run, talk, model, &own) {
		return
	}
	pieces, _ := engine.Placeholders(added.Instructions)
	for i, piece := range pieces {
		if i%2 == 0 {
			d.prompt.Message.String(piece)
			continue
		}
		field(&d.prompt, piece, false)
	}
	for _, name := range added.Reads {
		field(&d.prompt, name, true)
	}
}
