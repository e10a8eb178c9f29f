package check

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// packageRules document what only shows across the graphs of one Go package.
var packageRules = []diag.Rule{{
	Code: "GG090", Name: "graphs-collide",
	Doc: "Two specs of one folder are compiled into one Go package, and would generate one name twice: the graphs have one name, or a type that both declare, or nodes whose ways would be called the same. Rename one, or put one into a folder of its own.",
	Bad: "-- draft.graph.yaml --\ngraph: draft\nentry: a\ntypes: {Grade: {enum: [low, high]}}\nstate: {grade: Grade}\noutput: [grade]\nnodes:\n  a: {writes: grade}\n" +
		"-- review.graph.yaml --\ngraph: review\nentry: a\ntypes: {Grade: {enum: [good, bad]}}\nstate: {grade: Grade}\noutput: [grade]\nnodes:\n  a: {writes: grade}\n",
	Good: "-- draft.graph.yaml --\ngraph: draft\nentry: a\ntypes: {Grade: {enum: [low, high]}}\nstate: {grade: Grade}\noutput: [grade]\nnodes:\n  a: {writes: grade}\n" +
		"-- review.graph.yaml --\ngraph: review\nentry: a\ntypes: {Verdict: {enum: [good, bad]}}\nstate: {grade: Verdict}\noutput: [grade]\nnodes:\n  a: {writes: grade}\n",
}}

// Package judges the graphs that are compiled into one Go package together. What is wrong
// with each of them alone is Run's to say.
func Package(graphs []*cfg.Graph) []diag.Diagnostic {
	type owner struct {
		graph *spec.Graph
		name  resolve.Name
	}
	if len(graphs) < 2 {
		return nil
	}
	var found []diag.Diagnostic
	var specs []*spec.Graph
	taken, twice := map[string]owner{}, map[string]bool{}
	named := map[string]*spec.Graph{}
	for _, flow := range graphs {
		g := flow.Spec.Spec
		specs = append(specs, g)
		if !goname.Valid(g.Name.V) && !g.TypesOnly() {
			continue
		}
		if was := named[goname.Exported(g.Name.V)]; was != nil && !g.TypesOnly() {
			message := "the graph of " + filepath.Base(was.File) + " is called " + quote(was.Name.V) + " too"
			if was.Name.V != g.Name.V {
				message = "the graph of " + filepath.Base(was.File) + " is called " + quote(was.Name.V) + ", which is " + goname.Exported(g.Name.V) + " in Go too"
			}
			found = append(found, diag.Diagnostic{
				Code: "GG090", File: g.File, Pos: g.Name.Pos, Message: message,
				Help: "rename one of them, or put one of the specs into a folder of its own",
			})
			continue
		}
		if !g.TypesOnly() {
			named[goname.Exported(g.Name.V)] = g
		}
		for _, n := range resolve.Generated(flow.Spec) {
			if n.Go == "" {
				continue // what could not be read has no name
			}
			was, ok := taken[n.Go]
			if !ok || was.graph == g {
				taken[n.Go] = owner{g, n}
				continue
			}
			twice[n.Go] = true
			if twice[n.Of] {
				continue
			}
			found = append(found, diag.Diagnostic{
				Code: "GG090", File: g.File, Pos: n.Pos,
				Message: n.What + " becomes " + n.Go + " in Go, and so does " + was.name.What + " of " + filepath.Base(was.graph.File),
				Help:    "rename one of them, or put one of the specs into a folder of its own",
			})
		}
	}
	return diag.Sort(append(found, wayNames(specs)...))
}

// goesOn reports whether a graph has a node whose Go name goes on into a To after a text.
func goesOn(g *spec.Graph, text string) bool {
	return slices.ContainsFunc(g.Nodes, func(n *spec.Node) bool {
		rest, ok := strings.CutPrefix(goname.Exported(n.Name.V), text)
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, "Failed"), "Refused")
		return ok && strings.HasPrefix(rest, "To")
	})
}

// wayNames finds graphs whose ways may be called the same. A way's Go name is that of its
// graph, of the node it leaves, To, and that of the node it leads to; where the first two
// names of one way go on into the To of the other, nothing keeps them apart.
func wayNames(graphs []*spec.Graph) (found []diag.Diagnostic) {
	type owner struct {
		graph *spec.Graph
		node  *spec.Node
	}
	leaving := func(g *spec.Graph, n *spec.Node) string {
		return goname.Unexported(g.Name.V) + goname.Exported(n.Name.V)
	}
	owners := map[string]owner{}
	for _, g := range graphs {
		for _, n := range g.Nodes {
			owners[leaving(g, n)] = owner{g, n}
		}
	}
	for _, g := range graphs {
		for _, n := range g.Nodes {
			name := leaving(g, n)
			for i := range len(name) {
				if !strings.HasPrefix(name[i:], "To") {
					continue
				}
				head := strings.TrimSuffix(strings.TrimSuffix(name[:i], "Failed"), "Refused")
				if was, ok := owners[head]; ok && was.graph != g && goesOn(was.graph, name[i+len("To"):]) {
					found = append(found, diag.Diagnostic{
						Code: "GG090", File: g.File, Pos: n.Name.Pos,
						Message: "the ways from node " + quote(n.Name.V) + " and those from node " + quote(was.node.Name.V) + " of " + filepath.Base(was.graph.File) + " get one name in Go: " + name + "To…",
						Help:    "rename one of the nodes, or put one of the specs into a folder of its own",
					})
					break
				}
			}
		}
	}
	return found
}
