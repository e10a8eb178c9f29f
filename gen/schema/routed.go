package schema

import "github.com/graphgen/graphgen/spec/resolve"

// Routed is the schema of a node's output whose route fields of type string may say only
// what the graph allows there: the texts, by the name of the field.
func Routed(t *resolve.Type, routes map[string][]string) []byte {
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
	return Of(&narrowed)
}

// choiceOf is a string, or one that may be absent, that says one of the texts.
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
