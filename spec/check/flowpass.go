package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/resolve"
)

// flowPasses follow the fields of the state along every path that a run can take.
var flowPasses = []Pass{
	{run: unassignedIn(inNode), Rule: diag.Rule{
		Code: "GG100", Name: "unassigned-read",
		Doc: "A node reads a field of the state that on some path to it nothing has written. Every path counts: loops, failures and their ways, refused outputs, skipped nodes, used up visits. " +
			"Only a success commits what a node writes. A field is assigned from the start when it is in input, is optional, has a default, or has a merge rule other than last. " +
			"A node that takes the whole state may write anything, so after it every field counts as written. Reads behind one that is told of are not told of again.",
		Bad:  "graph: g\nentry: draft\nstate: {text: string, issues: string}\noutput: text\nnodes:\n  draft: {reads: issues, writes: text, next: critic}\n  critic: {reads: text, writes: issues}\nedges:\n  - {from: critic, to: draft, max_iterations: 2}\n",
		Good: "graph: g\nentry: draft\nstate: {text: string, issues: \"?string\"}\noutput: text\nnodes:\n  draft: {reads: issues, writes: text, next: critic}\n  critic: {reads: text, writes: issues}\nedges:\n  - {from: critic, to: draft, max_iterations: 2}\n",
	}},
	{run: unassignedIn(inCondition), Rule: diag.Rule{
		Code: "GG101", Name: "unassigned-condition",
		Doc:  "A condition looks at a field of the state that on some path to it nothing has written.",
		Bad:  "graph: g\nentry: a\nstate: {n: int}\nnodes:\n  a: {reads: []}\n  b: {writes: n}\nedges:\n  - {from: a, to: b, if: state.N < 3}\n  - {from: a, to: end}\n  - {from: b, to: a, max_iterations: 2}\n",
		Good: "graph: g\nentry: b\nstate: {n: int}\nnodes:\n  a: {reads: []}\n  b: {writes: n}\nedges:\n  - {from: a, to: b, if: state.N < 3}\n  - {from: a, to: end}\n  - {from: b, to: a, max_iterations: 2}\n",
	}},
	{run: unassignedIn(inOutput), Rule: diag.Rule{
		Code: "GG102", Name: "unassigned-output",
		Doc:  "A run can end without a field of the output: on some path to an end nothing has written it. Ends are ways to end, nodes without a way on, bounded edges that are used up, and no_match: end; a run that fails has no output, and on_max_steps: last and flag say that the output is what there is.",
		Bad:  "graph: g\nentry: a\nstate: {reply: string}\noutput: reply\nnodes:\n  a: {reads: []}\n  b: {writes: reply}\nedges:\n  - {from: a, branch: {talk: b, bye: end}}\n",
		Good: "graph: g\nentry: a\nstate: {reply: \"?string\"}\noutput: reply\nnodes:\n  a: {reads: []}\n  b: {writes: reply}\nedges:\n  - {from: a, branch: {talk: b, bye: end}}\n",
	}},
}

// unassignedIn is the pass that reports what looks at fields that may hold nothing.
func unassignedIn(where looks) func(*context) {
	return func(c *context) {
		f := c.dataFlow()
		if f == nil {
			return
		}
		gaps := f.gaps()
		lost := f.lostJoins()
		for i := range gaps {
			u := &gaps[i]
			if u.looks == where && !slices.ContainsFunc(lost, func(l lostJoin) bool { return slices.Contains(l.gaps, i) }) && f.besideOnly(u) == nil {
				f.report(u)
			}
		}
	}
}

// gaps returns what looks at fields that may hold nothing.
func (f *flow) gaps() []unassigned {
	shared := f.c.flowing
	if !shared.known {
		shared.gaps, shared.known = f.unassigned(), true
	}
	return shared.gaps
}

func (f *flow) report(u *unassigned) {
	name := quote(f.fields[u.field].Name)
	message := ""
	switch u.looks {
	case inNode:
		message = "node " + quote(u.node.Spec.Name.V) + " reads " + name + ", which " + f.story(u)
		if u.until {
			message = "until of loop " + quote(u.node.Spec.Name.V) + " looks at " + name + ", which " + f.story(u)
		}
	case inCondition:
		message = "the condition looks at field " + name + " of the state, which " + f.story(u)
	case inOutput:
		message = "a run can end without output " + name + ", which " + f.story(u)
		if u.every {
			message = "a run never has output " + name + ", which " + f.story(u)
		}
	}
	f.c.report(f.place(u), message, f.remedy(u), f.writers(u)...)
}

// place returns where the spec says what looks at a field.
func (f *flow) place(u *unassigned) spec.Pos {
	field := f.fields[u.field]
	switch u.looks {
	case inCondition:
		return f.c.within(u.cond.Spec.If, lookingAt(f.c.cfg.If(u.cond), field))
	case inOutput:
		return named(f.c.spec.Output, field.Name)
	}
	if u.until {
		until := f.c.until(u.node)
		return f.c.within(until.Written, lookingAt(until, field))
	}
	return readAt(u.node, field)
}

// readAt returns the place where a node says that it reads a field.
func readAt(n *resolve.Node, field *resolve.Field) spec.Pos {
	if pos := named(n.Spec.Reads, field.Name); pos.IsSet() {
		return pos
	}
	for _, a := range n.Args {
		if a.From == field {
			return a.Spec.Field.Pos
		}
	}
	for _, a := range n.Spec.In {
		if a.Field.V == field.Name {
			return a.Field.Pos
		}
	}
	if n.Over == field {
		return n.Spec.Over.Pos
	}
	for _, e := range n.Evals {
		if pos := e.Spec.If.Pos; strings.Contains(e.Spec.If.V, "state."+field.GoName) {
			return pos
		}
	}
	texts := [][]resolve.Piece{n.Instructions}
	for _, b := range n.Blocks {
		texts = append(texts, b.Pieces)
	}
	for _, p := range slices.Concat(texts...) {
		if p.Field == field {
			return p.Pos
		}
	}
	return spec.Pos{}
}

// named returns the place of a name in a list.
func named(list []spec.String, name string) spec.Pos {
	for _, s := range list {
		if s.V == name {
			return s.Pos
		}
	}
	return spec.Pos{}
}

// lookingAt returns where a condition first looks at a field of the state.
func lookingAt(x *expr.Expr, field *resolve.Field) expr.Span {
	for _, used := range x.Uses().State {
		if used.GoName == field.GoName {
			return used.Span
		}
	}
	return expr.Span{}
}

// story says on which path nothing has written a field.
func (f *flow) story(u *unassigned) string {
	switch {
	case u.path == nil:
		return "on some path nothing has written"
	case u.never:
		return "nothing writes"
	case len(u.path) == 1 && u.inner() == "":
		return "nothing has written when the run begins there"
	case u.every && u.looks != inOutput:
		return "nothing has written on any path there, such as " + f.words(u.path) + u.inner()
	}
	return "nothing has written on the path " + f.words(u.path) + u.inner()
}

// inner is the end of a path that leads into a node which runs others.
func (u *unassigned) inner() string {
	if u.node == nil {
		return ""
	}
	text := ""
	for n := u.node; n.Host != nil; n = n.Host {
		text = " → " + n.Spec.Name.V + text
	}
	return text
}

// outcomes that a path tells of behind the node.
var remarks = [...]string{
	failsSoftly: " (fails)", fails: " (fails)", refused: " (refused)", usedUp: " (visits used up)", isSkipped: " (skipped)",
	callsTools: " (calls tools)", isDenied: " (denied)", isLate: " (late)",
}

// words is a path as a person reads it.
func (f *flow) words(path []hop) string {
	var b strings.Builder
	for i, h := range path {
		if i > 0 {
			b.WriteString(" → ")
		}
		if h.cut {
			b.WriteString("… → ")
		}
		if h.point == theEnd {
			b.WriteString(spec.End)
			continue
		}
		b.WriteString(f.points[h.point].node.Spec.Name.V)
		if i == len(path)-1 {
			break // how it comes out does not matter
		}
		if h.late && h.ending != usedUp {
			b.WriteString(" (edges used up)")
		} else {
			b.WriteString(remarks[h.ending])
		}
	}
	return b.String()
}

// writers points at the nodes that write a field, and says why that does not help those
// that are on the path.
func (f *flow) writers(u *unassigned) []diag.Related {
	on := map[*resolve.Node]ending{}
	for _, h := range u.path {
		if h.point != theEnd {
			on[f.points[h.point].node] = h.ending
		}
	}
	var notes []diag.Related
	for _, w := range f.written(u.field) {
		text := "node " + quote(w.node.Spec.Name.V) + " writes it"
		host := w.node
		for host.Host != nil {
			host = host.Host
		}
		switch e, ok := on[host]; {
		case !ok:
		case u.node != nil && u.node.Within(host):
			text += besides(w.node, u.node)
		case e == succeeds && host != w.node:
			text += notAlways(w.node)
		default:
			text += vain[e]
		}
		notes = append(notes, diag.Related{Pos: w.pos, Message: text})
	}
	return notes
}

// besides says why it does not help a node that another which the same node runs writes a
// field.
func besides(writer, reader *resolve.Node) string {
	if host := beside(writer, reader); host != nil {
		return ", beside it: each branch of " + quote(host.Spec.Name.V) + " works on a copy of the state"
	}
	if why := notAlways(writer); why != vain[succeeds] {
		return why
	}
	return vain[succeeds]
}

// beside returns the parallel of which two nodes are in different branches, nil if there is
// none.
func beside(a, b *resolve.Node) *resolve.Node {
	for at := a; at.Host != nil; at = at.Host {
		for other := b; other.Host != nil; other = other.Host {
			if at.Host == other.Host {
				if at.Region != other.Region && at.Host.Kind.Branches() {
					return at.Host
				}
				return nil
			}
		}
	}
	return nil
}

// notAlways says why the success of a node may be without what a node writes that it runs.
func notAlways(writer *resolve.Node) string {
	for n := writer; n.Host != nil; n = n.Host {
		join := n.Host.Spec.Join.V
		switch {
		case n.Spec.FailSoft.V:
			return vain[failsSoftly]
		case n.Has(spec.SkipOnError):
			return vain[isSkipped]
		case n.Host.Kind.Each:
			return ", but not when the list is empty"
		case n.Host.Kind.Picks():
			return ", but the model need not pick it"
		case n.Host.Kind.Branches() && (join == "first" || join == "settled"):
			return ", but its branch need not be one that succeeds"
		}
	}
	return vain[succeeds]
}

// A writtenAt is a place where a node writes a field.
type writtenAt struct {
	node *resolve.Node
	pos  spec.Pos
}

// written lists the first places where nodes write a field.
func (f *flow) written(field int) []writtenAt {
	if f.writes == nil {
		f.writes = make([][]writtenAt, len(f.fields))
		for _, n := range f.c.graph.All() {
			if n.Kind.Composite() {
				continue // what it runs does
			}
			for _, w := range n.Writes {
				if list := &f.writes[f.number[w.To]]; len(*list) < mostNotes {
					*list = append(*list, writtenAt{n, w.Name.Pos})
				}
			}
		}
	}
	return f.writes[field]
}

// vain says why a node on the path has not written the field.
var vain = [...]string{
	succeeds:    ", but later",
	failsSoftly: ", but not when it fails",
	fails:       ", but not when it fails",
	refused:     ", but not when its guards refuse the output",
	usedUp:      ", but not when its visits are used up",
	isSkipped:   ", but not when it is skipped",
	callsTools:  ", but not when it calls tools",
	isDenied:    ", but not when the person says no",
	isLate:      ", but not when the answer is late",
}

// remedy says what can be done about it.
func (f *flow) remedy(u *unassigned) string {
	field := f.fields[u.field]
	ways := []string{"list it in input"}
	if !u.never {
		ways = []string{"write it on every path there", "list it in input"}
	}
	optional := "make it optional"
	if t := field.Type; t.Kind != resolve.Enum && t.Kind != resolve.Struct || t.Name != "" {
		optional += ", as \"?" + t.String() + "\""
	}
	switch field.Type.Kind {
	case resolve.List:
		ways = append(ways, optional, "or give it merge: append")
	case resolve.Map:
		ways = append(ways, optional, "or give it merge: union")
	case resolve.Struct, resolve.Union, resolve.External, resolve.Any:
		ways = append(ways, "or "+optional)
	default:
		ways = append(ways, optional, "or give it a default")
	}
	return strings.Join(ways, ", ")
}
