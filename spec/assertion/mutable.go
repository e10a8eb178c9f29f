package assertion

import (
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/explore"
)

// Changes are what runs may do to their graph.
//
// A run refuses a change after which an assertion might not hold. It judges that by the ways of
// the graph alone: each may be taken, whatever is counted, and a node that is to be passed stands
// in the way of what leads to it. So an assertion is held where the same judgement proves it of
// the graph as it is written, from the entry and from the node where its paths begin; what is
// proved by counting, or by what a failure skips, is left open.
type Changes struct {
	Adds    bool // runs may be led to nodes that no way leads to
	Removes bool // ways and nodes may be removed
}

// A Doubt is why an assertion cannot be decided of runs that change their graph, and what would
// let it be.
type Doubt struct{ Why, Help string }

// NewMutable returns the prover of a graph that its runs may change.
func NewMutable(g *explore.Graph, changes Changes) *Prover {
	p := NewProver(g)
	p.changes, p.pastUsedUp = &changes, true
	return p
}

// proveMutable judges an assertion about a graph that its runs may change.
func (p *Prover) proveMutable(a *Assertion) Verdict {
	open := func(why, help string) Verdict { return Verdict{Result: Open, Doubt: &Doubt{why, help}} }
	for _, name := range a.Names {
		if n := p.graph.Node(name.V); n != nil && n.Parent != nil && a.Kind != Reachable && !(a.Kind == AtMost && p.limited(n) <= a.Most) {
			return open("a change of the graph is not judged by what runs within "+quoted(n.Root().Name), "name "+quoted(n.Root().Name)+", or let no node change the graph")
		}
	}
	v := p.proveWritten(a)
	switch {
	case a.Kind == AtMost:
		return p.atMostMutable(a, v)
	case a.Kind == Reachable && v.Result == Fails && p.changes.Adds:
		return open("only a change of the graph leads there", "add a way to it, or remove the assertion")
	case a.Kind == Reachable, v.Result == Fails, v.Result == Open:
		return v
	case v.Result == Vacuous && !p.changes.Adds:
		return v
	}
	q := p.query(a)
	q.mayClose = p.changes.Removes
	if n := q.without; n.Skip {
		return open(quoted(n.Name)+" is skipped behind a failure, and changes of the graph lead to failures anew", "remove skip_on_error from "+quoted(n.Name))
	} else if w := n.ErrorTo; a.Kind == Without && w != nil && w.To != nil {
		return open("a run whose changes use up the visits of "+quoted(n.Name)+" goes past it, by its error transition", "let an on: error edge take the failures of "+quoted(n.Name)+" in place of the transition")
	}
	counted, ways := "the proof counts how bounds are used up, and a change of the graph can alter that", "let the ways alone decide it, without max_iterations and max_visits"
	if path := p.searchUncounted(q); path != nil {
		v = open(counted, ways)
		v.Path = path
		return v
	}
	if q.from == nil {
		return Verdict{Result: Holds}
	}
	rooted := p.query(a)
	rooted.fromNode, rooted.mayClose = true, p.changes.Removes
	path := p.searchUncounted(rooted)
	if path == nil {
		return Verdict{Result: Holds}
	}
	plain := p.query(a)
	plain.fromNode, plain.ignoreBounds = true, true
	if v.Result == Vacuous {
		if path := p.searchUncounted(plain); path != nil {
			return Verdict{Result: Fails, Path: path}
		}
	}
	v = open(counted, ways)
	v.Path = path
	return v
}

// atMostMutable judges a bound of visits, given what is known of the graph as it is written.
func (p *Prover) atMostMutable(a *Assertion, v Verdict) Verdict {
	n := p.graph.Node(a.Names[0].V)
	if v.Result != Holds || p.limited(n) <= a.Most || !p.changes.Removes || !p.returns(n) {
		return v
	}
	v.Result = Open
	v.Doubt = &Doubt{"what is removed from the graph may have bounded it", "give " + quoted(n.Name) + " a max_visits, or allow neither remove_edge nor remove_node"}
	return v
}

// returns reports whether the ways of the graph lead from a node back to it, whatever is counted.
func (p *Prover) returns(n *explore.Node) bool {
	seen, todo := map[*explore.Node]bool{}, []*explore.Node{n.Root()}
	for len(todo) > 0 {
		from := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, w := range p.graph.Transitions {
			if (w.From == from || w == p.graph.OnError) && w.To != nil && !seen[w.To] {
				seen[w.To] = true
				todo = append(todo, w.To)
			}
		}
	}
	return seen[n.Root()]
}

// limited is how often a run visits a node at most whatever it changes: as limits alone say.
func (p *Prover) limited(n *explore.Node) int { return bounds.Limited(p.graph, n) }

func quoted(name string) string { return "\"" + name + "\"" }
