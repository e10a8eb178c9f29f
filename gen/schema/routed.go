package schema

import (
	"slices"

	"github.com/graphgen/graphgen/spec/resolve"
)

// Routed is the schema of a node's output whose route fields of type string may say only
// what the graph allows there: the texts, by the name of the field.
func Routed(t *resolve.Type, routes map[string][]string) []byte { return Of(narrow(t, routes)) }

// Changing is the schema of an answer that may ask for changes of its run's graph, in two parts:
// up to the end of its properties, and what follows. A type of nil is a text, the member text;
// update is what retry_with may set, nil if nothing.
func Changing(t *resolve.Type, routes map[string][]string, update *resolve.Type) (head, tail string) {
	open := resolve.Type{Kind: resolve.Struct, GoName: "Answer"}
	if t == nil {
		open.Fields = []*resolve.Field{{Name: "text", Type: &resolve.Type{Kind: resolve.String}}}
	} else {
		open = *narrow(t, routes)
		open.Fields = slices.Clip(open.Fields)
	}
	if update != nil {
		open.Fields = append(open.Fields, &resolve.Field{Name: "_context_update", Type: &resolve.Type{Kind: resolve.Optional, Elem: update}})
	}
	w := write(&open)
	text := w.b.String()
	return text[:w.gap], text[w.gap:]
}

// narrow is a type whose route fields may say the texts alone.
func narrow(t *resolve.Type, routes map[string][]string) *resolve.Type {
	narrowed := *t
	narrowed.Fields = make([]*resolve.Field, len(t.Fields))
	for i, f := range t.Fields {
		narrowed.Fields[i] = f
		texts, ok := routes[f.Name]
		if !ok {
			continue
		}
		field := *f
		field.Type = choiceOf(texts, f.Type)
		narrowed.Fields[i] = &field
	}
	return &narrowed
}

// choiceOf returns the schema of a string, possibly optional, that is one of the texts.
func choiceOf(texts []string, t *resolve.Type) *resolve.Type {
	choice := &resolve.Type{Kind: resolve.Enum, GoName: "route", Name: "route"}
	for _, text := range texts {
		choice.Values = append(choice.Values, resolve.EnumValue{Name: text})
	}
	if t.Kind == resolve.Optional {
		return &resolve.Type{Kind: resolve.Optional, Elem: choice}
	}
	return choice
}
