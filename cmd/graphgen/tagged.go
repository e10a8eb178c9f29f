package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/gotag"
	"github.com/graphgen/graphgen/spec/input"
)

// A tagged holds the graphs of a folder's Go files.
type tagged struct {
	files []taggedFile
	found []diag.Diagnostic // in the selected files, and in files that break the package
}

// A taggedFile is a Go file with a graphgen comment.
type taggedFile struct {
	name, path string
	text       []byte
	selected   bool
}

// readTagged reads the graphs in the folder's Go files. It loads the package only if the text of a
// file has a graphgen comment.
func (f *folder) readTagged(ctx context.Context, s *selection) error {
	var names, generated []string
	for _, g := range f.goFiles {
		if g.from != "" {
			generated = append(generated, g.name)
			continue
		}
		if strings.HasSuffix(g.name, "_test.go") {
			continue
		}
		path := filepath.Join(f.dir, g.name)
		text, err := f.open.read(path, input.MaxGo)
		if err != nil {
			return err
		}
		if gotag.Holds(text) {
			names = append(names, g.name)
			f.tagged.files = append(f.tagged.files, taggedFile{
				name: g.name, path: path, text: text, selected: s.whole || slices.Contains(s.specs, g.name),
			})
		}
	}
	if len(names) == 0 {
		return nil
	}
	graphs, found, err := gotag.Load(ctx, gotag.Config{Dir: f.dir, Files: names, Generated: generated, Read: f.open.read})
	if err != nil {
		return err
	}
	selected := slices.ContainsFunc(f.tagged.files, func(file taggedFile) bool { return file.selected })
	for _, d := range found {
		if selected && !slices.ContainsFunc(f.tagged.files, func(file taggedFile) bool { return file.path == d.File }) {
			f.tagged.found = append(f.tagged.found, d)
		}
	}
	for _, file := range f.tagged.files {
		for _, g := range graphs {
			if g.File == file.path {
				f.sources = append(f.sources, &source{
					name: file.name, path: file.path, text: file.text, graph: g, selected: file.selected, inGo: true,
				})
			}
		}
		for _, d := range found {
			if d.File == file.path && file.selected {
				f.tagged.found = append(f.tagged.found, d)
			}
		}
	}
	return nil
}

// holdsGraph reports whether a Go file may hold a graph.
func holdsGraph(path string) bool {
	text, err := input.Read(path, input.MaxGo)
	return err == nil && gotag.Holds(text)
}

// artefacts are the suffixes of generated files.
var artefacts = []string{
	"_graph.go", "_cond.go", "_codec.go", "_prompts.go", "_tools.go", "_thread.go", "_view.go", "_temporal.go",
	"_versions.go", "_versions_test.go",
}

// artefact reports whether a file name has a suffix of generated files.
func artefact(name string) bool {
	return slices.ContainsFunc(artefacts, func(end string) bool { return strings.HasSuffix(name, end) })
}

// title returns the heading of a spec on a page of several.
func (s *source) title() string {
	title := filepath.ToSlash(s.path)
	if s.inGo {
		title += ": " + s.graph.Name.V
	}
	return title
}
