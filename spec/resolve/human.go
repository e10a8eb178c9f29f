package resolve

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
)

// bindQuestion binds the question to a person and the fields shown with it.
func (g *Graph) bindQuestion(n *Node) {
	for _, f := range g.pick(n.Spec.Reads) {
		n.read(f)
	}
	n.Instructions = g.template(n, n.Spec.Prompt.Instructions)
}

// RecordFields are the fields that a record of an answer may have, with their types.
var RecordFields = map[string]Kind{"decision": String, "by": String, "note": String, "at": Time}

// bindRecord binds the field that gets what a person answered. It binds none that is not fit for it.
func (g *Graph) bindRecord(n *Node) {
	f := g.State.Field(n.Spec.Record.V)
	if f == nil || n.Kind.By != spec.ByPerson {
		return
	}
	of := f.Type
	if of.Kind == Optional || of.Kind == List && TakesElement(f) {
		of = of.Elem
	}
	if of.Kind != Struct || len(of.Fields) == 0 || slices.ContainsFunc(of.Fields,
		func(f *Field) bool { kind, ok := RecordFields[f.Name]; return !ok || f.Type.Kind != kind }) {
		return
	}
	n.Writes = append(n.Writes, Write{To: f, Record: of, Name: n.Spec.Record})
}

// Decides reports whether a human node is answered by yes or no: it has no output.
func (n *Node) Decides() bool {
	return n.Kind.By == spec.ByPerson && n.Spec.Output == nil && !n.Spec.Unread
}

// Gated reports whether a person approves before the node runs: it has the flag requires_human, and is not a node
// that asks a person by itself.
func (n *Node) Gated() bool { return n.Has(spec.RequiresHuman) && n.Kind.By != spec.ByPerson }

// Approved returns the fields that a person is shown who approves before the node runs: what the node reads and
// may be shown.
func (n *Node) Approved() []*Field {
	return slices.DeleteFunc(slices.Clone(n.Reads), (*Field).Private)
}

// Approval returns the settings of the flag requires_human; the zero Approval where it has none.
func (n *Node) Approval() spec.Approval {
	if f, ok := n.Spec.Flag(spec.RequiresHuman); ok && f.Approval != nil {
		return *f.Approval
	}
	return spec.Approval{}
}

// Interrupts reports whether the spec has interrupts, or an empty list of them for the interrupts of a run.
func (g *Graph) Interrupts() bool {
	return g.Spec.InterruptBeforePos.IsSet() || g.Spec.InterruptAfterPos.IsSet()
}

// Continues reports whether runs of the graph, or of a graph that it runs, may pause between nodes.
func (g *Graph) Continues() bool {
	return g.reaches((*Graph).Interrupts, map[*Graph]bool{})
}

// InterruptedAt reports whether runs pause before the node, or after it.
func (g *Graph) InterruptedAt(n *Node) (before, after bool) {
	is := func(name spec.String) bool { return name.V == n.Spec.Name.V }
	return slices.ContainsFunc(g.Spec.InterruptBefore, is), slices.ContainsFunc(g.Spec.InterruptAfter, is)
}

// Approves reports whether a person approves the calls of a tool that the model of a prompt makes.
func (g *Graph) Approves(n *Node, tool string) bool {
	if n.Kind.By != spec.ByModel {
		return false
	}
	if t := g.Tool(tool); t != nil && t.Spec.Approve.V && slices.Contains(n.Tools, t) {
		return true
	}
	return slices.ContainsFunc(n.Spec.Prompt.Approve, func(name spec.String) bool { return spec.NamesTool(name.V, tool) })
}

// NamesTools reports whether a name is one of tools that nodes call, of the spec or known at run time alone: it is the name of no node and of
// no end.
func (g *Graph) NamesTools(name string) bool {
	if g.Node(name) != nil || spec.IsEnd(name) || g.Spec.NamesEnd(name) {
		return false
	}
	free, held := g.CallersOf(name)
	return g.Tool(name) != nil || held || len(free) > 0
}

// CallersOf returns the nodes that call tools of a name without the approval of a person, and whether others call them: Callers of the
// tool of the spec, or else Injectors.
func (g *Graph) CallersOf(name string) (free []*Node, held bool) {
	if t := g.Tool(name); t != nil {
		return g.Callers(t)
	}
	return g.Injectors(name)
}

// Callers returns the nodes of the spec that call a tool without the approval of a person, and whether others call it. With requires_human,
// a person approves the call of a tool node, but no call of a prompt: the person is asked before its model chooses any.
func (g *Graph) Callers(t *Tool) (free []*Node, held bool) {
	for _, n := range g.All() {
		switch {
		case n.Fixed != t && !slices.Contains(n.Tools, t):
		case g.Approves(n, t.Spec.Name.V), n.Gated() && n.Fixed == t:
			held = true
		default:
			free = append(free, n)
		}
	}
	return free, held
}

// Injectors returns the nodes that may call a tool known at run time alone without the approval of a person, and whether others may
// call it. The tool may be several: a * at the end of its name is for the rest of their names.
func (g *Graph) Injectors(tool string) (free []*Node, held bool) {
	any := []spec.String{{V: "*"}}
	for _, n := range g.All() {
		p := &n.Spec.Prompt
		if !n.Has(spec.InjectTools) {
			continue
		}
		allowed := p.AllowTools
		if len(allowed) == 0 {
			allowed = any
		}
		isFree, isHeld := false, false
		for _, name := range allowed {
			both, ok := spec.BothNames(name.V, tool)
			if !ok || covered(p.DenyTools, both) {
				continue
			}
			if covered(p.Approve, both) {
				isHeld = true
			} else {
				isFree = true
			}
		}
		held = held || isHeld
		if isFree {
			free = append(free, n)
		}
	}
	return free, held
}

// covered reports whether a name of a list covers all tools of a name.
func covered(list []spec.String, tool string) bool {
	return slices.ContainsFunc(list, func(name spec.String) bool { return spec.NamesTool(name.V, tool) })
}

// Held lists the tools of the spec whose calls a person approves: of any of its nodes, or of all.
func (g *Graph) Held() []*Tool {
	return slices.DeleteFunc(slices.Clone(g.Tools), func(t *Tool) bool {
		return !t.Spec.Approve.V && !slices.ContainsFunc(g.All(), func(n *Node) bool {
			return slices.Contains(n.Tools, t) && g.Approves(n, t.Spec.Name.V)
		})
	})
}

// Clients lists the tools of the spec that the caller of the machine runs.
func (g *Graph) Clients() []*Tool {
	return slices.DeleteFunc(slices.Clone(g.Tools), func(t *Tool) bool { return !t.Spec.Client.V })
}

// HoldsCalls reports whether calls that the node makes wait for an answer, because a person approves them or the caller
// of the machine runs the tool: calls of its model, calls that a prompt has left to it, or its own.
func (g *Graph) HoldsCalls(n *Node) bool {
	if n.Pending {
		return slices.ContainsFunc(g.All(), func(p *Node) bool { return p.Defers && holdsAny(p) })
	}
	return n.Loops && holdsAny(n) || n.Fixed != nil && n.Fixed.Spec.Client.V
}

func holdsAny(n *Node) bool {
	return len(n.Spec.Prompt.Approve) > 0 || slices.ContainsFunc(n.Tools, func(t *Tool) bool { return t.Spec.Approve.V || t.Spec.Client.V })
}

// PausesAt reports whether runs pause at the node itself: it asks a person, or a person approves what it does,
// or there is an interrupt.
func (g *Graph) PausesAt(n *Node) bool {
	before, after := g.InterruptedAt(n)
	return n.Kind.By == spec.ByPerson || n.Gated() || g.HoldsCalls(n) || before || after
}

// Pauses reports whether runs of the graph may pause: a node of it, or of a graph that it runs, waits for a person.
func (g *Graph) Pauses() bool {
	return g.reaches(func(g *Graph) bool {
		return g.Interrupts() || len(g.Held())+len(g.Clients()) > 0 || slices.ContainsFunc(g.All(), g.PausesAt)
	}, map[*Graph]bool{})
}

// HoldsAnyCall reports whether calls of tools wait for answers in runs of the graph, or of a graph that it runs.
func (g *Graph) HoldsAnyCall() bool {
	return g.reaches(func(g *Graph) bool {
		return len(g.Held())+len(g.Clients()) > 0 || slices.ContainsFunc(g.All(), g.HoldsCalls)
	}, map[*Graph]bool{})
}

// Seals reports whether threads of the graph keep something sealed: it, or a graph that it runs, has a secret field.
func (g *Graph) Seals() bool {
	return g.reaches(func(g *Graph) bool { return slices.ContainsFunc(g.State.Fields, (*Field).Secret) }, map[*Graph]bool{})
}

// Transacts reports whether a node of the graph, or of a graph that it runs, has a transaction.
func (g *Graph) Transacts() bool {
	return g.reaches(func(g *Graph) bool {
		return slices.ContainsFunc(g.All(), func(n *Node) bool { return n.Spec.Transaction.V })
	}, map[*Graph]bool{})
}

// reaches reports whether the graph, or a graph that it runs, is one of those that is selects.
func (g *Graph) reaches(is func(*Graph) bool, seen map[*Graph]bool) bool {
	if seen[g] {
		return false
	}
	seen[g] = true
	return is(g) || slices.ContainsFunc(g.All(), func(n *Node) bool { return n.Sub != nil && n.Sub.reaches(is, seen) })
}
