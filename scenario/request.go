package scenario

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Request is what a node asks its model, whole.
type Request = wire.Request

// A Showing is the first request of a node in a given state, with the findings about the files that it
// needs. The request is nil if there are errors.
type Showing struct {
	Request     *Request
	Diagnostics []diag.Diagnostic
	Sources     map[string][]byte // the files of the diagnostics, by name
}

// Show returns the first request of a node of a graph in a given state. The compiled machine makes it, as it
// ships; no model is asked. file is the path of a spec, or FILE#GRAPH for a graph in Go. values is the path
// of a mapping of state fields to values, in YAML or JSON; empty: all fields have their defaults.
func Show(ctx context.Context, file, node, values string) (*Showing, error) {
	here, err := filepath.Abs(".")
	if err != nil {
		return nil, err
	}
	judge := func(g *spec.Graph) []diag.Diagnostic { return check.Run(cfg.Of(g)) }
	t := &tester{sources: map[string][]byte{}, linker: link.New(here, readSpec, judge).ReadFiles(input.Below).FindPackages(link.GoPackages(ctx))}
	t.Timeout = DefaultTimeout
	out := &Showing{Sources: t.sources}
	dir, name := filepath.Split(file)
	f := &folder{dir: filepath.Clean(dir)}
	if f.abs, err = filepath.Abs(f.dir); err != nil {
		return nil, err
	}
	s, err := t.addSpec(ctx, f, name)
	if err != nil {
		return nil, err
	}
	out.Diagnostics = f.found
	if s == nil {
		return nil, fmt.Errorf("%s: choose one of its graphs, as in %s#NAME", file, file)
	}
	if s.broken {
		return out, nil
	}
	if err := asks(s.machine, node); err != nil {
		return nil, err
	}
	if err := t.leaveOut(ctx, f, []*testee{s}); err != nil {
		return nil, err
	}
	alone := plan.Lower(cfg.Of(enteredAt(s.flow.Spec, node)), pkg)
	o, found, err := t.bindValues(alone, values)
	out.Diagnostics = append(out.Diagnostics, found...)
	if err != nil || diag.HasErrors(found) {
		return out, err
	}
	o.run.Show = node
	s.machine = alone
	j := &job{folder: f, scenarios: []wire.Scenario{o.run}}
	if err := t.emits(j, []*testee{s}); err != nil {
		return nil, err
	}
	defer j.remove()
	results, problem, err := t.play(ctx, j)
	switch {
	case err != nil:
		return nil, err
	case results[o.run.ID] == nil:
		return nil, errors.New(problem)
	}
	r := results[o.run.ID]
	if out.Request = r.Shown; out.Request == nil {
		return nil, fmt.Errorf("node %s asks nothing in this state: %s", node, reasonOf(r))
	}
	return out, nil
}

// reasonOf returns why a run has made no request.
func reasonOf(r *wire.Result) string {
	switch {
	case r.Problem != "":
		return r.Problem
	case r.Error != nil:
		return r.Error.Text
	}
	return "the run ends as " + r.End
}

// bindValues returns the scenario that gives a machine the values of a file.
func (t *tester) bindValues(m *plan.Machine, path string) (*bound, []diag.Diagnostic, error) {
	s := &Scenario{Name: spec.String{V: "the request"}}
	file := &File{Path: path, Scenarios: []*Scenario{s}}
	if path != "" {
		text, err := input.Start(path, spec.MaxFile+1)
		if err != nil {
			return nil, nil, err
		}
		t.sources[path] = text
		value, found := parseValues(path, text)
		if len(found) > 0 {
			return nil, found, nil
		}
		s.Input = value
	}
	all, found := bind(file, m)
	return all[0], found, nil
}

// asks returns an error if a node does not ask a model.
func asks(m *plan.Machine, node string) error {
	var names []string
	for n := range m.Prompts() {
		names = append(names, n.Name)
	}
	if slices.Contains(names, node) {
		return nil
	}
	if len(names) == 0 {
		return fmt.Errorf("no node of graph %s asks a model", m.Name)
	}
	help := "those that do are " + strings.Join(names, ", ")
	if near, ok := diag.Suggest(node, names); ok {
		help = fmt.Sprintf("did you mean %q?", near)
	}
	return fmt.Errorf("graph %s has no node %q that asks a model; %s", m.Name, node, help)
}

// enteredAt returns the graph with a node as its entry and with the state as its input. A node that another
// runs is there by itself, too.
func enteredAt(g *resolve.Graph, node string) *spec.Graph {
	s := *g.Spec
	s.Nodes = slices.Clone(s.Nodes)
	pooled := g.Pool != nil && g.Pool.Spec.Name.V != node
	if pooled {
		s.Mode = spec.String{}
	}
	if n := g.Node(node); n != nil && n.Parent != nil && !pooled {
		s.Nodes = apart(s.Nodes, node)
	}
	for i, n := range s.Nodes {
		own := *n
		own.Flags = slices.DeleteFunc(slices.Clone(n.Flags), func(f spec.Flag) bool { return f.Name.V == spec.Entry.String() })
		if n.Name.V == node {
			own.PoolEntry = spec.String{} // its model picks the first node
		}
		s.Nodes[i] = &own
	}
	s.Entry = spec.String{V: node, Pos: s.Name.Pos}
	if g.Pool != nil && !pooled {
		s.Entry = spec.String{}
	}
	s.Input = nil
	for _, f := range g.State.Fields {
		if !holdsGo(f.Type, map[*resolve.Type]bool{}) || slices.ContainsFunc(g.Spec.Input, func(in spec.String) bool { return in.V == f.Name }) {
			s.Input = append(s.Input, spec.String{V: f.Name, Pos: f.Spec.Name.Pos})
		}
	}
	at := s.Name.Pos
	steps := spec.Value[int]{V: 1, Pos: at}
	if g.Pool != nil && !pooled {
		steps = g.Spec.Limits.MaxSteps // the limits of a graph with a mode are the pool's
	}
	s.Limits = spec.Limits{Pos: at, MaxSteps: steps, OnMaxSteps: spec.String{V: "last", Pos: at}}
	s.Assertions, s.Away = nil, true
	return &s
}

// holdsGo reports whether a type is a Go type of the author's, or holds one.
func holdsGo(t *resolve.Type, seen map[*resolve.Type]bool) bool {
	for t.Elem != nil {
		t = t.Elem
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	for _, v := range t.Variants {
		if holdsGo(v.Type, seen) {
			return true
		}
	}
	return t.Kind == resolve.External || slices.ContainsFunc(t.Fields, func(f *resolve.Field) bool { return holdsGo(f.Type, seen) })
}

// apart returns the nodes with a copy of one that another runs. The one that is run has another name.
func apart(nodes []*spec.Node, node string) []*spec.Node {
	inner := node + "_run"
	for slices.ContainsFunc(nodes, func(n *spec.Node) bool { return n.Name.V == inner }) {
		inner += "_run"
	}
	renamed := func(list []spec.String) []spec.String {
		list = slices.Clone(list)
		for i := range list {
			if list[i].V == node {
				list[i].V = inner
			}
		}
		return list
	}
	var out []*spec.Node
	for _, n := range nodes {
		own := *n
		own.Body, own.Pool, own.Terminal = renamed(n.Body), renamed(n.Pool), renamed(n.Terminal)
		if n.PoolEntry.V == node {
			own.PoolEntry.V = inner
		}
		own.Branches = slices.Clone(n.Branches)
		for i := range own.Branches {
			own.Branches[i].Nodes = renamed(n.Branches[i].Nodes)
		}
		out = append(out, &own)
		if n.Name.V == node {
			run := own
			run.Name.V = inner
			out = append(out, &run)
		}
	}
	return out
}
