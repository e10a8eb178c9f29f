package check

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/assertion"
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// assertionPasses read and prove what a spec asserts.
var assertionPasses = []Pass{
	{Code: "GG110", run: assertionForms},
	{Code: "GG111", run: assertionNames},
	{Code: "GG112", run: assertionProofs(assertion.Fails)},
	{Code: "GG113", run: assertionProofs(assertion.Vacuous)},
	{Code: "GG114", run: assertionProofs(assertion.Open)},
}

func assertionForms(c *context) {
	for _, a := range c.spec.Assertions {
		if !written(a.That) {
			continue
		}
		if _, wrong := assertion.Parse(a.That); wrong != nil {
			c.report(wrong.Pos, wrong.Message, wrong.Help)
		}
	}
}

// asserted lists the assertions that are of a form, by their number.
func (c *context) asserted() []*assertion.Assertion {
	var out []*assertion.Assertion
	for _, a := range c.spec.Assertions {
		var read *assertion.Assertion
		if written(a.That) {
			read, _ = assertion.Parse(a.That)
		}
		out = append(out, read)
	}
	return out
}

func assertionNames(c *context) {
	if c.spec.Unread && len(c.graph.Nodes) == 0 {
		return
	}
	for _, a := range c.asserted() {
		if a == nil {
			continue
		}
		for i, name := range a.Names {
			switch {
			case spec.IsEnd(name.V) && !a.Kind.MayEnd(i):
				c.report(name.Pos, "end is not a node that runs", "name a node; in \"every path to end passes X\" it may be first")
			case spec.IsEnd(name.V):
			case c.namesTool(a, i) && c.graph.Node(name.V) == nil:
			case c.spec.NamesEnd(name.V) && !a.Kind.MayEnd(i):
				c.report(name.Pos, quote(name.V)+" is an end, not a node that runs", "name a node; in \"every path to "+name.V+" passes X\" it may be first")
			case c.spec.NamesEnd(name.V):
			case c.graph.Node(name.V) != nil:
				if n := c.graph.Node(name.V); n.Template {
					c.report(name.Pos, "node "+quote(name.V)+" is a template: no run reaches it",
						"name a node that runs; what mutations add has names of its own")
				} else if parent := outermost(n); parent.Template {
					c.report(name.Pos, "node "+quote(name.V)+" is run by the template "+quote(parent.Spec.Name.V)+": no run reaches it",
						"name a node that runs; what mutations add has names of its own")
				}
			case name.V == approvalName && i == 1 && a.Kind == assertion.Passes && c.graph.Node(a.Names[0].V) == nil && !c.isEnd(a.Names[0].V):
				// the tool is reported
			case c.isInjected(name.V):
				c.reportUnknown(name, quote(name.V)+" is not a node, but a tool that is known at run time alone",
					"of such a tool only \"every path to "+name.V+" passes Y\" is proved, where Y is a node, or the word approval")
			default:
				names := c.names()
				if a.Kind.MayEnd(i) {
					if c.mayBeEnd(name.V) {
						continue
					}
					names = append(c.nodeNames(), c.endNames()...)
				}
				c.reportUnknown(name, "there is no node "+quote(name.V), didYouMean(name.V, names, "the nodes are "+strings.Join(short(names), ", ")))
			}
		}
	}
}

// isEnd reports whether a name is end, or that of an end of the graph.
func (c *context) isEnd(name string) bool { return spec.IsEnd(name) || c.spec.NamesEnd(name) }

// short cuts a long list of names.
func short(names []string) []string {
	if len(names) > 10 {
		return append(slices.Clone(names[:10]), "…")
	}
	return names
}

// mistaken reports whether something else than an assertion is wrong. What runs do is then not
// known: an assertion that failed might fail for that.
func (c *context) mistaken() bool {
	return c.spec.Flawed || slices.ContainsFunc(c.found, func(d diag.Diagnostic) bool {
		return d.Severity == diag.Error && !slices.Contains(assertionCodes, d.Code)
	})
}

// assertionCodes are the codes of assertions that cannot be read; the others are proved.
var assertionCodes = []string{"GG110", "GG111"}

// proofs proves the assertions that can be judged, once.
func (c *context) proofs() []proof {
	if c.proved != nil || len(c.spec.Assertions) == 0 {
		return c.proved
	}
	c.proved = []proof{}
	if c.mistaken() {
		return c.proved
	}
	seen, certain := c.reachable()
	prove := func(*assertion.Assertion) assertion.Verdict {
		return assertion.Verdict{Result: assertion.Open,
			Doubt: &assertion.Doubt{Why: "it is not known where the transitions of the graph lead", Help: "fix the other findings first"}}
	}
	if certain && c.cfg.Entry != nil {
		prove = c.prover(seen).Prove
	}
	for i, a := range c.asserted() {
		if a != nil && c.aboutTool(a) && (c.graph.Node(a.Names[1].V) != nil || c.namesTool(a, 1)) {
			c.proved = append(c.proved, proof{of: a, doc: c.spec.Assertions[i].Doc, Verdict: c.proveCalls(a, prove)})
			continue
		}
		if a == nil || c.cfg.Entry != nil && slices.ContainsFunc(a.Names, func(name spec.String) bool {
			return !c.isEnd(name.V) && c.cfg.Named(name.V) == nil // it has a finding of its own
		}) {
			continue
		}
		if slices.ContainsFunc(indexes(a.Names), func(k int) bool { return c.isEnd(a.Names[k].V) && !a.Kind.MayEnd(k) }) {
			continue
		}
		p := proof{of: a, doc: c.spec.Assertions[i].Doc}
		if name, same := a.Same(); same {
			p.Result, p.same = assertion.Vacuous, name
		} else {
			p.Verdict = prove(a)
		}
		c.proved = append(c.proved, p)
	}
	return c.proved
}

// prover returns the prover of the graph. Its nodes are those that runs reach.
func (c *context) prover(seen map[*resolve.Node]bool) *assertion.Prover {
	if c.graph.Mutations == nil || !slices.ContainsFunc(c.graph.Nodes, func(n *resolve.Node) bool { return c.graph.Mutates(n) }) {
		return assertion.NewProver(c.cfg)
	}
	m := c.graph.Mutations
	return assertion.NewMutable(c.cfg, assertion.Changes{Adds: c.mutationsLead(seen), Removes: m.Allows("remove_edge") || m.Allows("remove_node")})
}

func indexes[T any](list []T) []int {
	out := make([]int, len(list))
	for i := range out {
		out[i] = i
	}
	return out
}

// A proof is what is known of an assertion.
type proof struct {
	assertion.Verdict
	of   *assertion.Assertion
	doc  spec.String
	same spec.String // a name that is twice where it must not be
}

// assertionProofs is the pass that reports the assertions with one result.
func assertionProofs(result assertion.Result) func(*context) {
	return func(c *context) {
		for _, p := range c.proofs() {
			if p.Result == result {
				pos, message, help := p.finding()
				notes := stepNotes(p.Path)
				if p.doc.IsSet() {
					notes = append(notes, diag.Related{Pos: p.doc.Pos, Message: "it is asserted because: " + p.doc.V})
				}
				c.report(pos, message, help, notes...)
			}
		}
	}
}

// finding returns the words of a finding.
func (p *proof) finding() (pos spec.Pos, message, help string) {
	name := func(i int) string { return quote(p.of.Names[i].V) }
	path := ""
	if len(p.Path) > 0 {
		path = ": " + pathText(p.Path)
	}
	if p.Result == assertion.Vacuous {
		if p.same.IsSet() {
			return p.same.Pos, "the assertion is trivial: each such path begins or ends with " + quote(p.same.V), "name another node"
		}
		if p.of.Kind == assertion.Without {
			return p.of.Text.Pos, "the assertion is trivial: no run gets from " + name(0) + " to " + name(1), diag.Remove("remove it") + ", or name other nodes"
		}
		return p.of.Text.Pos, "the assertion is trivial: no run reaches " + name(0), diag.Remove("remove it") + ", or name another node"
	}
	open := p.Result == assertion.Open
	if p.Doubt != nil {
		return p.of.Text.Pos,
			"it cannot be decided whether " + quote(strings.Join(strings.Fields(p.of.Text.V), " ")) + " holds: " + p.Doubt.Why + path, p.Doubt.Help
	}
	switch p.of.Kind {
	case assertion.Passes:
		message, help = "a path leads to "+name(0)+" and does not pass "+name(1), "let every path to "+name(0)+" lead through "+name(1)
	case assertion.Without:
		message, help = "a path leads from "+name(0)+" to "+name(1)+" without "+name(2), "let every path from "+name(0)+" to "+name(1)+" lead through "+name(2)
	case assertion.Reachable:
		message, help = "no run reaches "+name(0), "add a transition to it, or raise a bound before it"
		if open {
			message = "no run was found that reaches " + name(0)
		}
	case assertion.AtMost:
		message = name(0) + " can run " + times(p.of.Most+1)
		help = "a run visits it at most " + times(p.Most)
		if p.ByAnswers {
			help = "a run visits it as often as people answer"
		}
		help += "; bound an edge to it by max_iterations, or the node by max_visits"
		if open && p.ByAnswers {
			return p.of.Text.Pos, "it is not known whether " + message, help
		}
		if open {
			return p.of.Text.Pos, "it is not known whether " + name(0) + " can run more than " + times(p.of.Most),
				"a bound that can be proved is " + quote(p.of.Names[0].V+" runs at most "+times(p.Most))
		}
	}
	if open {
		return p.of.Text.Pos, "it is not known whether " + message + path, "too many bounds count together: assert something that fewer of them decide"
	}
	return p.of.Text.Pos, message + path, help
}

// times writes a number of visits as an assertion does.
func times(n int) string {
	if n == 1 {
		return "1 time"
	}
	return strconv.Itoa(n) + " times"
}

// pathText writes the nodes of a path.
func pathText(path []assertion.Step) string {
	names := make([]string, 0, len(path)+1)
	for i, s := range path {
		switch {
		case s.Node != nil:
			names = append(names, s.Node.Name())
			for _, child := range s.Regions {
				names = append(names, child.Node.Name())
			}
		case i > 0:
			end := spec.End
			if by := path[i-1].Transition; by != nil {
				end = cmp.Or(by.End, end)
			}
			names = append(names, end)
		}
	}
	if len(names) <= 12 {
		return strings.Join(names, " → ")
	}
	return bounds.Compressed(names)
}

// stepNotes returns how a path leaves its nodes, each transition once.
func stepNotes(path []assertion.Step) []diag.Related {
	var notes []diag.Related
	reported := map[*cfg.Transition]bool{}
	for i, s := range path {
		switch {
		case s.Node == nil || len(notes) == mostNotes:
		case s.Transition == nil && i == len(path)-2 && path[i+1].Node == nil:
			notes = append(notes, diag.Related{Pos: s.Node.Pos(), Message: stepText(s)})
		case s.Transition != nil && !reported[s.Transition]:
			reported[s.Transition] = true
			notes = append(notes, diag.Related{Pos: s.Transition.Pos, Message: stepText(s)})
		}
	}
	return notes
}

func stepText(s assertion.Step) string {
	text := quote(s.Node.Name())
	if s.Outcome != cfg.Succeeded {
		text += " " + s.Outcome.Verb() + ", and"
	}
	switch {
	case s.Transition == nil:
		return text + " ends the run"
	case s.Transition.Rule == cfg.ByToolLoop:
		return text + " is asked again"
	}
	to := "end"
	switch {
	case s.Transition.To != nil:
		to = quote(s.Transition.To.Name())
	case s.Transition.End != "":
		to = quote(s.Transition.End)
	}
	text += " leads to " + to
	condition := s.Transition.Text()
	if condition == "" {
		condition = s.Transition.Rule.String() + " without condition"
	}
	text += " by " + strings.Join(strings.Fields(condition), " ")
	for _, n := range s.UsedUp {
		text += ", past " + quote(n.Name()) + ", whose visits are used up"
	}
	return text
}
