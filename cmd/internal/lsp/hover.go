package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

type hovered struct {
	Contents markup `json:"contents"`
	Range    Range  `json:"range"`
}

// hover returns the doc of what is at a place: of a key, of a word, or what is known of a node, a field, a tool or a type.
func hover(_ context.Context, s *Server, p *positionParams) (any, error) {
	d, err := s.document(p.TextDocument)
	if err != nil || !d.isSpec() {
		return nil, err
	}
	r, offset := d.outline(), d.text.offset(p.Position)
	if o, found := r.under(offset); found {
		if text := s.describe(d, r, o); text != "" {
			return hovered{markup{"markdown", text}, d.text.span(o.at, o.end)}, nil
		}
	}
	i := r.at(offset)
	switch {
	case i < 0:
	case r.keys[i] != nil && r.entries[i].onKey(offset):
		k := r.keys[i]
		return hovered{markup{"markdown", fmt.Sprintf("**%s** (%s)\n\n%s", k.Name, detail(k), keyDoc(k))},
			d.text.span(r.entries[i].keyAt, r.entries[i].key2)}, nil
	case r.entries[i].inScalar(offset):
		word := decode(r.entries[i].scalar(r.text))
		for _, w := range r.slots[i].words {
			if w.Name == word {
				return hovered{markup{"markdown", fmt.Sprintf("**%s**: %s", w.Name, w.Doc)}, d.text.span(r.entries[i].at, r.entries[i].end)}, nil
			}
		}
	}
	return nil, nil
}

// describe returns what is known of a symbol.
func (s *Server) describe(d *document, r *read, o occurrence) string {
	var b strings.Builder
	at := r.declaration(o.symbol)
	if at < 0 {
		return ""
	}
	fmt.Fprintf(&b, "**%s** (%s)", o.name, o.of)
	if about := r.about(at); about != "" && o.of != ofEnd {
		fmt.Fprintf(&b, " `%s`", about)
	}
	b.WriteString("\n\n")
	if doc := r.docOf(at); doc != "" {
		b.WriteString(doc + "\n\n")
	}
	if flow := d.flow(); flow != nil {
		switch o.of {
		case ofNode:
			describeNode(&b, d, flow, o.name)
		case ofField:
			describeField(&b, flow, o.name)
		case ofEnd:
			describeEnd(&b, flow, o.name)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// describeEnd writes which nodes lead to an end that has a name.
func describeEnd(b *strings.Builder, flow *cfg.Graph, name string) {
	var from []string
	for _, t := range flow.Transitions {
		if t.End == name && t.From != nil && !slices.Contains(from, "`"+t.From.Name()+"`") {
			from = append(from, "`"+t.From.Name()+"`")
		}
	}
	b.WriteString("An end of the graph: the `Ending` of the report of a run that reaches it.\n\n")
	if len(from) > 0 {
		fmt.Fprintf(b, "- from %s\n", strings.Join(from, ", "))
	}
}

// describeNode writes what a node reads and writes, and how often a run visits it at most.
func describeNode(b *strings.Builder, d *document, flow *cfg.Graph, name string) {
	n := flow.Spec.Node(name)
	if n == nil {
		return
	}
	if n.TakesState {
		b.WriteString("- reads the whole state\n")
	} else if len(n.Reads) > 0 {
		fmt.Fprintf(b, "- reads %s\n", fieldNames(n.Reads))
	}
	var to []*resolve.Field
	for _, w := range n.Writes {
		if w.To != nil && !slices.Contains(to, w.To) {
			to = append(to, w.To)
		}
	}
	if len(to) > 0 {
		fmt.Fprintf(b, "- writes %s\n", fieldNames(to))
	}
	if n.Handled() {
		fmt.Fprintf(b, "- is the method `%s` of the handlers\n", n.GoName)
	}
	if len(n.Regions) > 0 || n.Parent != nil || diag.HasErrors(d.good.Found) {
		return
	}
	if found := d.bounds(); found != nil {
		if e := found.Graph.Named(name); e != nil {
			if visits := found.Visits[e.Index]; visits.ByAnswers {
				b.WriteString("- is visited as often as people answer\n")
			} else {
				fmt.Fprintf(b, "- is visited at most %s in a run\n", times(visits.Most))
			}
		}
	}
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

func fieldNames(list []*resolve.Field) string {
	var names []string
	for _, f := range list {
		names = append(names, "`"+f.Name+"`")
	}
	return strings.Join(names, ", ")
}

// bounds returns the bounds of the graph of a document. They are computed once for each check.
func (d *document) bounds() *bounds.Bounds {
	if d.bound == nil || d.boundOf != d.good {
		d.bound, d.boundOf = bounds.Of(d.flow()), d.good
	}
	return d.bound
}

// mostWriters is how many nodes that write a field are shown.
const mostWriters = 8

// describeField writes which nodes write a field, each with a shortest path from the entry that it is written on.
func describeField(b *strings.Builder, flow *cfg.Graph, name string) {
	if slices.ContainsFunc(flow.Spec.Input.Fields, func(f *resolve.Field) bool { return f.Name == name }) {
		b.WriteString("- is given by the caller\n")
	}
	var writers []*cfg.Node
	for _, n := range flow.Nodes {
		if slices.ContainsFunc(n.Spec.Writes, func(w resolve.Write) bool { return w.To != nil && w.To.Name == name }) {
			writers = append(writers, n)
		}
	}
	if len(writers) == 0 {
		b.WriteString("- no node writes it\n")
		return
	}
	paths := pathsFrom(flow)
	for i, n := range writers {
		if i == mostWriters {
			fmt.Fprintf(b, "- and %d more nodes write it\n", len(writers)-i)
			return
		}
		at := n
		for at.Region != nil {
			at = at.Region.Parent
		}
		path, reached := paths[at]
		if !reached {
			fmt.Fprintf(b, "- is written by `%s`, which no path reaches\n", n.Name())
			continue
		}
		fmt.Fprintf(b, "- is written by `%s`, first on the path %s\n", n.Name(), path)
	}
}

// pathsFrom returns a shortest path from the entry to each node that is reached.
func pathsFrom(flow *cfg.Graph) map[*cfg.Node]string {
	paths := map[*cfg.Node]string{}
	if flow.Entry == nil || flow.Entry.To == nil {
		return paths
	}
	paths[flow.Entry.To] = flow.Entry.To.Name()
	for todo := []*cfg.Node{flow.Entry.To}; len(todo) > 0; todo = todo[1:] {
		for _, t := range append(slices.Clone(todo[0].Leaving), flow.OnError) {
			if t == nil || t.To == nil {
				continue
			}
			if _, known := paths[t.To]; !known {
				paths[t.To] = paths[todo[0]] + " → " + t.To.Name()
				todo = append(todo, t.To)
			}
		}
	}
	return paths
}
