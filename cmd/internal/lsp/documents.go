package lsp

import (
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/link"
)

// A document is a file that the editor has open.
type document struct {
	uri     string
	abs     string // its path
	version int
	text    *text

	dirty   bool     // it is to be checked
	checked *Checked // by the last check; nil: none yet
	as      int      // the version that was checked
	good    *Checked // by the last check that could read the file; nil: none yet

	lines   *read // the outline; nil: it is not made
	linesOf *text // its text
	bound   *bounds.Bounds
	boundOf *Checked // the check that the bounds are of
}

// isSpec reports whether a document is a spec.
func (d *document) isSpec() bool { return link.IsSpec(filepath.Base(d.abs)) }

// isChecked reports whether diagnostics are of a document: of a spec, or of a Go file, which may hold graphs. What is wrong with the
// file of a prompt is found where the spec is checked.
func (d *document) isChecked() bool { return d.isSpec() || strings.HasSuffix(d.abs, ".go") }

// outline returns the outline of a document.
func (d *document) outline() *read {
	if d.lines == nil || d.linesOf != d.text {
		d.lines, d.linesOf = readOutline(d.text.bytes, mappingOf(d.abs)), d.text
	}
	return d.lines
}

// occurrences returns every place of a document where something of a graph is declared or named.
func (d *document) occurrences() []occurrence { return occurrencesOf(d.abs, d.text.bytes, d.outline) }

// occurrencesOf returns what a file declares or names: a spec, a file of scenarios, or of a prompt.
func occurrencesOf(path string, text []byte, outline func() *read) []occurrence {
	switch {
	case link.IsSpec(filepath.Base(path)):
		return outline().occurrences()
	case isScenarios(path):
		return scenarioOccurrences(text)
	case link.MayHoldText(filepath.Base(path)):
		return promptOccurrences(text)
	}
	return nil
}

type textDocument struct {
	URI     string `json:"uri"`
	Version int    `json:"version"`
}

// document returns an open document.
func (s *Server) document(of textDocument) (*document, error) {
	if d := s.docs[of.URI]; d != nil {
		return d, nil
	}
	return nil, &fault{codeInvalidParams, "the document is not open: " + of.URI}
}

// open returns the texts of the open documents, by their paths.
func (s *Server) open() map[string][]byte {
	open := make(map[string][]byte, len(s.docs))
	for _, d := range s.docs {
		open[d.abs] = d.text.bytes
	}
	return open
}

// changed notes that the text of a file is another: what was checked with it is checked again.
func (s *Server) changed(abs string) {
	for _, d := range s.docs {
		if d.isChecked() && (d.abs == abs || d.checked == nil || d.checked.asks(abs) || filepath.Dir(d.abs) == filepath.Dir(abs)) {
			d.dirty = true
		}
	}
}

// asks reports whether a file was read, or may be read now: one of types, in the folder of a Go package.
func (c *Checked) asks(abs string) bool {
	return c.Asked[abs] || strings.HasSuffix(abs, spec.TypesSuffix) && c.Asked[filepath.Dir(abs)]
}

type didOpenParams struct {
	TextDocument struct {
		textDocument
		Text string `json:"text"`
	} `json:"textDocument"`
}

func didOpen(_ context.Context, s *Server, p *didOpenParams) (any, error) {
	abs := pathOf(p.TextDocument.URI)
	if abs == "" {
		return nil, nil // not of a file
	}
	d := &document{uri: p.TextDocument.URI, abs: abs, version: p.TextDocument.Version, text: newText([]byte(p.TextDocument.Text))}
	s.docs[d.uri] = d
	s.changed(abs)
	return nil, nil
}

type didChangeParams struct {
	TextDocument   textDocument `json:"textDocument"`
	ContentChanges []change     `json:"contentChanges"`
}

func didChange(_ context.Context, s *Server, p *didChangeParams) (any, error) {
	d, err := s.document(p.TextDocument)
	if err != nil {
		return nil, err
	}
	for _, c := range p.ContentChanges {
		d.text = d.text.apply(c)
	}
	d.version = p.TextDocument.Version
	s.changed(d.abs)
	return nil, nil
}

type documentParams struct {
	TextDocument textDocument `json:"textDocument"`
}

func didClose(_ context.Context, s *Server, p *documentParams) (any, error) {
	d, err := s.document(p.TextDocument)
	if err != nil {
		return nil, err
	}
	delete(s.docs, d.uri)
	s.changed(d.abs)
	return nil, s.publish()
}

func didSave(_ context.Context, s *Server, p *documentParams) (any, error) {
	if d := s.docs[p.TextDocument.URI]; d != nil {
		s.changed(d.abs)
	}
	return nil, nil
}

type watchedFilesParams struct {
	Changes []struct {
		URI string `json:"uri"`
	} `json:"changes"`
}

func didChangeWatchedFiles(_ context.Context, s *Server, p *watchedFilesParams) (any, error) {
	for _, c := range p.Changes {
		if abs := pathOf(c.URI); abs != "" {
			if filepath.Base(abs) == "go.mod" {
				s.compiler.Forget()
			}
			s.changed(abs)
		}
	}
	return nil, nil
}

// sorted returns the open documents by URI.
func (s *Server) sorted() []*document {
	var list []*document
	for _, uri := range slices.Sorted(maps.Keys(s.docs)) {
		list = append(list, s.docs[uri])
	}
	return list
}
