// Package check judges a graph spec. Every pass looks for one kind of mistake. It has a stable
// code, and a page with its doc, a bad and a mended example: rules/CODE.md. A graph that passes
// always lowers, and the code generated from it builds.
//
// The files are in families, by what their passes judge:
//
//	file_    names, templates, and the files that a spec uses
//	state_   types, and the fields that nodes read and write
//	flow_    transitions, conditions and bounds, and what is asserted of paths
//	node_    the settings of nodes, and the kinds that need no family
//	region_  nodes that run others, and changes of the graph
//	prompt_  what models are sent, and the verdicts on their answers
//	tool_    tools, and who runs them
package check

import (
	"cmp"
	"embed"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/explore"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A Pass looks for one kind of mistake. The page of its code has its name, its doc and its examples.
type Pass struct {
	Code string
	run  func(*context)

	large func() string // returns the bad example, where it is too large for a page
}

//go:embed rules/*.md
var pages embed.FS

// Passes returns every pass.
func Passes() []Pass {
	return slices.Concat(namePasses, typePasses, settingPasses, structurePasses, transitionPasses, conditionPasses, coveragePasses,
		exhaustedPasses, cutShortPasses, flowPasses, usePasses,
		limitPasses, mediaPasses, madePasses, filePasses, bodyPasses, assertionPasses, toolPasses, evalPasses, promptPasses,
		processorPasses, serverPasses, textFilePasses, turnPasses,
		regionPasses, composePasses, nestedPasses, branchPasses, exclusivePasses, humanPasses, approvalPasses, callApprovalPasses,
		mutationPasses, subgraphPasses, idlePasses, depthPasses, tablePasses, privatePasses, conversationPasses,
		sayPasses, systemPasses, renamePasses, templatePasses, clientPasses, recordPasses, secretPasses, carryPasses, transactionPasses)
}

// passesOf returns the passes that judge a file: the passes of types, where it holds no graph.
func passesOf(s *spec.Graph) []Pass {
	if s.TypesOnly() {
		return slices.Concat(namePasses, typePasses, limitPasses, mediaPasses[:1], madePasses, filePasses, textFilePasses, renamePasses, templatePasses)
	}
	return Passes()
}

// Rules returns the docs of every pass, for graphgen explain, and the docs of Package.
func Rules() []diag.Rule {
	rules := diag.ReadRules(pages)
	for _, p := range Passes() {
		if p.large != nil {
			at := slices.IndexFunc(rules, func(r diag.Rule) bool { return r.Code == p.Code })
			rules[at].Large = p.large
		}
	}
	return diag.Complete(rules)
}

// Run judges one graph, whose uses have been linked, and returns what is wrong with it, in file order.
func Run(g *cfg.Graph) []diag.Diagnostic {
	s := g.Spec.Spec
	c := newContext(g)
	passes := passesOf(s)
	switch {
	case len(c.graph.TooDeep) > 0:
		passes = depthPasses // resolve has left out a part of the graph
	case s.Lost:
		passes = slices.Concat(filePasses[:len(filePasses)-1], templatePasses) // a part of the graph is not there
	}
	for _, p := range passes {
		c.pass = p
		p.run(c)
	}
	for _, at := range c.unknown { // before found is shortened
		slices.SortStableFunc(c.found[at].Related, func(a, b diag.Related) int {
			return a.Pos.Compare(b.Pos)
		})
	}
	c.found = append(c.found, c.misread()...)
	if s.Expanded {
		c.found = once(c.found)
	}
	if s.Go.Help != nil {
		for i := range c.found {
			c.found[i].Help = s.Go.Help(c.found[i].Help)
		}
	}
	return diag.Sort(c.found)
}

// A context is what a pass works on.
type context struct {
	spec  *spec.Graph
	graph *resolve.Graph
	cfg   *cfg.Graph

	conds     []condition              // the conditions; nil: no pass has used them
	gaps      map[*resolve.Node]*gap   // what the transitions of a node do not cover; nil: nothing
	meant     map[string]bool          // nodes that edges from unknown nodes may be of; nil: no pass has used them
	lines     []string                 // of the file; nil: no pass has used them
	loops     map[spec.Pos]bool        // the places of every loop_until; nil: no pass has used them
	flowing   *flowing                 // the data flow; nil: no pass has used it
	proved    []proof                  // the assertions; nil: no pass has used them
	exhausted *[]exhaustion            // the nodes that end runs when their edges are used up; nil: no pass has used them
	schemed   map[*resolve.Type]bool   // types that hold nothing without a JSON Schema, as far as passes have looked
	view      *modelView               // what models are shown in addition to reads; nil: no pass has used it
	steps     *explore.CostModel       // nil: no pass has used it
	stray     *bool                    // there are stray edges; nil: no pass has asked
	kinds     map[string][]string      // the kinds of node that have a key; nil: no pass has used them
	blurry    map[*resolve.Region]blur // of the regions that passes have asked for

	pass    Pass
	found   []diag.Diagnostic
	unknown map[string]int // where found reports a name that no node has
}

func newContext(g *cfg.Graph) *context {
	return &context{spec: g.Spec.Spec, graph: g.Spec, cfg: g, gaps: map[*resolve.Node]*gap{}, blurry: map[*resolve.Region]blur{}}
}

// leaving returns the transitions that are written at a node, unknown targets too, except the transition
// of a turn that calls tools.
func (c *context) leaving(n *resolve.Node) []*cfg.Transition {
	list := c.cfg.Node(n).Leaving
	if len(list) > 0 && list[0].Rule == cfg.ByToolLoop {
		return list[1:]
	}
	return list
}

// report adds a finding of the running pass.
func (c *context) report(pos spec.Pos, message, help string, related ...diag.Related) {
	c.add(diag.Error, pos, message, help, related)
}

// reportUnknown adds a finding about a name that no node has. Every other place of that name is
// a note of the first finding: a node that was renamed is one mistake.
func (c *context) reportUnknown(name spec.String, message, help string) {
	at, reported := c.unknown[name.V]
	if !reported {
		if c.unknown == nil {
			c.unknown = map[string]int{}
		}
		c.unknown[name.V] = len(c.found)
		c.report(name.Pos, message, help)
		return
	}
	if d := &c.found[at]; d.Pos != name.Pos && len(d.Related) < mostNotes {
		d.Related = append(d.Related, diag.Related{Pos: name.Pos, Message: "it is named here too"})
	}
}

// warn adds a finding that does not stop generation.
func (c *context) warn(pos spec.Pos, message, help string, related ...diag.Related) {
	c.add(diag.Warning, pos, message, help, related)
}

func (c *context) add(severity diag.Severity, pos spec.Pos, message, help string, related []diag.Related) {
	if !pos.IsSet() {
		pos = c.spec.Pos
	}
	if pos.File != "" {
		for i := range related {
			related[i].Pos.File = cmp.Or(related[i].Pos.File, c.spec.File)
		}
	}
	c.found = append(c.found, diag.Diagnostic{
		Code: c.pass.Code, Severity: severity, File: cmp.Or(pos.File, c.spec.File), Pos: pos,
		Message: message, Help: diag.Help(help), Related: related,
	})
}

// says returns a suggestion as the language of the graph writes it: in YAML or in a tag.
func (c *context) says(suggestion string) string {
	if write := c.spec.Go.Help; write != nil {
		return string(write(diag.Help(suggestion)))
	}
	return diag.Help(suggestion).String()
}

// The helps for a name that nothing has.
var (
	addNode  = "name one of the nodes, or add it " + diag.Either("under nodes", "to the struct")
	addField = "add it " + diag.Either("under state", "to the struct of the state")
)

// addFieldAs is a help for a name that no field of the state has, with its type.
func addFieldAs(name, typ string) string { return addField + ", as in " + diag.Declare(name, typ) }

// didYouMean returns a help line with the candidate nearest to a name, or with all of
// them where there are few.
func didYouMean(name string, candidates []string, otherwise string) string {
	if near, ok := diag.Suggest(name, candidates); ok {
		return diag.DidYouMean(near)
	}
	return otherwise
}

// nodeNames lists the names of possible targets.
func (c *context) nodeNames() []string {
	names := make([]string, 0, len(c.graph.Nodes)+1)
	for _, n := range c.graph.Nodes {
		names = append(names, n.Spec.Name.V)
	}
	return append(names, spec.End)
}

// written reports whether a name was written and could be read: what the reader could
// not read, it has reported.
func written(s spec.String) bool { return s.IsSet() && s.V != "" }

func quote(s string) string { return `"` + s + `"` }

func quoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, s := range names {
		out[i] = quote(s)
	}
	return out
}

// A suggester finds the names that unknown names resemble. It compares a limited number of names: in a
// file of nothing but unknown names, most have no suggestion.
type suggester struct {
	names    []string // the nodes, and end last
	compared int
}

const mostCompared = 500_000

// suggest returns the help for a name; orEnd: it could be end, too.
func (a *suggester) suggest(name string, orEnd bool, otherwise string) string {
	if a.compared += len(a.names); a.compared > mostCompared && a.compared > len(a.names) {
		return otherwise
	}
	if orEnd {
		return didYouMean(name, a.names, otherwise)
	}
	return didYouMean(name, a.names[:len(a.names)-1], otherwise)
}
