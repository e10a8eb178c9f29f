package harness

import (
	"reflect"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/scenario/wire"
)

// Changes is returned by a handler that may change the graph of its run. Update points to a struct
// of the fields that retry_with may set; nil: there are none.
type Changes struct {
	To     *[]mutation.Change
	Update any
}

// ask requests the changes of an entry.
func (s *Script) ask(c *Changes, actions []wire.Action) {
	if c == nil {
		return
	}
	for i := range actions {
		*c.To = append(*c.To, s.mutation(&actions[i], c.Update))
	}
}

func (s *Script) mutation(a *wire.Action, update any) mutation.Change {
	switch mutation.Action(a.Action) {
	case mutation.ActionAddEdge:
		return mutation.AddEdge(a.From, a.To).AtMost(a.Most)
	case mutation.ActionSkipTo:
		return mutation.SkipTo(a.To)
	case mutation.ActionRemoveEdge:
		return mutation.RemoveEdge(a.From, a.To)
	case mutation.ActionRemoveNode:
		return mutation.RemoveNode(a.To)
	case mutation.ActionRetryWith:
		if a.Update == nil || update == nil {
			return mutation.RetryWith("no update")
		}
		if err := s.known.decode(a.Update, update); err != nil && s.problem == nil {
			s.problem = err
		}
		return mutation.RetryWith(reflect.ValueOf(update).Elem().Interface())
	}
	return mutation.AddNode(mutation.Node{
		Name: a.Name, Template: a.Template, Kind: a.Kind, Instructions: a.Instructions, Reads: a.Reads, Writes: a.Writes,
		Tools: a.Tools, After: a.After, Times: a.Most, Next: a.Next, MaxVisits: a.MaxVisits,
	})
}

// mutations returns the changes that a run requested.
func mutations(report *graphgen.Report) []wire.Mutation {
	var out []wire.Mutation
	for _, m := range report.Mutations {
		out = append(out, wire.Mutation{Text: m.Text, Refused: m.Refused})
	}
	return out
}
