package draft

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// A flow is what the transitions of a draft lead to.
type flow struct {
	d     *Draft
	names []string
	next  map[string][]string // targets of the nodes that no other node runs; "" is the end
}

// flow returns the transitions between the nodes that no composite node runs.
func (d *Draft) flow() *flow {
	f := &flow{d: d, next: map[string][]string{}}
	for _, n := range d.Nodes {
		if n.Owner != "" {
			continue
		}
		f.names = append(f.names, n.Name.V)
		for _, l := range n.Leads {
			f.lead(n.Name.V, l.To)
		}
		for _, e := range d.Leaving(n.Name.V) {
			if e.To.V != "" { // else it is a branch table, whose targets are leads
				f.lead(n.Name.V, e.To.V)
			}
		}
		if d.Open(n) {
			f.lead(n.Name.V, End)
		}
	}
	return f
}

// Open reports whether a run may end at a node: it has no transitions, or none of them may be taken.
func (d *Draft) Open(n *Node) bool {
	if n.Sure {
		return false
	}
	on := map[string]bool{}
	for _, e := range d.Leaving(n.Name.V) {
		if !e.Conditional() && !e.Bounded() || e.Keys.Get("branch") != nil {
			return false
		}
		if word := e.Keys.Get("on"); word != nil && !e.Bounded() {
			on[word.Text] = true
		}
		if match := e.Keys.Get("on_output"); match != nil && !e.Bounded() && match.Items[1].Kind == yamlread.Bool {
			on[match.Items[0].Text+" "+strings.ToLower(match.Items[1].Text)] = true
			if on[match.Items[0].Text+" true"] && on[match.Items[0].Text+" false"] {
				return false
			}
		}
	}
	return !(on["tool_call"] && on["no_tool_call"])
}

func (f *flow) lead(from, to string) {
	if IsEnd(to) {
		to = ""
	}
	if !slices.Contains(f.next[from], to) {
		f.next[from] = append(f.next[from], to)
	}
}

// entry returns the name of the first node.
func (d *Draft) entry() string {
	if entry := d.Head.Get("entry"); entry != nil {
		return entry.Text
	}
	return ""
}

// from returns what can be reached from a node without passing another one; "" is the end. The node itself is
// among them where it is in a cycle.
func (f *flow) from(start, without string) map[string]bool {
	seen := map[string]bool{}
	todo := slices.Clone(f.next[start])
	if start == without {
		return seen
	}
	for len(todo) > 0 {
		name := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[name] || name == without {
			continue
		}
		seen[name] = true
		todo = append(todo, f.next[name]...)
	}
	return seen
}

// Before returns the nodes that may have run when a node runs, in the order of the draft. A node in a cycle is not
// among its own. What a region runs has run with its composite node.
func (d *Draft) Before() map[string][]*Node {
	f := d.flow()
	before := map[string][]*Node{}
	for _, n := range d.Nodes {
		if n.Owner != "" {
			continue
		}
		for to := range f.from(n.Name.V, "\x00") {
			if to != "" && to != n.Name.V {
				before[to] = append(before[to], n)
			}
		}
	}
	index := map[*Node]int{}
	for i, n := range d.Nodes {
		index[n] = i
	}
	for _, n := range d.Nodes {
		own := before[n.Name.V]
		if n.Owner != "" {
			own = append(slices.Clone(before[d.outermost(n).Name.V]), d.earlier(n)...)
		}
		slices.SortFunc(own, func(a, b *Node) int { return index[a] - index[b] })
		before[n.Name.V] = own
	}
	for name, own := range before {
		before[name] = d.withRegions(own)
	}
	return before
}

// withRegions returns nodes and what they run.
func (d *Draft) withRegions(nodes []*Node) []*Node {
	all := make([]*Node, 0, len(nodes))
	seen := make(map[*Node]bool, len(nodes))
	var add func(n *Node)
	add = func(n *Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		all = append(all, n)
		for _, r := range n.Regions {
			for _, c := range r.Nodes {
				add(c)
			}
		}
	}
	for _, n := range nodes {
		add(n)
	}
	return all
}

// outermost returns the node that runs a node and that no other one runs.
func (d *Draft) outermost(n *Node) *Node {
	for n.Owner != "" {
		n = d.Node(n.Owner)
	}
	return n
}

// earlier returns the nodes of the regions around a node that run before it.
func (d *Draft) earlier(n *Node) []*Node {
	var list []*Node
	for n.Owner != "" {
		owner := d.Node(n.Owner)
		for _, r := range owner.Regions {
			if at := slices.Index(r.Nodes, n); at > 0 {
				list = append(list, r.Nodes[:at]...)
			}
		}
		n = owner
	}
	return list
}

// settle makes the types of fields optional that may be absent where they are read.
func (d *Draft) settle() {
	f := d.flow()
	for _, field := range d.State {
		if field.Writer == "" || strings.HasPrefix(field.Type, "?") || field.Keys.Get("default") != nil || field.Keys.Get("merge") != nil {
			continue
		}
		if field.Absent || d.mayBeAbsent(f, field) {
			field.Type = "?" + field.Type
		}
	}
}

// mayBeAbsent reports whether a run reaches a reader of a field, or the end, without its writer.
func (d *Draft) mayBeAbsent(f *flow, field *Field) bool {
	writer := d.Node(field.Writer)
	if writer == nil {
		return true
	}
	owner := d.outermost(writer)
	entry := d.entry()
	reached := f.from(entry, owner.Name.V)
	if entry != owner.Name.V {
		reached[entry] = true
	}
	if slices.Contains(d.Output, field.Name) && reached[""] {
		return true
	}
	for _, n := range d.Nodes {
		if !slices.Contains(n.Reads, field.Name) {
			continue
		}
		reader := d.outermost(n)
		switch {
		case reader == owner:
			if !slices.Contains(d.withRegions(d.earlier(n)), writer) {
				return true
			}
		case reached[reader.Name.V]:
			return true
		}
	}
	return writer.Keys.Get("fail_soft") != nil || owner.Keys.Get("fail_soft") != nil || d.leftByFailure(owner)
}

// leftByFailure reports whether a node has a failure route.
func (d *Draft) leftByFailure(n *Node) bool {
	for _, e := range d.Leaving(n.Name.V) {
		if on := e.Keys.Get("on"); on != nil && on.Text == "error" {
			return true
		}
	}
	t := n.Keys.Get("transitions")
	return t != nil && t.Get("error") != nil
}

// Ends returns the nodes after which a run may end.
func (d *Draft) Ends() []*Node {
	f := d.flow()
	reached := f.from(d.entry(), "\x00")
	reached[d.entry()] = true
	var ends []*Node
	for _, n := range d.Nodes {
		if n.Owner == "" && reached[n.Name.V] && slices.Contains(f.next[n.Name.V], "") {
			ends = append(ends, n)
		}
	}
	return d.withRegions(ends)
}

// Prune removes the fields that nothing reads, and that are no input or output. It returns them.
func (d *Draft) Prune() []*Field {
	read := map[string]bool{}
	for _, n := range d.Nodes {
		for _, r := range n.Reads {
			read[r] = true
		}
		for _, key := range []string{"in", "over", "args"} {
			if t := n.Keys.Get(key); t != nil {
				for i := range t.Items {
					read[t.Items[i].Text] = true
				}
			}
		}
	}
	var pruned []*Field
	d.State = slices.DeleteFunc(d.State, func(f *Field) bool {
		kept := read[f.Name] || slices.Contains(d.Input, f.Name) || slices.Contains(d.Output, f.Name) || f.Keys.Get("default") != nil
		if !kept {
			pruned = append(pruned, f)
		}
		return !kept
	})
	for _, n := range d.Nodes {
		n.Writes = slices.DeleteFunc(n.Writes, func(w string) bool { return d.Field(w) == nil })
	}
	return pruned
}
