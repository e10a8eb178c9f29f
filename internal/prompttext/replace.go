package prompttext

import "slices"

// An Info describes the texts of a node that asks a model.
type Info struct {
	Node                        string
	Instructions, Message, Rest Part
	Shown                       []string // fields that no placeholder names
}

// A Part is a part of a prompt: the instructions, the message, or the rest that its author wrote.
type Part struct {
	Hash   string   // empty: there is no text
	Fields []string // that its placeholders name
}

// NewParts are the texts that replace the texts of a node's prompt.
type NewParts struct {
	Info                  *Info
	Instructions, Message []string // as Cut returns them; nil: the text of the spec stays
	Version               string

	// Into replaces the texts of a prompt, once package pipeline has written it.
	Into func(prompt any)
}

// into asserts the method of the prompt, as nothing else does: so programs that replace no texts link none of it.
func into(prompt any) { prompt.(interface{ ReplaceTexts() }).ReplaceTexts() }

// Replace returns the texts that replace the node's. Nil leaves the text of the spec.
func (i *Info) Replace(instructions, message *string) *NewParts {
	n := &NewParts{Info: i, Into: into}
	hash := func(text *string, part *Part, pieces *[]string) string {
		if text == nil {
			return part.Hash
		}
		clean := Clean(*text)
		*pieces, _ = Cut(clean)
		return Hash(clean)
	}
	n.Version = Version(hash(instructions, &i.Instructions, &n.Instructions), hash(message, &i.Message, &n.Message), i.Rest.Hash)
	return n
}

// Fields lists the fields that placeholders may name.
func (i *Info) Fields() []string {
	var list []string
	for _, some := range [][]string{i.Instructions.Fields, i.Message.Fields, i.Rest.Fields, i.Shown} {
		for _, name := range some {
			if !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}
