package lsp

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/link"
)

// renamed are the symbols that can be renamed.
var renamed = []string{ofNode, ofField, ofTool, ofType, ofEnd}

// newName matches the names that a symbol may get.
var newName = regexp.MustCompile(`^[\pL_][\pL\pN_-]*$`)

// target returns the symbol at a place, which can be renamed.
func (s *Server) target(ctx context.Context, p *positionParams) (f *file, o occurrence, t target, err error) {
	f, offset, err := s.at(p)
	if err != nil {
		return nil, o, t, err
	}
	o, ok := s.occurrenceAt(ctx, f, offset)
	if !ok {
		return nil, o, t, failed("there is no name here that can be renamed")
	}
	targets := s.targets(ctx, f, o)
	if len(targets) != 1 || !slices.Contains(renamed, targets[0].of) {
		return nil, o, t, failed("%q is not declared in a file that can be changed", o.name)
	}
	return f, o, targets[0], nil
}

// prepareRename returns the place of the name that is renamed.
func prepareRename(ctx context.Context, s *Server, p *positionParams) (any, error) {
	f, o, t, err := s.target(ctx, p)
	if err != nil {
		return nil, err
	}
	return map[string]any{"range": f.text.span(o.at, o.end), "placeholder": t.name}, nil
}

type renameParams struct {
	positionParams
	NewName string `json:"newName"`
}

// An edit replaces a part of a file.
type edit struct {
	at, end int
	text    string
}

// rename renames a symbol everywhere: in specs, prompts, scenarios, generated code and the Go code that uses it. What it gives compiles, or it is refused.
func rename(ctx context.Context, s *Server, p *renameParams) (any, error) {
	_, _, t, err := s.target(ctx, &p.positionParams)
	if err != nil {
		return nil, err
	}
	own := s.file(t.abs)
	switch {
	case !newName.MatchString(p.NewName):
		return nil, failed("%q is not a name: use letters, digits, _ and -, with a letter first", p.NewName)
	case p.NewName == t.name:
		return workspaceEdit{map[string][]textEdit{}}, nil
	case own.read.declares(t.of, p.NewName):
		return nil, failed("the name %q is taken", p.NewName)
	}
	edits := map[string][]edit{}
	for _, r := range s.references(ctx, t) {
		text := p.NewName
		if r.goName {
			text = goname.Exported(p.NewName)
		} else if use, _, qualified := strings.Cut(r.name, "."); qualified {
			text = use + "." + p.NewName
		}
		edits[r.file.abs] = append(edits[r.file.abs], edit{r.at, r.end, text})
	}
	if t.of == ofField {
		s.fieldsOfOutputs(ctx, t, p.NewName, edits)
	}
	after := s.open()
	for abs, list := range edits {
		after[abs] = applied(s.file(abs).text.bytes, list)
	}
	if err := s.renameGo(ctx, t, p.NewName, edits, after); err != nil {
		return nil, err
	}
	changes := workspaceEdit{map[string][]textEdit{}}
	for abs, list := range edits {
		text := s.file(abs).text
		uri := s.uri(abs)
		for _, e := range sortedEdits(list) {
			changes.Changes[uri] = append(changes.Changes[uri], textEdit{text.span(e.at, e.end), e.text})
		}
	}
	return changes, nil
}

// sortedEdits returns edits in order, each once.
func sortedEdits(list []edit) []edit {
	slices.SortFunc(list, func(a, b edit) int { return cmp.Or(a.at-b.at, a.end-b.end) })
	return slices.Compact(list)
}

// applied returns a text with edits.
func applied(text []byte, list []edit) []byte {
	var b bytes.Buffer
	at := 0
	for _, e := range sortedEdits(list) {
		b.Write(text[at:e.at])
		b.WriteString(e.text)
		at = e.end
	}
	b.Write(text[at:])
	return b.Bytes()
}

// renameGo adds the edits of generated code, and of the Go code that uses it. It refuses a name with which the specs do not compile.
func (s *Server) renameGo(ctx context.Context, t target, name string, edits map[string][]edit, after map[string][]byte) error {
	before := s.open()
	specs := slices.DeleteFunc(slices.Sorted(maps.Keys(edits)), func(abs string) bool { return !link.IsSpec(filepath.Base(abs)) })
	users := s.usersOf(t.abs, slices.Sorted(maps.Keys(edits)))
	old, made := map[string][]byte{}, map[string][]byte{}
	for _, abs := range users {
		was, err := s.compiler.Generate(ctx, namedPath(abs), before)
		if err != nil {
			if slices.Contains(specs, abs) {
				return failed("the spec has mistakes, so nothing can be renamed in it: %v", err)
			}
			continue
		}
		is, err := s.compiler.Generate(ctx, namedPath(abs), after)
		if err != nil {
			return failed("with the name %q %s does not compile: %v", name, namedPath(abs), err)
		}
		maps.Copy(old, was)
		maps.Copy(made, is)
	}
	code := &goRename{s: s, name: name, old: map[string][]byte{}, made: map[string][]byte{}, fresh: map[string][]byte{},
		was: goname.Exported(t.name), is: goname.Exported(name)}
	for abs, text := range old {
		f := s.file(abs)
		if f == nil || bytes.Equal(text, made[abs]) {
			continue // it is not generated, or stays as it is
		}
		code.old[abs], code.made[abs], code.fresh[abs] = f.text.bytes, made[abs], text
		edits[abs] = []edit{{0, len(f.text.bytes), string(made[abs])}}
	}
	if len(code.old) == 0 {
		return nil
	}
	return code.edit(ctx, filepath.Dir(t.abs), edits)
}

// usersOf returns the specs among some files, and those around a file that name one of these, directly and indirectly.
func (s *Server) usersOf(near string, files []string) []string {
	names := map[string][]string{}
	for _, path := range s.specsAround(near) {
		if f := s.file(path); f != nil && f.read != nil {
			names[path] = s.names(f)
		}
	}
	all := slices.Clone(files)
	for i := 0; i < len(all); i++ {
		for _, path := range slices.Sorted(maps.Keys(names)) {
			if slices.Contains(names[path], all[i]) && !slices.Contains(all, path) {
				all = append(all, path)
			}
		}
	}
	return slices.DeleteFunc(all, func(abs string) bool { return !link.IsSpec(filepath.Base(abs)) })
}
