package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// filePasses judge the files whose types a file uses. Those that need several files have no example.
var filePasses = []Pass{
	{Code: "GG137", run: unknownUses},
	{Code: "GG138", run: problemsWith("GG138")},
	{Code: "GG139", run: problemsWith("GG139")},
	{Code: "GG140", run: problemsWith("GG140")},
	{Code: "GG141", run: useNames},
	{Code: "GG142", run: unusedUses},
	{Code: "GG302", run: usedCodecs},
}

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
			"set "+diag.Set("codecs", "all")+" in "+l.File+", or move "+l.Type.Name+" to a file of types")
	}
}

// useNamed returns the use of that name, nil without one.
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
		if !u.OfNode {
			names = append(names, u.Name.V)
		}
	}
	suggester := &suggester{names: names}
	c.exprs(func(t *spec.TypeExpr) {
		use, _, dotted := strings.Cut(t.Name, ".")
		if t.Kind == spec.TypeNamed && dotted && !slices.Contains(names, use) {
			c.report(t.Pos, "use names no file "+quote(use),
				suggester.suggest(use, true, "add it, as in "+diag.Set("use", "{"+use+": ../"+use+"/"+use+spec.TypesSuffix+"}")+"; a Go type is written "+
					diag.Item("{go: import/path.Type}")))
		}
	})
}

// problemsWith is the pass that reports why files cannot be used, for one code.
func problemsWith(code string) func(*context) {
	return func(c *context) {
		for _, u := range c.spec.Use {
			p := u.Problem
			if p == nil && u.Graph == nil && goname.Package(u.Name.V) {
				p = &spec.Problem{Code: "GG138", Message: "the file " + quote(u.File.V) + " was not read",
					Help: "compile the graph from its folder, with graphgen"}
			}
			if p != nil && p.Code == code && written(u.File) {
				c.report(u.File.Pos, p.Message, p.Help)
			}
		}
	}
}

func useNames(c *context) {
	for _, u := range c.spec.Use {
		if written(u.Name) && !goname.Package(u.Name.V) {
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
		for _, u := range c.spec.Use {
			used[u.Name.V] = used[u.Name.V] || u.Names(n.Graph.V)
		}
		unread = unread || n.Unread || n.Graph.Lost
	}
	unread = unread || c.spec.Unread && len(c.spec.Nodes) == 0
	for _, u := range c.spec.Use {
		if written(u.Name) && !used[u.Name.V] && !u.Used && !unread && goname.Package(u.Name.V) && u.Problem == nil {
			c.warn(u.Name.Pos, "nothing of "+quote(u.Name.V)+" is used", "use one of its types, run its graph, or remove the line")
		}
	}
}
