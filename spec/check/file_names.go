package check

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// namePasses judge what things are called.
var namePasses = []Pass{
	{Code: "GG020", run: badNames},
	{Code: "GG021", run: reservedNames},
	{Code: "GG022", run: colliding},
	{Code: "GG023", run: sharedGuards},
}

const nameHelp = "use letters, digits, _ and -, with a letter first"

func badNames(c *context) {
	check := func(name spec.String, what string) {
		if written(name) && !goname.Valid(name.V) {
			c.report(name.Pos, what+" cannot be called "+quote(name.V)+": it becomes a Go name", nameHelp)
		}
		c.longName(name, what)
	}
	check(c.spec.Name, "the graph")
	for _, t := range c.spec.Types {
		if goname.Valid(t.Name.V) && strings.Contains(t.Name.V, "-") {
			c.report(t.Name.Pos, "a type cannot be called "+quote(t.Name.V)+": the text of a type has no -", "use letters, digits and _, with a letter first")
		}
		check(t.Name, "a type")
		c.badTypeNames(t.Type, check)
	}
	for _, f := range c.spec.State {
		check(f.Name, "a state field")
		c.badTypeNames(f.Type, check)
	}
	for _, e := range c.spec.Ends {
		check(e, "an end")
	}
	for _, n := range c.spec.Nodes {
		if !spec.IsEnd(n.Name.V) {
			check(n.Name, "a node")
		}
		c.badTypeNames(n.Output, check)
		for _, g := range n.GuardNames() {
			check(g, "a guard")
		}
		for _, e := range n.Evals {
			check(e.Name, "an eval")
		}
		for _, b := range n.Branches {
			check(b.Name, "a branch")
		}
	}
	for _, t := range c.spec.Tools {
		for _, f := range t.Args {
			check(f.Name, "an argument")
			c.badTypeNames(f.Type, check)
		}
		c.badTypeNames(t.Returns, check)
	}
	for _, e := range c.graph.Edges {
		for _, l := range e.Spec.Branch {
			if e.Labelled() { // else it is a value of an enum
				check(l.Name, "a label")
			}
		}
	}
}

func (c *context) badTypeNames(t *spec.TypeExpr, check func(spec.String, string)) {
	if t == nil {
		return
	}
	c.badTypeNames(t.Elem, check)
	for _, f := range t.Fields {
		if f.Name.V == "_next" {
			continue // a route field; its Go name is Next
		}
		check(f.Name, "a field")
		c.badTypeNames(f.Type, check)
	}
	for _, v := range t.Variants {
		if t.Kind == spec.TypeUnion && v.Type != nil && v.Type.Kind == spec.TypeStruct && written(v.Label) && goname.Exported(v.Label.V) == "" {
			c.report(v.Label.Pos, "a variant cannot be called "+quote(v.Label.V)+": it becomes part of a Go name", "use at least one letter or digit")
		}
		c.badTypeNames(v.Type, check)
	}
	for _, v := range t.Values {
		if written(v) && goname.Exported(v.V) == "" {
			c.report(v.Pos, "a value cannot be called "+quote(v.V)+": it becomes part of a Go name", "use at least one letter or digit")
		}
		c.longName(v, "a value")
	}
}

// longName reports a name that is too long: schemas, tables and generated code repeat it.
func (c *context) longName(name spec.String, what string) {
	if len(name.V) > spec.MaxName && (goname.Valid(name.V) || what == "a value") {
		c.report(name.Pos, what+" cannot have a name of "+strconv.Itoa(len(name.V))+" bytes: it has at most "+strconv.Itoa(spec.MaxName),
			"write what is long into doc")
	}
}

// methods are the Go names that codecs and views give structs.
var methods = map[string]bool{
	"JSONMembers": true, "MarshalJSON": true, "UnmarshalJSON": true, "MarshalJSONTo": true, "UnmarshalJSONFrom": true,
	"JSONSchema": true, "IsZero": true, "EncodeJSON": true, "DecodeJSON": true, "ShownCells": true,
}

// vetted are the methods whose signature go vet checks in every type (analyzer stdmethods). The
// signature of a handler differs.
var vetted = map[string]bool{
	"GobDecode": true, "GobEncode": true, "MarshalJSON": true, "MarshalXML": true, "ReadByte": true, "ReadRune": true,
	"UnmarshalJSON": true, "UnmarshalXML": true, "UnreadByte": true, "UnreadRune": true, "WriteByte": true,
}

// vettedNames reports handlers that go vet would not let pass.
func (c *context) vettedNames() {
	check := func(name spec.String, what string) {
		if method := goname.Exported(name.V); vetted[method] {
			c.report(name.Pos, what+" cannot be called "+quote(name.V)+": go vet expects a method "+method+" of the standard library",
				"call it something else, as in do_"+name.V)
		}
	}
	reported := map[string]bool{}
	for _, n := range c.spec.Nodes {
		check(n.Name, "a node")
		for _, g := range n.Guards {
			if !reported[g.Name.V] && !g.Judge.IsSet() {
				reported[g.Name.V] = true
				check(g.Name, "a guard")
			}
		}
		for _, p := range processors(n) {
			if !reported[p.name.V] {
				reported[p.name.V] = true
				check(p.name, "a processor")
			}
		}
	}
	for _, t := range c.spec.Tools {
		check(t.Name, "a tool")
	}
}

func reservedNames(c *context) {
	c.vettedNames()
	for _, n := range c.spec.Nodes {
		if spec.IsEnd(n.Name.V) {
			c.report(n.Name.Pos, "a node cannot be called "+quote(n.Name.V)+": that is where runs end", "call it finish or done")
		}
	}
	for _, t := range c.spec.Types {
		if slices.Contains(resolve.BasicNames, t.Name.V) {
			c.report(t.Name.Pos, "a type cannot be called "+quote(t.Name.V)+": that is a type of the language", "call it something else")
		}
	}
	seen := map[spec.Pos]bool{}
	for _, t := range c.structs() {
		for _, f := range t.Fields {
			if methods[f.GoName] && !seen[f.Spec.Name.Pos] {
				seen[f.Spec.Name.Pos] = true
				c.report(f.Spec.Name.Pos, "a field cannot be called "+quote(f.Name)+": the Go method "+f.GoName+" is generated", "call it something else")
			}
		}
	}
	if c.spec.Limits.OnMaxSteps.V == "flag" {
		for _, f := range c.graph.Output.Fields {
			if f.GoName == "MaxStepsReached" {
				c.report(f.Spec.Name.Pos,
					"an output field cannot be called "+quote(f.Name)+": with "+c.says(diag.Set("on_max_steps", "flag"))+" the output has one of that name",
					"call it something else")
			}
		}
	}
}

// A namespace finds names that are one name in Go.
type namespace struct {
	c     *context
	names map[string]resolve.Name
	twice map[string]bool   // Go names that were reported
	bad   map[spec.Pos]bool // what cannot have its name anyway
}

func (s *namespace) add(n resolve.Name) {
	was, taken := s.names[n.Go]
	switch {
	case n.Go == "" || s.bad[n.Pos]:
	case !taken:
		s.names[n.Go] = n
	case s.twice[n.Of]:
		s.twice[n.Go] = true
	case was.Pos != n.Pos:
		s.twice[n.Go] = true
		if n.Pos.Compare(was.Pos) < 0 {
			was, n = n, was
			s.names[was.Go] = was
		}
		s.c.report(n.Pos, n.What+" and "+was.What+" are both "+n.Go+" in Go", "rename one of them", diag.Related{Pos: was.Pos, Message: "the other is here"})
	}
}

// colliding leaves nodes of one Go name at that: what is derived from them collides too.
func colliding(c *context) {
	bad := map[spec.Pos]bool{}
	for _, d := range c.found {
		if d.Code == "GG020" || d.Code == "GG021" {
			bad[d.Pos] = true
		}
	}
	space := func() *namespace {
		return &namespace{c, map[string]resolve.Name{}, map[string]bool{}, bad}
	}
	before := len(c.found)
	nodes, handlers := space(), space()
	for _, n := range c.graph.All() {
		name := resolve.Name{Go: n.GoName, Pos: n.Spec.Name.Pos, What: "node " + n.Spec.Name.V}
		nodes.add(name)
		if n.Handled() && !nodes.twice[n.GoName] {
			handlers.add(name)
		}
		evals := space()
		branches := space()
		for _, b := range n.Spec.Branches {
			branches.add(resolve.Name{Go: goname.Exported(b.Name.V), Pos: b.Name.Pos, What: "branch " + b.Name.V})
		}
		for _, e := range n.Evals {
			evals.add(resolve.Name{Go: e.GoName, Pos: e.Spec.Name.Pos, What: "eval " + e.Spec.Name.V})
		}
		judged := space()
		for _, g := range n.Guards {
			if g.Judged() {
				judged.add(resolve.Name{Go: g.GoName, Pos: g.Spec.Name.Pos, What: "guard " + g.Spec.Name.V})
			}
		}
	}
	tools := space()
	for _, t := range c.graph.Tools {
		tools.add(resolve.Name{Go: t.GoName, Pos: t.Spec.Name.Pos, What: "tool " + t.Spec.Name.V})
	}
	c.addHandlers(handlers)
	for _, t := range c.structs() {
		fields := space()
		for _, f := range t.Fields {
			fields.add(resolve.Name{Go: f.GoName, Pos: f.Spec.Name.Pos, What: "field " + f.Name})
		}
	}
	if len(c.found) > before || !goname.Valid(c.spec.Name.V) && !c.spec.TypesOnly() {
		return
	}
	all := space()
	for _, n := range resolve.Generated(c.graph) {
		all.add(n)
	}
}

// addHandlers adds the handlers that do not belong to nodes.
func (c *context) addHandlers(handlers *namespace) {
	guards := map[string]bool{}
	for _, n := range c.graph.All() {
		for _, g := range n.Guards {
			if name := g.Spec.Name; !guards[name.V] && !g.Judged() {
				guards[name.V] = true
				handlers.add(resolve.Name{Go: g.GoName, Pos: name.Pos, What: "guard " + name.V})
			}
		}
	}
	for _, p := range c.processors() {
		handlers.add(resolve.Name{Go: goname.Exported(p.name.V), Pos: p.name.Pos, What: p.role + " " + p.name.V})
	}
	for _, f := range c.graph.State.Fields {
		if f.Merge == "custom" {
			handlers.add(resolve.Name{Go: "Merge" + f.GoName, Pos: f.Spec.Name.Pos, What: "the merge function of field " + f.Name})
		}
	}
}

// unsure reports whether the output of a node is not known, because not all of it could be read.
func unsure(n *resolve.Node) bool {
	return n.Spec.Unread || !n.Kind.Known() || n.Out != nil && n.Out.Kind == resolve.Unknown
}

func sharedGuards(c *context) {
	first, last := map[string]*resolve.Node{}, map[string]*resolve.Node{}
	for _, n := range c.graph.All() {
		for i := range n.Guards {
			g := n.Guards[i].Spec.Name
			if !written(g) || n.Guards[i].Judged() {
				continue
			}
			was, repeated := first[g.V], last[g.V] == n
			last[g.V] = n
			switch {
			case was == nil:
				first[g.V] = n
			case repeated:
			case unsure(n) || unsure(was):
			case n.Out != nil && was.Out != nil && !resolve.Same(n.Out, was.Out):
				c.report(g.Pos, "guard "+quote(g.V)+" is of node "+quote(was.Spec.Name.V)+" too, whose output is of another type",
					"give the guards different names, or both nodes one declared output",
					diag.Related{Pos: was.Spec.Name.Pos, Message: "the other node is here"})
			}
		}
	}
}

// Package judges the graphs that are compiled into one Go package together. Run judges each of
// them alone.
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
				message = "the graph of " + filepath.Base(was.File) + " is called " + quote(was.Name.V) + ", which is " +
					goname.Exported(g.Name.V) + " in Go too"
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
		for _, n := range slices.Concat(resolve.Generated(flow.Spec), resolve.Fixed(flow.Spec)) {
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
	return diag.Sort(slices.Concat(found, transitionNames(specs), limitNames(graphs, specs)))
}

// continues reports whether a graph has a node whose Go name has To after a text.
func continues(g *spec.Graph, text string) bool {
	return slices.ContainsFunc(g.Nodes, func(n *spec.Node) bool {
		rest, ok := strings.CutPrefix(goname.Exported(n.Name.V), text)
		return ok && slices.ContainsFunc(ruleWords, func(word string) bool { return strings.HasPrefix(strings.TrimPrefix(rest, word), "To") })
	})
}

// ruleWords are what the Go name of a transition may have between its node and To.
var ruleWords = []string{"", "Failed", "Refused", "Spent", "Tools", "Denied", "Late"}

// A leaver is a node, with its graph.
type leaver struct {
	graph *spec.Graph
	node  *spec.Node
}

// leavers are the nodes of graphs, by what the Go names of the transitions that leave them begin with.
type leavers map[string]leaver

func leaversOf(graphs []*spec.Graph) leavers {
	l := leavers{}
	for _, g := range graphs {
		for _, n := range g.Nodes {
			l[leaving(g, n)] = leaver{g, n}
		}
	}
	return l
}

func leaving(g *spec.Graph, n *spec.Node) string {
	return goname.Unexported(g.Name.V) + goname.Exported(n.Name.V)
}

// match finds a node of another graph whose name may be the name of a transition: one of which match is true for what follows To.
func (l leavers) match(g *spec.Graph, name string, match func(of *spec.Graph, to string) bool) (leaver, bool) {
	for i := range len(name) {
		to, ok := strings.CutPrefix(name[i:], "To")
		for _, word := range ruleWords {
			if was, known := l[strings.TrimSuffix(name[:i], word)]; ok && known && was.graph != g && match(was.graph, to) {
				return was, true
			}
		}
	}
	return leaver{}, false
}

// transitionNames finds graphs whose transitions may have the same Go name: the graph, the node
// that it leaves, To, and the node that it leads to. They collide where the first two names of
// one transition have the To of another in them.
func transitionNames(graphs []*spec.Graph) (found []diag.Diagnostic) {
	owners := leaversOf(graphs)
	for _, g := range graphs {
		for _, n := range g.Nodes {
			name := leaving(g, n)
			if was, ok := owners.match(g, name, continues); ok {
				found = append(found, diag.Diagnostic{
					Code: "GG090", File: g.File, Pos: n.Name.Pos,
					Message: "the transitions from node " + quote(n.Name.V) + " and those from node " + quote(was.node.Name.V) +
						" of " + filepath.Base(was.graph.File) + " get one name in Go: " + name + "To…",
					Help: "rename one of the nodes, or put one of the specs into a folder of its own",
				})
			}
		}
	}
	return found
}

// limitNames finds variables with the limits of a field that may have the Go name of a transition of another graph.
func limitNames(flows []*cfg.Graph, graphs []*spec.Graph) (found []diag.Diagnostic) {
	owners := leaversOf(graphs)
	leads := func(g *spec.Graph, to string) bool {
		is := func(s spec.String) bool { return goname.Exported(s.V) == to }
		return to == "End" || slices.ContainsFunc(g.Ends, is) || slices.ContainsFunc(g.Nodes, func(n *spec.Node) bool { return is(n.Name) })
	}
	for _, flow := range flows {
		g := flow.Spec.Spec
		for _, n := range resolve.Fixed(flow.Spec) {
			if was, ok := owners.match(g, n.Go, leads); ok {
				found = append(found, diag.Diagnostic{
					Code: "GG090", File: g.File, Pos: n.Pos,
					Message: n.What + " becomes " + n.Go + " in Go, and so does a transition from node " + quote(was.node.Name.V) +
						" of " + filepath.Base(was.graph.File),
					Help: "rename the field or the node, or put one of the specs into a folder of its own",
				})
			}
		}
	}
	return found
}
