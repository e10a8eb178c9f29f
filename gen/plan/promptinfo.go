package plan

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/internal/prompttext"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Texts are what options of a run may replace of a prompt, and what they may put there.
type Texts struct {
	Instructions, Message, Rest PromptPart
	Shown                       []*resolve.Field // that no placeholder names
	Lead, Tail                  int              // how many bytes of the system prompt are before the instructions, and behind them, before the blocks
}

// A PromptPart is a part of a prompt that its author wrote: its hash, and the fields of its placeholders.
type PromptPart struct {
	Hash   string // empty: there is no text
	Fields []*resolve.Field
}

// Version returns the version of the prompt.
func (t *Texts) Version() string {
	return prompttext.Version(t.Instructions.Hash, t.Message.Hash, t.Rest.Hash)
}

// Fields lists the fields that placeholders may name.
func (t *Texts) Fields() []*resolve.Field {
	var list []*resolve.Field
	for _, some := range [][]*resolve.Field{t.Instructions.Fields, t.Message.Fields, t.Rest.Fields, t.Shown} {
		for _, f := range some {
			if !slices.Contains(list, f) {
				list = append(list, f)
			}
		}
	}
	return list
}

// Filled reports whether placeholders of the spec name fields.
func (t *Texts) Filled() bool {
	return len(t.Instructions.Fields)+len(t.Message.Fields)+len(t.Rest.Fields) > 0
}

// lowerParts plans the parts of a prompt that options of a run may replace.
func lowerParts(n *resolve.Node, lead, tail int) *Texts {
	s := &n.Spec.Prompt
	t := &Texts{
		Instructions: partOf(s.Instructions.V, n.Instructions), Message: partOf(s.Message.V, n.Message),
		Lead: lead, Tail: tail,
	}
	for _, f := range n.Shown() {
		if !f.Type.HoldsMedia() {
			t.Shown = append(t.Shown, f)
		}
	}
	rest := []string{s.Perspective.V, s.Strategy.V}
	var pieces []resolve.Piece
	for _, b := range n.Blocks {
		rest = append(rest, b.Spec.Name.V, b.Spec.Text.V)
		pieces = append(pieces, b.Pieces...)
	}
	t.Rest = partOf(strings.Join(rest, "\x00"), pieces)
	return t
}

func partOf(text string, pieces []resolve.Piece) PromptPart {
	p := PromptPart{}
	if strings.Trim(text, "\x00") != "" {
		p.Hash = prompttext.Hash(text)
	}
	for _, piece := range pieces {
		if f := piece.Field; f != nil && !slices.Contains(p.Fields, f) {
			p.Fields = append(p.Fields, f)
		}
	}
	return p
}

// findPlaceable finds the fields that prompts show, and that placeholders may name which a run gets from its options,
// or from nodes that it adds.
func (l *lowering) findPlaceable() {
	add := func(list []*resolve.Field) {
		for _, f := range list {
			if !slices.Contains(l.m.Models.Placeable, f) {
				l.m.Models.Placeable = append(l.m.Models.Placeable, f)
			}
		}
	}
	for _, p := range l.m.Prompts() {
		add(p.Texts.Fields())
		add(p.Shown)
	}
	if l.m.Mutations.Prompts() {
		add(l.m.Mutations.Reads)
	}
}

// perspective returns the beginning of a system prompt: who the model is.
func perspective(s *spec.Prompt) string {
	if !s.Perspective.IsSet() {
		return ""
	}
	return "You are " + strings.TrimSuffix(strings.TrimSpace(s.Perspective.V), ".") + ".\n\n"
}
