package expr

import (
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/resolve"
)

// A Scope is a place of expressions: what they are for, and what they may name.
type Scope struct {
	Role *Role
	Node *resolve.Node // the node that the place belongs to; nil: it does not exist
	Out  *resolve.Type // what out is; nil: none
	Call string        // a Go function that an expression may call; empty: none

	pkg *Package
}

// A Role is what expressions of a place are for.
type Role struct {
	Noun    string   // what messages call the expression
	Like    string   // an expression, for help
	Instead string   // help where expressions cannot do what is needed
	Hidden  []string // of out, state, res and evals those that are never there
	Decides bool     // one that is always true, or always false, is a mistake
}

var (
	edgeRole = &Role{Noun: "condition", Like: "out.Score > 0.8 && !out.Done",
		Instead: "decide in the handler, and let the condition look at what it decided", Decides: true}
	evalRole  = &Role{Noun: "condition", Like: edgeRole.Like, Instead: edgeRole.Instead, Hidden: []string{"evals"}, Decides: true}
	startRole = &Role{Noun: "condition", Like: "state.Wanted", Instead: "let a node before it write what decides",
		Hidden: []string{"out", "res", "evals"}, Decides: true}
	setRole = &Role{Noun: "value", Like: "state.Count + 1", Instead: "compute it in a handler, and let the handler write the field",
		Hidden: []string{"res", "evals"}}
)

// Condition is the scope of the conditions of edges that leave a node, and of its loop.
func (p *Package) Condition(n *resolve.Node, call string) *Scope {
	return p.scope(edgeRole, n, call)
}

// Start is the scope of the conditions by which a parallel starts its branches. They see the state alone.
func (p *Package) Start(n *resolve.Node, call string) *Scope {
	return &Scope{Role: startRole, Node: n, Call: call, pkg: p}
}

// Eval is the scope of the conditions of a node's evals: no eval sees another.
func (p *Package) Eval(n *resolve.Node, call string) *Scope { return p.scope(evalRole, n, call) }

func (p *Package) scope(role *Role, n *resolve.Node, call string) *Scope {
	s := &Scope{Role: role, Node: n, Call: call, pkg: p}
	if n != nil {
		s.Out = n.Out
	}
	return s
}

// Value is the scope of the values that a node writes to fields. It sees the state, and an
// output where there is one.
func (p *Package) Value(n *resolve.Node, out *resolve.Type) *Scope {
	return &Scope{Role: setRole, Node: n, Out: out, pkg: p}
}

// lookup returns what a name refers to, nil if it is unknown here.
func (s *Scope) lookup(name string) types.Object {
	if s.hides(name) {
		return nil
	}
	switch name {
	case "out":
		return s.output()
	case "evals":
		return s.verdicts()
	}
	p := s.pkg.filled()
	if o := p.objects[name]; o != nil {
		return o
	}
	if slices.Contains(predeclared, name) {
		return types.Universe.Lookup(name)
	}
	return nil
}

// hides reports whether a name is one that expressions of the role never see.
func (s *Scope) hides(name string) bool { return slices.Contains(s.Role.Hidden, name) }

// output returns the variable out, nil without an output. A node that does not exist has an
// output of which nothing is known.
func (s *Scope) output() types.Object {
	switch {
	case s.Out != nil:
		return s.pkg.variable("out", s.Out)
	case s.Node == nil:
		return unknown("out")
	}
	return nil
}

// verdicts returns the variable evals, nil if the node has no evals.
func (s *Scope) verdicts() types.Object {
	switch n := s.Node; {
	case n == nil, n.Spec.Unread:
		return unknown("evals")
	case n.Verdicts != nil:
		return s.pkg.variable("evals", n.Verdicts)
	}
	return nil
}

// unknown is a variable of which nothing is known.
func unknown(name string) types.Object {
	return types.NewVar(token.NoPos, nil, name, types.Typ[types.Invalid])
}

// own lists the variables that expressions of the place see, in the order of the reference.
func (s *Scope) own() []string {
	names := []string{"out", "state", "res"}
	if s.Node != nil && s.Node.Verdicts != nil {
		names = append(names, "evals")
	}
	return slices.DeleteFunc(names, func(name string) bool {
		return s.hides(name) || name == "out" && !s.Role.Decides && s.Out == nil
	})
}

// sees is a help line with the names that an expression may use.
func (s *Scope) sees() string {
	return "a " + s.Role.Noun + " sees " + strings.Join(s.own(), ", ") + ", the constants of enums, and the pure functions of " +
		"math, slices, strings, time and utf8"
}

// candidates lists every name that an expression may use.
func (s *Scope) candidates() []string {
	names := append([]string{"out"}, predeclared...)
	if s.Node != nil && s.Node.Verdicts != nil {
		names = append(names, "evals")
	}
	names = slices.AppendSeq(names, maps.Keys(s.pkg.filled().objects))
	return slices.DeleteFunc(names, s.hides)
}
