package scriptdriver

import (
	"slices"

	"github.com/graphgen/graphgen/mutation"
)

// Mutations are the changes that the entry asks for. update makes the graph's update of pairs of
// names and pointers, that it fills with fill.
func (e *Entry) Mutations(update func(fill func(pairs ...any)) any) []mutation.Change {
	out := slices.Clone(e.Mutate)
	for i, c := range out {
		if c.Action == mutation.ActionRetryWith {
			out[i].Update = update(func(pairs ...any) { fill(c.Update.(map[string]any), pairs) })
		}
	}
	return out
}

// Verdict returns the text for an accepted or refused mutation.
func Verdict(node string, action mutation.Action, made bool) string {
	if made {
		return node + " made " + string(action)
	}
	return node + " was refused " + string(action)
}
