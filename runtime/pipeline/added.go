package pipeline

import (
	"slices"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/runtime/engine"
)

// Transcripts holds the Transcript of each dynamic node of a run. The zero Transcripts is ready.
type Transcripts struct{ of map[string]*Transcript }

// Of returns the Transcript of the current node.
func (s *Transcripts) Of(run *engine.Run) *Transcript { return s.named(run.NodeName()) }

func (s *Transcripts) named(name string) *Transcript {
	d := s.of[name]
	if d == nil {
		if s.of == nil {
			s.of = map[string]*Transcript{}
		}
		d = &Transcript{name: name}
		s.of[name] = d
	}
	return d
}

// EnterDynamic is Enter for the current node if it is a dynamic node of kind prompt. node describes
// what such nodes have in common, and has every tool that they may call. The request has the
// node's own prompt alone: the conversation holds fields that only other nodes may read. Its
// instructions are the user's message, because a model may have written them. fields writes
// the fields of the state that the prompt has.
func (tr *Transcript) EnterDynamic(run *engine.Run, conversation *Conversation, model chat.Model, node *Node, fields Placer) {
	added := run.Changes().DynamicNode()
	own := *node
	own.Name, own.Tools, own.Specs, own.Scope = added.Name, nil, nil, Scoped
	for i := range node.Tools {
		if slices.Contains(added.Tools, node.Tools[i].Name) {
			own.Tools, own.Specs = append(own.Tools, node.Tools[i]), append(own.Specs, node.Specs[i])
		}
	}
	own.Loop, own.Version = len(own.Tools) > 0, dynamicVersion(added.Instructions)
	own.Reads = added.Reads
	own.Model, own.Temperature = run.Graph().Model, run.Graph().Temperature
	prompt := tr.Enter(run, conversation, model, &own, fields)
	if prompt == nil {
		return
	}
	pieces, _ := engine.Placeholders(added.Instructions)
	prompt.Message = append(prompt.Message, prompt.filled(pieces, fields)...)
}
