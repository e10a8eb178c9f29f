package check

import (
	"slices"

	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// enumValue reports whether a transition is that of a value of an enum that routes.
func enumValue(t *cfg.Transition) bool {
	return t.Rule == cfg.ByRoute && t.Choice.Field.Type.Base().Kind == resolve.Enum
}

// ofFailure reports whether a transition is taken by a failed node, one with failed guards, or
// one whose person has not said yes.
func ofFailure(t *cfg.Transition) bool { return t.Rule >= cfg.ByGuardFail }

// blurred reports whether what leaves the node cannot be judged: a way on leads to nothing
// known, or another mistake hides where ways on are.
func (c *context) blurred(n *resolve.Node) bool {
	s := n.Spec
	router, guard := n.Kind == "router", n.Kind == "guard"
	switch {
	case s.Unread || s.FailSoft.Lost:
		return true
	case router == (len(s.Routes) == 0), router && len(s.Goto) > 0, !guard && (s.OnPass.IsSet() || s.OnFail.IsSet()):
		return true // meant for another kind of node
	case n.Out != nil && n.Out.Kind == resolve.Unknown:
		return true
	}
	if routeLost(n) {
		return true
	}
	if slices.ContainsFunc(c.leaving(n), func(t *cfg.Transition) bool { return !t.Known }) {
		return true
	}
	return slices.ContainsFunc(n.Leaving, mistaken)
}

// routeLost reports whether the output has a route field of a type that is not known.
func routeLost(n *resolve.Node) bool {
	return slices.ContainsFunc(cfg.RouteFields, func(name string) bool {
		f := n.Out.Field(name)
		return f != nil && f.Type.Base().Kind == resolve.Unknown
	})
}
