package lsp

import (
	"context"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/expr"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// fieldsOfOutputs adds the edits of the fields of outputs that are written to a state field by its name: these get the new name, too, where
// they are declared, in expressions, and in edges that look at them.
func (s *Server) fieldsOfOutputs(ctx context.Context, t target, name string, edits map[string][]edit) {
	g, own := s.graph(ctx, t.abs), s.file(t.abs)
	if g == nil || own == nil || own.read == nil {
		return
	}
	var types []*resolve.Type
	for _, n := range g.All() {
		for _, w := range n.Writes {
			if ofSameName(w, t.name) && n.Out != nil {
				types = append(types, n.Out)
				s.declarationOf(own, n, t.name, func(f *file, e *entry) {
					edits[f.abs] = append(edits[f.abs], edit{e.keyAt, e.key2, name})
				})
			}
		}
	}
	if len(types) == 0 {
		return
	}
	r := own.read
	var named []string
	for _, n := range g.All() {
		if slices.Contains(types, n.Out) {
			named = append(named, n.Spec.Name.V)
		}
	}
	for i := range r.entries {
		at := r.nodeOf(i)
		if at < 0 || !slices.Contains(named, decode(r.entries[at].keyText(r.text))) {
			continue
		}
		edits[own.abs] = append(edits[own.abs], r.looksAt(i, t.name, name)...)
	}
}

// looksAt returns the edits of an entry that looks at a field of an output.
func (r *read) looksAt(i int, field, name string) (list []edit) {
	e, s := &r.entries[i], &r.slots[i]
	switch {
	case s.code && e.style.isScalar():
		text, places := e.scalar(r.text).decode()
		lead := len(text) - len(strings.TrimLeft(text, " \t\r\n"))
		goName := goname.Exported(field)
		for _, f := range expr.Read(spec.String{V: strings.TrimSpace(text)}).Uses().Out {
			if end := lead + f.Offset + f.Width; f.GoName == goName && end < len(places) {
				list = append(list, edit{places[end-len(goName)], places[end], goname.Exported(name)})
			}
		}
	case e.style.isScalar() && (e.key == "by" || e.key == "on_output") && decode(e.scalar(r.text)) == field:
		list = append(list, edit{e.at, e.end, name})
	case e.parent >= 0 && e.key == field && (r.entries[e.parent].key == "on_output" || r.entries[e.parent].key == "transitions" && field != "error"):
		list = append(list, edit{e.keyAt, e.key2, name})
	}
	return list
}

// declarationOf finds where a field of the output of a node is declared: in the node, or in the type that it names.
func (s *Server) declarationOf(own *file, n *resolve.Node, field string, found func(*file, *entry)) {
	f := own
	node := f.read.declaration(symbol{ofNode, n.Spec.Name.V})
	if node < 0 {
		return
	}
	at := f.read.child(node, "output")
	if at >= 0 && f.read.entries[at].style.isScalar() {
		use, name, qualified := strings.Cut(strings.TrimLeft(f.read.nameAt(at), "?"), ".")
		if !qualified {
			name = use
		} else if f = s.declaring(s.uses(f)[use], symbol{ofType, name}); f == nil {
			return
		}
		at = f.read.declaration(symbol{ofType, name})
	}
	if at < 0 {
		return
	}
	if fields := f.read.child(at, "struct"); fields >= 0 {
		at = fields
	}
	if i := f.read.child(at, field); i >= 0 {
		found(f, &f.read.entries[i])
	}
}

// declaring returns the file that declares a symbol, nil without one.
func (s *Server) declaring(files []string, of symbol) *file {
	for _, path := range files {
		if f := s.file(path); f != nil && f.read != nil && f.read.declaration(of) >= 0 {
			return f
		}
	}
	return nil
}
