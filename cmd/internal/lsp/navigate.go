package lsp

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
)

// at returns the file of a document, and the byte of a position in it.
func (s *Server) at(p *positionParams) (*file, int, error) {
	d, err := s.document(p.TextDocument)
	if err != nil {
		return nil, 0, err
	}
	return s.file(d.abs), d.text.offset(p.Position), nil
}

// occurrenceAt returns what a file declares or names at a place. In a Go file it is the node whose method is named there.
func (s *Server) occurrenceAt(ctx context.Context, f *file, offset int) (occurrence, bool) {
	if strings.HasSuffix(f.abs, ".go") {
		return s.methodAt(f, offset)
	}
	return occurrenceIn(s.occurrences(ctx, f), offset)
}

// occurrenceIn returns the one of some occurrences that is at a place.
func occurrenceIn(list []occurrence, offset int) (occurrence, bool) {
	for _, o := range list {
		if o.at <= offset && offset <= o.end {
			return o, true
		}
	}
	return occurrence{}, false
}

// methodAt returns the node whose method is named at a place of a Go file.
func (s *Server) methodAt(f *file, offset int) (occurrence, bool) {
	from, to := offset, offset
	word := func(i int) bool { return i >= 0 && i < len(f.text.bytes) && isWord(rune(f.text.bytes[i])) }
	for word(from - 1) {
		from--
	}
	for word(to) {
		to++
	}
	name := string(f.text.bytes[from:to])
	for _, owner := range s.owners(f) {
		of := s.file(owner)
		if of == nil || of.read == nil {
			continue
		}
		for _, i := range of.read.namesIn(sections[ofNode]) {
			if node := decode(of.read.entries[i].keyText(of.text.bytes)); name != "" && methodName(node) == name {
				return occurrence{symbol: symbol{ofNode, node}, at: from, end: to}, true
			}
		}
	}
	return occurrence{}, false
}

// definition returns where what is named at a place is declared: of a node at its own declaration, its method in Go.
func definition(ctx context.Context, s *Server, p *positionParams) (any, error) {
	f, offset, err := s.at(p)
	if err != nil {
		return nil, err
	}
	list := []location{}
	if f.read != nil {
		for i := range f.read.entries {
			if path := f.named(i); path != "" && f.read.entries[i].inScalar(offset) {
				return append(list, location{s.uri(path), Range{}}), nil
			}
		}
	}
	o, ok := s.occurrenceAt(ctx, f, offset)
	if !ok {
		return list, nil
	}
	for _, t := range s.targets(ctx, f, o) {
		if o.def && t.of == ofNode {
			list = append(list, s.goMethods(filepath.Dir(t.abs), methodName(t.name))...)
		}
		if o.def && len(list) > 0 {
			continue
		}
		of := s.file(t.abs)
		if of == nil || of.read == nil {
			continue
		}
		if i := of.read.declaration(t.symbol); i >= 0 {
			e := &of.read.entries[i]
			at, end := e.keyAt, e.key2
			if t.of == ofEnd {
				at, end = e.at, e.end
			}
			list = append(list, location{s.uri(t.abs), of.text.span(at, end)})
		}
	}
	return list, nil
}

// goMethods returns where the Go files of a folder declare methods of a name, except generated ones.
func (s *Server) goMethods(dir, name string) (list []location) {
	for _, path := range s.beside(dir, func(name string) bool { return strings.HasSuffix(name, ".go") }) {
		f := s.file(path)
		if f == nil {
			continue
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, path, f.text.bytes, parser.ParseComments|parser.SkipObjectResolution)
		if tree == nil || err != nil && tree.Name == nil || ast.IsGenerated(tree) {
			continue
		}
		for _, d := range tree.Decls {
			if fn, is := d.(*ast.FuncDecl); is && fn.Recv != nil && fn.Name.Name == name {
				at := fset.Position(fn.Name.Pos()).Offset
				list = append(list, location{s.uri(path), f.text.span(at, at+len(name))})
			}
		}
	}
	return list
}

type referenceParams struct {
	positionParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

// referencesOf returns where what is at a place is named: in specs, prompts, scenarios, and of a node its methods in Go.
func referencesOf(ctx context.Context, s *Server, p *referenceParams) (any, error) {
	f, offset, err := s.at(&p.positionParams)
	if err != nil {
		return nil, err
	}
	list := []location{}
	o, ok := s.occurrenceAt(ctx, f, offset)
	if !ok {
		return list, nil
	}
	for _, t := range s.targets(ctx, f, o) {
		for _, r := range s.references(ctx, t) {
			if !r.def || p.Context.IncludeDeclaration {
				list = append(list, location{s.uri(r.file.abs), r.file.text.span(r.at, r.end)})
			}
		}
		if t.of == ofNode {
			list = append(list, s.goMethods(filepath.Dir(t.abs), methodName(t.name))...)
		}
	}
	return slices.Compact(list), nil
}

// highlights returns where the document itself names what is at a place.
func highlights(ctx context.Context, s *Server, p *positionParams) (any, error) {
	f, offset, err := s.at(p)
	if err != nil {
		return nil, err
	}
	type highlight struct {
		Range Range `json:"range"`
	}
	list := []highlight{}
	all := s.occurrences(ctx, f)
	if o, ok := occurrenceIn(all, offset); ok {
		for _, other := range all {
			if other.symbol == o.symbol {
				list = append(list, highlight{f.text.span(other.at, other.end)})
			}
		}
	}
	return list, nil
}
