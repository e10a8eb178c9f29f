package scenario

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/gotag"
	"github.com/graphgen/graphgen/spec/input"
)

// goSuffix is the suffix of Go files. One may hold several graphs: review.go#triage is the graph
// triage in review.go. A file with one graph needs no #.
const goSuffix = ".go"

// isSpec reports whether a name is one of a spec or a Go file, possibly with the name of a graph.
func isSpec(name string) bool {
	file, _, _ := strings.Cut(name, "#")
	return strings.HasSuffix(name, specSuffix) || strings.HasSuffix(file, goSuffix)
}

// specFile returns the file of a spec.
func specFile(name string) string {
	if file, _, ok := strings.Cut(name, "#"); ok && strings.HasSuffix(file, goSuffix) {
		return file
	}
	return name
}

// addTagged reads and checks the graphs of a Go file, and returns the one with the given name, or
// nil.
func (t *tester) addTagged(ctx context.Context, f *folder, name string) (*testee, error) {
	file := specFile(name)
	if !f.hasTagged(file) {
		if err := t.loadTagged(ctx, f, file); err != nil {
			return nil, err
		}
	}
	for _, s := range f.specs {
		if s.name == name || specFile(s.name) == file && name == file && f.count(file) == 1 {
			return s, nil
		}
	}
	return nil, nil
}

func (f *folder) hasTagged(file string) bool { return f.count(file) > 0 }

func (f *folder) count(file string) (n int) {
	for _, s := range f.specs {
		if specFile(s.name) == file {
			n++
		}
	}
	return n
}

func (t *tester) loadTagged(ctx context.Context, f *folder, file string) error {
	path, _, err := t.read(f.dir, file)
	if err != nil {
		return err
	}
	generated, err := generatedFiles(f.abs)
	if err != nil {
		return err
	}
	graphs, found, err := gotag.Load(ctx, gotag.Config{Dir: f.abs, Files: []string{file}, Generated: generated})
	if err != nil {
		return err
	}
	for i := range found {
		name := filepath.Base(found[i].File)
		if found[i].File, _, err = t.read(f.dir, name); err != nil {
			return err
		}
	}
	for _, g := range graphs {
		g.File = path
		s := &testee{path: path, name: file + "#" + g.Name.V, graph: g, sources: g.Go.Sources}
		t.linker.Link(g)
		s.flow = cfg.Of(g)
		own := check.Run(s.flow)
		s.broken = diag.HasErrors(found) || diag.HasErrors(own)
		if !s.broken {
			shadowed, err := golang.Shadowed(s.flow)
			if err != nil {
				return err
			}
			own, s.broken = append(own, shadowed...), len(shadowed) > 0
		}
		if !s.broken {
			s.machine = plan.Lower(s.flow, pkg)
		}
		f.found = append(f.found, own...)
		f.specs = append(f.specs, s)
	}
	f.found = append(f.found, found...)
	return nil
}

// generatedFiles returns the generated files of a directory.
func generatedFiles(dir string) ([]string, error) {
	begin, _, _ := strings.Cut(golang.Header("\n"), "\n")
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), goSuffix) {
			continue
		}
		text, err := input.Read(filepath.Join(dir, e.Name()), input.MaxGo)
		if err != nil {
			return nil, err
		}
		if strings.HasPrefix(string(text), begin) {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// title returns the name of a spec in reports.
func (t *testee) title() string {
	if _, graph, ok := strings.Cut(t.name, "#"); ok {
		return t.path + "#" + graph
	}
	return t.path
}

// ownSources returns the parts of the user's packages that the machines need.
func ownSources(specs []*testee) []golang.File {
	var files []golang.File
	taken := map[string]bool{}
	for _, s := range specs {
		for _, own := range s.sources {
			if !taken[own.Name] {
				taken[own.Name] = true
				files = append(files, golang.File{Name: own.Name, Content: append([]byte("package "+pkg+"\n"), own.Text...)})
			}
		}
	}
	return files
}
