package pipeline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/internal/prompttext"
	"github.com/graphgen/graphgen/runtime/codec"
)

// write writes the prompt of a node, with the texts that options of the run have instead of its own.
func (p *Prompt) write(node *Node, fields Placer) {
	p.fill(&p.System, node.System, fields)
	p.fill(&p.Message, node.Message, fields)
	for i := range node.Blocks {
		b := &node.Blocks[i]
		of := &p.System
		if b.Message {
			of = &p.Message
		}
		start := len(*of)
		of.String("\n\n")
		p.fill(of, b.Text, fields)
		p.blocks = append(p.blocks, block{Block: b, of: of, start: start, text: string((*of)[start:])})
	}
	for _, name := range node.Reads {
		fields.Place(Place{prompt: p, name: name}, name)
	}
	if p.parts = p.Run.Agent().NewParts(cmp.Or(node.texts, node.Name)); p.parts != nil {
		p.parts.Into(&replacement{prompt: p, node: node, fields: fields})
	}
}

// fill writes a text of the spec.
func (p *Prompt) fill(into *Text, text string, fields Placer) {
	for name := ""; text != ""; {
		before := ""
		before, name, text = prompttext.Next(text)
		into.String(before)
		if name != "" {
			fields.Place(Place{prompt: p, into: into}, name)
		}
	}
}

// A Placer is a run whose fields of the state a prompt may have where the spec does not put them.
type Placer interface {
	// Place writes the field of that name to its place.
	Place(to Place, name string)
}

// A Place is where a prompt has a field of the state: in a text as it is, or shown under its name.
type Place struct {
	prompt *Prompt
	into   *Text // nil: it is shown
	name   string
}

// String writes a text.
func (p Place) String(s string) {
	if p.into != nil {
		p.into.String(s)
	} else {
		p.prompt.Show(p.name, s)
	}
}

// Int writes a number.
func (p Place) Int(n int) { p.JSON(codec.Of(n, codec.WriteInt)) }

// Bool writes true or false.
func (p Place) Bool(b bool) { p.JSON(codec.Of(b, codec.WriteBool)) }

// Float writes a number.
func (p Place) Float(f float64) {
	if p.into != nil {
		p.into.Float(f)
	} else {
		p.JSON(codec.Of(f, codec.WriteFloat))
	}
}

// JSON writes a value as JSON.
func (p Place) JSON(v codec.Marshaler) {
	if p.into != nil {
		p.prompt.JSON(p.into, v)
	} else {
		p.prompt.ShowJSON(p.name, v)
	}
}

// A replacement replaces texts of a prompt that is written.
type replacement struct {
	prompt *Prompt
	node   *Node
	fields Placer // writes fields of the state where the new texts have them
}

// ReplaceTexts is called by the option that gives the texts alone: see prompttext.NewParts.
func (r *replacement) ReplaceTexts() {
	p, fields := r.prompt, r.fields
	if p.parts.Instructions != nil {
		p.replace(&p.System, r.node.Lead, r.node.Tail, p.parts.Instructions, fields)
	}
	if p.parts.Message != nil {
		p.replace(&p.Message, 0, 0, p.parts.Message, fields)
	}
	p.showRest(fields)
}

// replace replaces a part of a text: what is before its blocks, without the bytes at its begin and end.
func (p *Prompt) replace(text *Text, lead, tail int, pieces []string, fields Placer) {
	end := len(*text)
	if at := slices.IndexFunc(p.blocks, func(b block) bool { return b.of == text }); at >= 0 {
		end = p.blocks[at].start
	}
	from, to := min(lead, end-tail), end-tail
	written := p.filled(pieces, fields)
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
func (p *Prompt) filled(pieces []string, fields Placer) Text {
	var text Text
	for i, piece := range pieces {
		if i%2 == 0 {
			text.String(piece)
		} else {
			fields.Place(Place{prompt: p, into: &text}, piece)
		}
	}
	return text
}

// showRest shows what the node reads and no placeholder names any more, and no longer shows what
// one names.
func (p *Prompt) showRest(fields Placer) {
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
				fields.Place(Place{prompt: p, name: name}, name)
			}
		}
	}
}

// version returns the version of the prompt, and whether options of the run have changed it.
func (tr *Transcript) version() (version string, replaced bool) {
	if tr.prompt.parts != nil {
		return tr.prompt.parts.Version, true
	}
	return tr.node.Version, false
}

// dynamicVersion returns the version of a prompt that a run has added.
func dynamicVersion(instructions string) string {
	return prompttext.Version(prompttext.Hash(instructions), prompttext.Hash(""), prompttext.Hash(""))
}
