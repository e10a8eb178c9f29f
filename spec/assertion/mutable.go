package assertion

import (
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
)

// Changes are what runs may do to their graph.
//
// A run refuses a change after which an assertion might not hold. It decides that by the
// transitions alone: each may be taken, whatever the counts. A node that is to be passed blocks the
// paths through it. So an assertion is proved if the same decision proves it of the written graph,
// from the entry and from the node where its paths begin. A proof that needs counts or skips leaves
// the assertion open.
type Changes struct {
	Adds    bool // runs may add transitions to any node
	Removes bool // runs may remove edges and nodes
}

// A Doubt is why an assertion cannot be decided for runs that change their graph, and what would
// decide it.
type Doubt struct{ Why, Help string }

// NewMutable returns the prover of a graph that runs may change.
func NewMutable(g *cfg.Graph, changes Changes) *Prover {
	p := NewProver(g)
	p.changes, p.pastUsedUp = &changes, true
	return p
}

// proveMutable decides an assertion about a graph that runs may change.
func (p *Prover) proveMutable(a *Assertion) Verdict {
	open := func(why, help string) Verdict { return Verdict{Result: Open, Doubt: &Doubt{why, help}} }
	for _, name := range a.Names {
		if p.graph.Spec.Spec.NamesEnd(name.V) && (a.Kind != Reachable || p.changes.Removes) {
			return open("when a run changes its graph, it is not looked at which end it reaches", "write end, or let no node change the graph")
		}
		n := p.graph.Named(name.V)
		if n != nil && n.IsChild() && a.Kind != Reachable && !(a.Kind == AtMost && p.limited(n) <= a.Most) {
			root := quoted(n.Root().Name())
			return open("when a run changes its graph, what runs within "+root+" is not looked at", "name "+root+", or let no node change the graph")
		}
	}
	v := p.proveWritten(a)
	switch {
	case a.Kind == AtMost:
		return p.atMostMutable(a, v)
	case a.Kind == Reachable && v.Result == Fails && p.changes.Adds:
		return open("only a change of the graph leads there", "add an edge to it, or remove the assertion")
	case a.Kind == Reachable, v.Result == Fails, v.Result == Open:
		return v
	case v.Result == Vacuous && !p.changes.Adds:
		return v
	}
	q := p.query(a)
	q.mayClose = p.changes.Removes
	if n := q.without; n.Skip {
		return open(quoted(n.Name())+" is skipped after a failure, and changes of the graph lead to failures anew",
			"remove skip_on_error from "+quoted(n.Name()))
	} else if w := n.LastResort(); a.Kind == Without && w != nil && w.From != nil && w.To != nil {
		return open("a run whose changes use up the visits of "+quoted(n.Name())+" goes past it, by its error transition",
			"let an "+diag.Set("on", "error")+" edge take the failures of "+quoted(n.Name())+" instead of the transition")
	}
	counted, ways := "the proof counts how bounds are used up, and a change of the graph can alter that",
		"let the transitions alone decide it, without max_iterations and max_visits"
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

// atMostMutable decides a bound of visits, given the verdict on the written graph.
func (p *Prover) atMostMutable(a *Assertion, v Verdict) Verdict {
	n := p.graph.Named(a.Names[0].V)
	if v.Result != Holds || p.limited(n) <= a.Most || !p.changes.Removes || !p.returns(n) {
		return v
	}
	v.Result = Open
	v.Doubt = &Doubt{"what is removed from the graph may have bounded it",
		"give " + quoted(n.Name()) + " a max_visits, or allow neither remove_edge nor remove_node"}
	return v
}

// returns reports whether transitions lead from a node back to it, whatever the counts.
func (p *Prover) returns(n *cfg.Node) bool {
	seen, todo := map[*cfg.Node]bool{}, []*cfg.Node{n.Root()}
	for len(todo) > 0 {
		from := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, w := range p.graph.Taken {
			if (w.From == from || w == p.graph.OnError) && w.To != nil && !seen[w.To] {
				seen[w.To] = true
				todo = append(todo, w.To)
			}
		}
	}
	return seen[n.Root()]
}

// limited returns the most visits of a node in a graph that runs may change.
func (p *Prover) limited(n *cfg.Node) int { return bounds.Limited(p.graph, n) }

func quoted(name string) string { return "\"" + name + "\"" }
