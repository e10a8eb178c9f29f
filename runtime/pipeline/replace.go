package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/runtime/prompttext"
)

// replacing prepares the replacement of texts that the options of the run request. Texts of a node that
// no field reaches are replaced at once.
func (p *Prompt) replacing(node *Node) {
	if p.parts = p.Run.NewParts(cmp.Or(node.texts, node.Name)); p.parts == nil {
		return
	}
	p.lead, p.tail = node.Lead, node.Tail
	if info := p.parts.Info; len(info.Instructions.Fields)+len(info.Message.Fields)+len(info.Rest.Fields)+len(info.Shown) == 0 {
		p.Replace(nil)
	}
}

// Replaced reports whether options of the run replace texts of the node.
func (p *Prompt) Replaced() bool { return p.parts != nil }

// Replace replaces texts of a prompt that is written. field writes the value of a field of the state
// into the message, or shows it under its name.
func (p *Prompt) Replace(field func(p *Prompt, name string, shown bool)) {
	if p.parts.Instructions != nil {
		p.replace(&p.System, p.lead, p.tail, p.parts.Instructions, field)
	}
	if p.parts.Message != nil {
		p.replace(&p.Message, 0, 0, p.parts.Message, field)
	}
	p.showRest(field)
}

// replace replaces a part of a text: what is before its blocks, without the bytes at its begin and end.
func (p *Prompt) replace(text *Text, lead, tail int, pieces []string, field func(p *Prompt, name string, shown bool)) {
	end := len(*text)
	if at := slices.IndexFunc(p.blocks, func(b block) bool { return b.of == text }); at >= 0 {
		end = p.blocks[at].start
	}
	from, to := min(lead, end-tail), end-tail
	written := p.filled(pieces, field)
	if from > 0 && !strings.HasSuffix(string((*text)[:from]), "\n\n") {
		written = append(Text("\n\n"), written...)
	}
	*text = slices.Concat((*text)[:from], written, (*text)[to:])
	for i := range p.blocks {
		if p.blocks[i].of == text {
			p.blocks[i].start += len(written) - (to - from)
		}
	}
}

// filled returns a text with the values of its placeholders.
func (p *Prompt) filled(pieces []string, field func(p *Prompt, name string, shown bool)) Text {
	message := p.Message
	defer func() { p.Message = message }()
	p.Message = nil
	for i, piece := range pieces {
		if i%2 == 0 {
			p.Message.String(piece)
		} else {
			field(p, piece, false)
		}
	}
	return p.Message
}

// showRest shows what the node reads and no placeholder names any more, and no longer shows what
// one names.
func (p *Prompt) showRest(field func(p *Prompt, name string, shown bool)) {
	info := p.parts.Info
	var placed []string
	for _, part := range []struct {
		now []string
		was prompttext.Part
	}{{p.parts.Instructions, info.Instructions}, {p.parts.Message, info.Message}, {nil, info.Rest}} {
		if part.now == nil {
			placed = append(placed, part.was.Fields...)
		}
		for i := 1; i < len(part.now); i += 2 {
			placed = append(placed, part.now[i])
		}
	}
	for _, name := range info.Shown {
		if slices.Contains(placed, name) {
			p.Reads = slices.DeleteFunc(p.Reads, func(r Read) bool { return r.Name == name })
		}
	}
	for _, part := range []prompttext.Part{info.Instructions, info.Message} {
		for _, name := range part.Fields {
			if !slices.Contains(placed, name) {
				placed = append(placed, name)
				field(p, name, true)
			}
		}
	}
}

// version returns the version of the prompt, and whether options of the run have changed it.
func (d *Transcript) version() (version string, replaced bool) {
	if d.prompt.parts != nil {
		return d.prompt.parts.Version, true
	}
	return d.node.Version, false
}

// dynamicVersion returns the version of a prompt that a run has added.
func dynamicVersion(instructions string) string {
	return prompttext.Version(prompttext.Hash(instructions), prompttext.Hash(""), prompttext.Hash(""))
}
