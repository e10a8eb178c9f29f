package cfg

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// String returns the graph as text: its entry, its nodes in the order of the spec, and below each
// node the transitions that are tried after each outcome, in order. A transition has its number,
// its target, its condition, its bound and its counter. The last line of an outcome is what happens
// if none is taken. Transitions that are never tried are listed under "never".
func (g *Graph) String() string {
	p := &printer{graph: g}
	p.line("graph " + g.Spec.Spec.Name.V)
	if g.Entry != nil {
		p.line("entry " + p.target(g.Entry))
	}
	if g.OnError != nil {
		p.line("on_error " + p.target(g.OnError))
	}
	for _, n := range g.Nodes {
		p.line("")
		p.node(n)
	}
	return p.String()
}

// A printer writes a graph.
type printer struct {
	strings.Builder
	graph *Graph
}

func (p *printer) line(text string) {
	p.WriteString(text)
	p.WriteByte('\n')
}

func (p *printer) node(n *Node) {
	title := n.Name() + ": " + n.Spec.Kind.Name
	for _, is := range []struct {
		so   bool
		word string
	}{{n.Soft, "fail_soft"}, {n.Critical, spec.Critical.String()}, {n.Skip, spec.SkipOnError.String()}, {n.Spec.Template, "template"},
		{p.graph.Spec.Mutates(n.Spec), "mutates"}} {
		if is.so {
			title += ", " + is.word
		}
	}
	if n.Region != nil {
		title += " in " + n.Region.String()
	}
	p.line(title)
	for _, r := range n.Regions {
		p.line("  region " + r.Spec.Name.V)
		p.transition(r.Enter)
	}
	tried := map[*Transition]bool{}
	for o, list := range n.On {
		if len(list) == 0 && n.Else[o] == Never || len(list) == 0 && !n.occurs(Outcome(o)) {
			continue
		}
		p.line("  " + Outcome(o).String())
		for _, t := range list {
			tried[t] = true
			p.transition(t)
		}
		if n.Else[o] != Never {
			p.line("    else " + n.Else[o].String())
		}
	}
	dead := slices.DeleteFunc(slices.Clone(n.Leaving), func(t *Transition) bool { return tried[t] || tried[t.First] })
	if len(dead) > 0 {
		p.line("  never")
	}
	for _, t := range dead {
		p.transition(t)
	}
}

// occurs reports whether an outcome without transitions is printed.
func (n *Node) occurs(o Outcome) bool {
	switch o {
	case CalledTools:
		return false
	case SoftFailed:
		return n.Soft
	case Skipped:
		return n.Skip
	case Refused:
		return len(n.Spec.Spec.Guards) > 0 || n.Spec.Kind.Judges
	case Spent:
		return len(n.On[Spent]) > 0
	case Denied:
		return n.Spec.Decides()
	case Late:
		return n.Spec.Kind.By == spec.ByPerson && n.Spec.Spec.Timeout.IsSet()
	}
	return true
}

func (p *printer) transition(t *Transition) {
	p.WriteString("    #" + strconv.Itoa(t.Index) + " -> " + p.target(t))
	if text := t.Text(); text != "" {
		p.WriteString(" " + strings.Join(strings.Fields(text), " "))
	}
	switch {
	case t.Max > 0:
		p.WriteString("; at most " + strconv.Itoa(t.Max))
	case t.Bounded:
		p.WriteString("; bounded")
	}
	if t.Counter != nil {
		p.WriteString("; counter " + strconv.Itoa(t.Counter.Index))
	}
	if t.Label != "" {
		p.WriteString("; label " + strconv.Quote(t.Label))
	}
	p.line("")
}

func (p *printer) target(t *Transition) string {
	switch {
	case t.To != nil:
		return t.To.Name()
	case t.Known:
		return cmp.Or(t.End, spec.End)
	}
	return "? " + strconv.Quote(t.Name.V)
}

// String returns the names of the composite node and the region.
func (r *Region) String() string {
	if r.Spec.Name.IsSet() {
		return r.Parent.Name() + "." + r.Spec.Name.V
	}
	return r.Parent.Name()
}
