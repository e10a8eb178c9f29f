package lsp

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
)

// checksPage is the address of the page of a code.
const checksPage = "https://github.com/graphgen/graphgen/blob/main/docs/reference/checks/%s.md"

// A Diagnostic is a finding as editors show it.
type Diagnostic struct {
	Range       Range             `json:"range"`
	Severity    int               `json:"severity"`
	Code        string            `json:"code,omitempty"`
	Description *codeDescription  `json:"codeDescription,omitempty"`
	Source      string            `json:"source"`
	Message     string            `json:"message"`
	Related     []relatedLocation `json:"relatedInformation,omitempty"`
	Data        json.RawMessage   `json:"data,omitempty"` // as graphgen check -json writes it
}

type codeDescription struct {
	Href string `json:"href"`
}

type relatedLocation struct {
	Location location `json:"location"`
	Message  string   `json:"message"`
}

type location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

type published struct {
	URI         string       `json:"uri"`
	Version     *int         `json:"version,omitempty"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// severities are the numbers of severities.
var severities = map[diag.Severity]int{diag.Error: 1, diag.Warning: 2, diag.Note: 3}

// isDirty reports whether a document is to be checked.
func (s *Server) isDirty() bool {
	for _, d := range s.docs {
		if d.dirty {
			return true
		}
	}
	return false
}

// checkOne checks a document that is to be checked: the one that was changed last, as its version shows it.
func (s *Server) checkOne(ctx context.Context) {
	var next *document
	for _, d := range s.sorted() {
		if d.dirty && (next == nil || d.version > next.version) {
			next = d
		}
	}
	next.dirty = false
	s.check(ctx, next)
	_ = s.publish() // a connection that has ended is found where messages are read
}

// check checks a document.
func (s *Server) check(ctx context.Context, d *document) {
	defer func() {
		if p := recover(); p != nil {
			_ = s.log(fmt.Sprintf("check %s: panic: %v\n%s", d.abs, p, debug.Stack()))
			d.checked = refused(d, fmt.Sprintf("graphgen panicked: %v", p))
		}
	}()
	d.as = d.version
	checked, err := s.compiler.Check(ctx, namedPath(d.abs), s.open())
	if err != nil {
		checked = refused(d, err.Error())
	}
	if d.checked = checked; len(checked.Flows) > 0 {
		d.good = checked
	}
}

// refused is the diagnostic of a file that cannot be checked.
func refused(d *document, message string) *Checked {
	return &Checked{Found: []diag.Diagnostic{{File: namedPath(d.abs), Message: message}}}
}

// publish sends the diagnostics of every file that has some, or had some.
func (s *Server) publish() error {
	found := map[string][]diag.Diagnostic{} // by URI
	for _, d := range s.sorted() {
		if d.checked == nil || !d.isChecked() {
			continue
		}
		found[d.uri] = append(found[d.uri], []diag.Diagnostic{}...)
		for _, f := range d.checked.Found {
			uri := s.uri(f.File)
			if !slices.ContainsFunc(found[uri], func(g diag.Diagnostic) bool { return same(&f, &g) }) {
				found[uri] = append(found[uri], f)
			}
		}
	}
	for uri := range s.shown {
		if _, has := found[uri]; !has {
			found[uri] = nil
		}
	}
	none := func(uri string) int { return min(len(found[uri]), 1) }
	uris := slices.SortedFunc(maps.Keys(found), func(a, b string) int { return cmp.Or(none(a)-none(b), cmp.Compare(a, b)) })
	for _, uri := range uris { // empty lists first: an editor may know a file by the URI that it had before, too
		p := published{URI: uri, Diagnostics: s.diagnostics(uri, found[uri])}
		if d := s.docs[uri]; d != nil && d.isChecked() {
			p.Version = &d.as
		}
		if err := s.conn.notify("textDocument/publishDiagnostics", p); err != nil {
			return err
		}
		s.shown[uri] = true
		if len(found[uri]) == 0 && s.docs[uri] == nil {
			delete(s.shown, uri)
		}
	}
	return nil
}

// same reports whether two checks have found the same.
func same(a, b *diag.Diagnostic) bool {
	return a.Code == b.Code && a.Pos == b.Pos && a.Message == b.Message && a.File == b.File
}

// uri returns the URI of a file, as the editor writes it where it has the file open.
func (s *Server) uri(path string) string {
	abs, err := filepath.Abs(path)
	if err != nil {
		return uriOf(path)
	}
	for _, d := range s.docs {
		if d.abs == abs {
			return d.uri
		}
	}
	return uriOf(abs)
}

// textOf returns the text of a file, which may be open; an empty one where it cannot be read.
func (s *Server) textOf(path string) *text {
	if d := s.docs[s.uri(path)]; d != nil {
		return d.text
	}
	content, _ := os.ReadFile(path)
	return newText(content)
}

// diagnostics returns the findings of a file as the editor shows them.
func (s *Server) diagnostics(uri string, found []diag.Diagnostic) []Diagnostic {
	list := make([]Diagnostic, 0, len(found))
	texts := map[string]*text{}
	at := func(file string, pos diag.Pos) location {
		if texts[file] == nil {
			texts[file] = s.textOf(file)
		}
		return location{s.uri(file), texts[file].rangeOf(pos)}
	}
	for i := range found {
		f := &found[i]
		here := at(f.File, f.Pos)
		d := Diagnostic{Range: here.Range, Severity: severities[f.Severity], Code: f.Code, Source: "graphgen", Message: f.Message}
		if f.Help != "" {
			d.Message += "\nhelp: " + f.Help.String()
		}
		if strings.HasPrefix(f.Code, "GG") {
			d.Description = &codeDescription{fmt.Sprintf(checksPage, f.Code)}
		}
		for _, r := range f.Remarks() {
			other := here
			if r.Pos.IsSet() {
				other = at(cmp.Or(r.Pos.File, f.File), r.Pos)
			}
			d.Related = append(d.Related, relatedLocation{other, r.Message})
		}
		d.Data, _ = encode(f.Object())
		list = append(list, d)
	}
	return list
}
