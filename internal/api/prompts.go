package api

import (
	"slices"

	"github.com/graphgen/graphgen/internal/prompttext"
)

// Fields returns the fields that a prompt has, each once.
func (p *Prompt) Fields() (list []string) {
	add := func(name string) {
		if !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	for _, name := range p.Shows {
		add(name)
	}
	for _, text := range []string{p.System, p.Message} {
		pieces, _ := prompttext.Cut(text) // the compiler has written it
		for i := 1; i < len(pieces); i += 2 {
			add(pieces[i])
		}
	}
	return list
}
