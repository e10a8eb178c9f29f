package check

import (
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// filePasses judge the files whose types a file uses. Those that need several files have no example.
var filePasses = []Pass{
	{run: unknownUses, Rule: diag.Rule{
		Code: "GG137", Name: "unknown-use",
		Doc:  "A type is written use.Type, but the section use has no such name.",
		Bad:  "graph: g\nentry: a\nstate: {x: common.Verdict}\ninput: x\nnodes:\n  a: {reads: x}\n",
		Good: "graph: g\nentry: a\ntypes: {Verdict: {score: int}}\nstate: {x: Verdict}\ninput: x\nnodes:\n  a: {reads: x}\n",
	}},
	{run: problemsWith("GG138"), Rule: diag.Rule{
		Code: "GG138", Name: "used-file",
		Doc: "A file under use cannot be used: it is not there, is no spec, or has errors of its own. Paths are relative to the " +
			"file that has them. A file may be a graph, NAME.graph.yaml, or types alone, NAME.types.yaml.",
		Bad:  "graph: g\nentry: a\nuse: {common: common.types.yaml}\nstate: {x: common.Verdict}\ninput: x\nnodes:\n  a: {reads: x}\n",
		Good: "graph: g\nentry: a\ntypes: {Verdict: {score: int}}\nstate: {x: Verdict}\ninput: x\nnodes:\n  a: {reads: x}\n",
	}},
	{run: problemsWith("GG139"), Rule: diag.Rule{
		Code: "GG139", Name: "use-cycle",
		Doc:  "Files use one another in a ring, or a file uses itself. Put the types they share into a file that uses none of them.",
		Bad:  "-- tree.types.yaml --\nuse: {tree: tree.types.yaml}\ntypes: {Node: {left: \"?tree.Node\"}}\n",
		Good: "-- tree.types.yaml --\ntypes: {Node: {left: \"?Node\"}}\n",
	}},
	{run: problemsWith("GG140"), Rule: diag.Rule{
		Code: "GG140", Name: "use-import-path",
		Doc: "A file under use is in another folder, and its Go package cannot be imported from there: no go.mod above it gives " +
			"a path, or it is a program, package main.",
		Bad: "-- common/common.types.yaml --\ntypes: {Verdict: {score: int}}\n-- review/g.graph.yaml --\ngraph: g\nentry: a\n" +
			"use: {common: ../common/common.types.yaml}\nstate: {x: common.Verdict}\ninput: x\nnodes:\n  a: {reads: x}\n",
		Good: "-- review/common.types.yaml --\ntypes: {Verdict: {score: int}}\n-- review/g.graph.yaml --\ngraph: g\nentry: a\n" +
			"use: {common: common.types.yaml}\nstate: {x: common.Verdict}\ninput: x\nnodes:\n  a: {reads: x}\n",
	}},
	{run: useNames, Rule: diag.Rule{
		Code: "GG141", Name: "use-name",
		Doc: "The name of a use becomes the name of an imported Go package: lower-case letters and digits, with a letter first, " +
			"and none of the names that generated code uses itself.",
		Bad: "-- level.types.yaml --\ntypes: {Level: {enum: [low, high]}}\n-- g.graph.yaml --\ngraph: g\nentry: a\nuse: {out: " +
			"level.types.yaml}\nstate: {x: out.Level}\ninput: x\nnodes:\n  a: {reads: x}\n",
		Good: "-- level.types.yaml --\ntypes: {Level: {enum: [low, high]}}\n-- g.graph.yaml --\ngraph: g\nentry: a\nuse: {level: " +
			"level.types.yaml}\nstate: {x: level.Level}\ninput: x\nnodes:\n  a: {reads: x}\n",
	}},
	{run: unusedUses, Rule: diag.Rule{
		Code: "GG142", Name: "unused-use",
		Doc: "No type and no template of the file is used, and no subgraph runs its graph (a warning).",
		Bad: "-- common.types.yaml --\ntypes: {Verdict: {score: int}}\n-- g.graph.yaml --\ngraph: g\nentry: a\nuse: {common: " +
			"common.types.yaml}\nnodes:\n  a: {}\n",
		Good: "-- common.types.yaml --\ntypes: {Verdict: {score: int}}\n-- g.graph.yaml --\ngraph: g\nentry: a\nuse: {common: " +
			"common.types.yaml}\nstate: {x: common.Verdict}\ninput: x\nnodes:\n  a: {reads: x}\n",
	}},
	{run: usedCodecs, Rule: diag.Rule{
		Code: "GG302", Name: "used-codec",
		Doc: "A graph needs the JSON Schema of a type of another graph, or the JSON of one that holds a Go type, and that graph " +
			"does not: its generated code lacks it. Set `codecs: all` there, or put the type into a file of types, which has all codecs.",
		Bad:  "-- part.graph.yaml --\n" + partExample("") + "-- g.graph.yaml --\n" + wholeExample,
		Good: "-- part.graph.yaml --\n" + partExample("codecs: all\n") + "-- g.graph.yaml --\n" + wholeExample,
	}},
}

// partExample is a spec with a type that another one uses, wholeExample.
func partExample(codecs string) string {
	return "graph: part\nentry: a\n" + codecs + "types: {Verdict: {score: int}}\nstate: {x: Verdict}\ninput: x\nnodes:\n  a: {reads: x}\n"
}

const wholeExample = "graph: g\nentry: a\nuse: {part: part.graph.yaml}\nstate: {x: part.Verdict}\noutput: x\nnodes:\n  a: {kind: " +
	"prompt, instructions: Judge it., output: part.Verdict, writes: x}\n"

// usedCodecs reports types of used graphs that need more of a codec than is generated.
func usedCodecs(c *context) {
	for _, l := range c.graph.LackingCodecs() {
		need, lacks := "reads", " as JSON, and that file has no code for it"
		switch {
		case l.Codec == resolve.Schema:
			need, lacks = "needs the JSON Schema of", ", and that file does not generate it"
		case l.Codec&(resolve.Encode|resolve.Zero) != 0:
			need = "writes"
		}
		pos := c.spec.Name.Pos
		if u := c.useNamed(l.Use); u != nil {
			pos = u.Name.Pos
		}
		c.report(pos, "the graph "+need+" "+l.Type.Name+" of "+l.File+lacks,
			"set codecs: all in "+l.File+", or move "+l.Type.Name+" to a file of types")
	}
}

// useNamed returns the use of that name, nil if there is none.
func (c *context) useNamed(name string) *spec.Use {
	for _, u := range c.spec.Use {
		if u.Name.V == name {
			return u
		}
	}
	return nil
}

func unknownUses(c *context) {
	if c.spec.UsesLost() {
		return
	}
	var names []string
	for _, u := range c.spec.Use {
		names = append(names, u.Name.V)
	}
	suggester := &suggester{names: names}
	c.exprs(func(t *spec.TypeExpr) {
		use, _, dotted := strings.Cut(t.Name, ".")
		if t.Kind == spec.TypeNamed && dotted && c.useNamed(use) == nil {
			c.report(t.Pos, "use names no file "+quote(use),
				suggester.suggest(use, true, "add it, as in use: {"+use+": ../"+use+"/"+use+spec.TypesSuffix+"}; a Go type is written {go: import/path.Type}"))
		}
	})
}

// problemsWith is the pass that reports why files cannot be used, for one code.
func problemsWith(code string) func(*context) {
	return func(c *context) {
		for _, u := range c.spec.Use {
			p := u.Problem
			if p == nil && u.Graph == nil && !c.badUseName(u) {
				p = &spec.Problem{Code: "GG138", Message: "the file " + quote(u.File.V) + " was not read",
					Help: "compile the graph from its folder, with graphgen"}
			}
			if p != nil && p.Code == code && written(u.File) {
				c.report(u.File.Pos, p.Message, p.Help)
			}
		}
	}
}

// badUseName reports whether the name of a use cannot be that of a Go package.
func (c *context) badUseName(u *spec.Use) bool {
	name := u.Name.V
	return !goname.Valid(name) || name != strings.ToLower(name) || strings.ContainsAny(name, "-_") || goname.Local(name) || reservedUse[name]
}

// reservedUse are the names that conditions can use, in addition to those of generated code.
var reservedUse = map[string]bool{"math": true, "strings": true, "utf8": true, "runtime": true, "errors": true}

func useNames(c *context) {
	for _, u := range c.spec.Use {
		if written(u.Name) && c.badUseName(u) {
			c.report(u.Name.Pos, "a use cannot be called "+quote(u.Name.V)+": it becomes the name of a package",
				"use lower-case letters and digits, with a letter first, and no name that Go or generated code has, as in common")
		}
	}
}

func unusedUses(c *context) {
	used, unread := map[string]bool{}, false
	c.exprs(func(t *spec.TypeExpr) {
		use, _, dotted := strings.Cut(t.Name, ".")
		used[use] = used[use] || dotted
		unread = unread || t.Kind == spec.TypeNamed && t.Name == ""
	})
	for _, n := range c.spec.Nodes {
		used[n.Graph.V] = used[n.Graph.V] || n.Graph.V != ""
		unread = unread || n.Unread || n.Graph.Lost
	}
	unread = unread || c.spec.Unread && len(c.spec.Nodes) == 0
	for _, u := range c.spec.Use {
		if written(u.Name) && !used[u.Name.V] && !u.Used && !unread && !c.badUseName(u) && u.Problem == nil {
			c.warn(u.Name.Pos, "nothing of "+quote(u.Name.V)+" is used", "use one of its types, run its graph, or remove the line")
		}
	}
}
