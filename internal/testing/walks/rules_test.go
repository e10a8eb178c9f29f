package walks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// plain reports whether an edge has no condition.
func plain(e *spec.Edge) bool {
	return !e.If.IsSet() && !e.On.IsSet() && e.OnOutput == nil && !e.OnConfidence.IsSet() && !e.BranchPos.IsSet() && !e.When.IsSet()
}

// tried lists the edges of rule 4. Those in natural language are behind the other conditions,
// and edges without a condition are last.
func (v *Walk) tried() []*spec.Edge {
	var first, judged, last []*spec.Edge
	all := append(slices.Clone(v.on("")), v.on("no_tool_call")...)
	slices.SortStableFunc(all, func(x, y *spec.Edge) int {
		return slices.Index(v.edges[v.At], x) - slices.Index(v.edges[v.At], y)
	})
	for _, e := range all {
		switch {
		case e.When.IsSet():
			judged = append(judged, e)
		case plain(e):
			last = append(last, e)
		default:
			first = append(first, e)
		}
	}
	if judged == nil {
		return all
	}
	return slices.Concat(first, judged, last)
}

// called lists what a turn with tool calls leads to.
func (v *Walk) called() []Option {
	s := v.At.Spec
	_, injected := s.Flag(spec.InjectTools)
	if loops := !s.Prompt.ToolLoop.IsSet() || s.Prompt.ToolLoop.V; s.Kind.V == "prompt" && loops && (injected || len(s.Prompt.Tools) > 0) {
		o := v.way(s.Name.V, "tool loop", "tool calls", false)
		o.called = true
		return []Option{o}
	}
	var options []Option
	for _, e := range v.on("tool_call") {
		if !v.open(e, e.To.V) {
			continue
		}
		text := "on tool_call"
		for i, tool := range e.Tools {
			text += []string{" ", ", "}[min(i, 1)] + tool.V
		}
		o := v.edge(e, e.To.V, "edge", text, false)
		o.called = true
		if options = append(options, o); len(e.Tools) == 0 { // else the turn may have called others
			break
		}
	}
	return options
}

func (v *Walk) skipped() []Option {
	for _, e := range v.on("") {
		if plain(e) && v.open(e, e.To.V) {
			return []Option{v.edge(e, e.To.V, "edge", "", true)}
		}
	}
	if next, key := passed(v.At.Spec); next != "" {
		return []Option{v.way(next, "next", key, true)}
	}
	return v.noMatch(true, 0)
}

// passed returns the target of rule 6, and the key of the spec that sets it.
func passed(s *spec.Node) (next, key string) {
	if s.OnPass.V != "" {
		return s.OnPass.V, "on_pass"
	}
	return s.Next.V, "next"
}

func (v *Walk) refused() []Option {
	s := v.At.Spec
	for _, e := range v.on("guard_fail") {
		if v.open(e, e.To.V) {
			return []Option{v.edge(e, e.To.V, "guard fail", "on guard_fail", false)}
		}
	}
	if s.OnFail.IsSet() {
		return []Option{v.way(s.OnFail.V, "guard fail", "on_fail", false)}
	}
	return nil
}

// overBudget lists what a spent budget leads to. The model that judges what follows may find it spent, too: then no failure precedes the next node.
func (v *Walk) overBudget() (options []Option) {
	if v.At.Has(spec.Critical) || !v.At.Draws() {
		return nil
	}
	for _, e := range v.on("budget") {
		if !v.open(e, e.To.V) {
			continue
		}
		options = append(options, v.edge(e, e.To.V, "budget", "on budget", true))
		if slices.ContainsFunc(v.edges[v.At], func(e *spec.Edge) bool { return e.When.IsSet() }) {
			o := v.edge(e, e.To.V, "budget", "on budget", false)
			options = append(options, o)
		}
		break
	}
	return options
}

func (v *Walk) failure() []Option {
	if v.At.Has(spec.Critical) {
		return []Option{{ends: true}}
	}
	for _, e := range v.on("error") {
		if v.open(e, e.To.V) {
			return []Option{v.edge(e, e.To.V, "error", "on error", true)}
		}
	}
	if o, ok := v.errorTransition(v.At); ok {
		return []Option{o}
	}
	return []Option{{ends: true}}
}

// success lists the transitions of rules 2 to 7, of a success or a soft failure. The model has
// judged before those that follow the first edge it is asked about.
func (v *Walk) success(soft bool) []Option {
	out := v.ways(soft)
	if i := slices.IndexFunc(out, func(o Option) bool { return strings.HasPrefix(o.Text, "when ") }); i >= 0 {
		for i := range out[i:] {
			out[len(out)-1-i].judged = true
		}
	}
	return out
}

func (v *Walk) ways(soft bool) []Option {
	s := v.At.Spec
	out, decided := v.routes(soft)
	if decided {
		return out
	}
	if !soft {
		for _, to := range append(slices.Clone(s.Goto), s.Routes...) {
			what := "goto "
			if v.At.Kind.Name == "router" {
				what = "route "
			}
			out = append(out, v.way(to.V, "goto", what+to.V, false))
		}
		if v.At.Kind.Name == "router" {
			return out
		}
	}
	judged := 0
	for _, e := range v.tried() {
		if e.BranchPos.IsSet() {
			text, passes := "branch ", soft
			if by := v.by(e); by != "" {
				text, passes = "branch "+by+": ", soft || !v.covers(e)
			}
			for _, l := range e.Branch {
				switch {
				case soft:
				case v.open(e, l.To.V):
					out = append(out, v.edge(e, l.To.V, "edge", text+l.Name.V, false))
				default:
					passes = true
				}
			}
			if !passes {
				return out
			}
			continue
		}
		if !v.open(e, e.To.V) {
			continue
		}
		if e.When.IsSet() {
			judged++
		}
		out = append(out, v.edge(e, e.To.V, "edge", condition(e), soft))
		if plain(e) || e.On.IsSet() {
			return out
		}
	}
	for _, t := range s.Transitions {
		if t.Key.V != "error" && v.At.Out != nil && v.At.Out.Field(t.Key.V) != nil && !soft {
			out = append(out, v.way(t.To.V, "transition", "transition "+t.Key.V, false))
		}
	}
	if next, key := passed(s); next != "" {
		return append(out, v.way(next, "next", key, soft))
	}
	return append(out, v.noMatch(soft, judged)...)
}

// by returns the field of the output that a branch table looks at, empty where the handler returns a label: the one that it names,
// else the only one, if labels are its values.
func (v *Walk) by(e *spec.Edge) string {
	only := v.At.OnlyEnum()
	switch {
	case e.By.IsSet():
		return e.By.V
	case only != nil && only.Type.Base().Value(e.Branch[0].Name.V) != nil:
		return only.Name
	}
	return ""
}

// covers reports whether a branch table has a label for whatever an output of the node holds.
func (v *Walk) covers(e *spec.Edge) bool {
	for n := v.At.Body; n != nil; n = n.Body {
		if n.Has(spec.SkipOnError) || n.Spec.FailSoft.V {
			return false // what it runs may give none
		}
	}
	held := v.At.Out
	if held.Kind == resolve.Struct {
		held = held.Field(v.by(e)).Type
	}
	return held.Kind == resolve.Enum && len(held.Values) == len(e.Branch)
}

// condition returns the condition of an edge, as reports show it.
func condition(e *spec.Edge) string {
	switch {
	case e.If.IsSet():
		return "if " + e.If.V
	case e.OnOutput != nil:
		return "on_output " + e.OnOutput.Key.V + ": " + e.OnOutput.Value.Text
	case e.OnConfidence.IsSet():
		return "on_confidence " + fmt.Sprint(e.OnConfidence.V)
	case e.On.IsSet():
		return "on " + e.On.V
	case e.When.IsSet():
		return "when " + e.When.V
	}
	return ""
}

// routes is rule 2. A text that names nothing known lets the later rules be tried.
func (v *Walk) routes(soft bool) (out []Option, decided bool) {
	if soft || v.At.Out == nil || v.At.Out.Kind != resolve.Struct {
		return nil, false
	}
	text := false
	for _, name := range []string{"route", "_next", "next_step", "goto"} {
		f := v.At.Out.Field(name)
		if f == nil {
			continue
		}
		switch f.Type.Base().Kind {
		case resolve.String:
			text = true
			for _, value := range v.declared() {
				out = append(out, v.way(v.led(value), "route", name+" "+value, false))
			}
		case resolve.Enum:
			for _, value := range f.Type.Base().Values {
				out = append(out, v.way(v.led(value.Name), "route", name+" "+value.Name, false))
			}
			if f.Type.Kind == resolve.Enum {
				return out, !text
			}
		}
	}
	return out, false
}

// led is where a route value leads.
func (v *Walk) led(value string) string {
	for _, t := range v.At.Spec.Transitions {
		if t.Key.V == value && value != "error" {
			return t.To.V
		}
	}
	return value
}

// declared lists what a text may name.
func (v *Walk) declared() []string {
	out := []string{spec.End}
	node := func(name string) {
		if !spec.IsEnd(name) && name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	s := v.At.Spec
	for _, to := range append(slices.Clone(s.Goto), s.Routes...) {
		node(to.V)
	}
	for _, e := range v.tried() {
		node(e.To.V)
		for _, l := range e.Branch {
			node(l.To.V)
		}
	}
	for _, t := range s.Transitions {
		if t.Key.V != "error" {
			node(t.To.V)
			node(t.Key.V)
		}
	}
	node(cmp.Or(s.Next.V, s.OnPass.V))
	return out
}

// noMatch is rule 7, after the model was asked about judged edges: it may refuse one that is alone.
func (v *Walk) noMatch(failed bool, judged int) []Option {
	s := v.At.Spec
	edges := v.tried()
	over := Option{ends: true, Completes: true, failed: failed}
	other := len(v.on("tool_call"))+len(s.Goto)+len(s.Routes) > 0 || cmp.Or(s.Next.V, s.OnPass.V) != "" ||
		slices.ContainsFunc(s.Transitions, func(t spec.Transition) bool { return t.Key.V != "error" })
	for _, name := range []string{"route", "_next", "next_step", "goto"} {
		other = other || v.At.Out.Field(name) != nil
	}
	usedUp := true // also where there is no edge: the node is terminal
	for _, e := range edges {
		targets := []string{e.To.V}
		if e.BranchPos.IsSet() {
			targets = nil
			for _, l := range e.Branch {
				targets = append(targets, l.To.V)
			}
		}
		usedUp = usedUp && !slices.ContainsFunc(targets, func(to string) bool { return v.open(e, to) })
	}
	if !other && usedUp && (s.NoMatch.V != "error" || len(edges) == 0) || cmp.Or(s.NoMatch.V, v.g.Spec.NoMatch.V) == "end" {
		return []Option{over}
	}
	if judged == 1 {
		return append(v.failure(), over)
	}
	return v.failure()
}
