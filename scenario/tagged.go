package scenario

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
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

// taggedFiles are the Go files of a folder that hold graphs. They are read and built together, since their graphs share types.
type taggedFiles struct {
	config gotag.Config
	graphs []*testee
	found  []diag.Diagnostic // that no graph's checks have found
}

// concerns reports whether a diagnostic is about a file with graphs, or about one without, whose types graphs may use.
func (f *taggedFiles) concerns(d diag.Diagnostic, file string) bool {
	name := filepath.Base(d.File)
	return name == file || !slices.Contains(f.config.Files, name)
}

// loadTagged adds the graphs of a Go file to those that are tested.
func (t *tester) loadTagged(ctx context.Context, f *folder, file string) error {
	if _, _, err := t.read(f.dir, file); err != nil {
		return err
	}
	if f.tagged == nil {
		if err := t.readTagged(ctx, f); err != nil {
			return err
		}
	}
	for _, s := range f.tagged.graphs {
		if specFile(s.name) == file {
			f.specs, f.found = append(f.specs, s), append(f.found, s.found...)
		}
	}
	f.tagged.found = slices.DeleteFunc(f.tagged.found, func(d diag.Diagnostic) bool {
		concerned := f.tagged.concerns(d, file)
		if concerned {
			f.found = append(f.found, d)
		}
		return concerned
	})
	return nil
}

// readTagged reads and checks the graphs in all Go files of a folder.
func (t *tester) readTagged(ctx context.Context, f *folder) error {
	names, generated, err := goFiles(f.abs)
	if err != nil {
		return err
	}
	config := gotag.Config{Dir: f.abs, Files: names, Generated: generated}
	graphs, found, err := gotag.Load(ctx, config)
	if err != nil {
		return err
	}
	for i := range found {
		if found[i].File, _, err = t.read(f.dir, filepath.Base(found[i].File)); err != nil {
			return err
		}
	}
	f.tagged = &taggedFiles{config: config, found: found}
	for _, g := range graphs {
		file := filepath.Base(g.File)
		s := &testee{path: filepath.Join(f.dir, file), name: file + "#" + g.Name.V}
		t.link(s, g)
		s.found = check.Run(s.flow)
		s.broken = diag.HasErrors(s.found) || slices.ContainsFunc(found, func(d diag.Diagnostic) bool {
			return d.Severity == diag.Error && f.tagged.concerns(d, file)
		})
		if !s.broken {
			shadowed, err := golang.Shadowed(s.flow)
			if err != nil {
				return err
			}
			s.found, s.broken = append(s.found, shadowed...), len(shadowed) > 0
		}
		if !s.broken {
			s.machine = plan.Lower(s.flow, pkg)
		}
		f.tagged.graphs = append(f.tagged.graphs, s)
	}
	return nil
}

// link links a graph in a Go file, which is tested as s.
func (t *tester) link(s *testee, g *spec.Graph) {
	g.File = s.path
	t.linker.Link(g)
	s.graph, s.flow, s.sources = g, cfg.Of(g), g.Go.Sources
}

// leaveOut reads the graphs in Go files again without those that are not built, which are broken or clash with a tested spec: what a type lacks
// that graphs share is generated with the first of them, and the package's functions name what is generated for each.
func (t *tester) leaveOut(ctx context.Context, f *folder, tested []*testee) error {
	if f.tagged == nil {
		return nil
	}
	f.leaveOutClashes(tested)
	config := f.tagged.config
	for _, s := range f.tagged.graphs {
		if s.machine == nil {
			config.Without = append(config.Without, s.name)
		}
	}
	if n := len(config.Without); n == 0 || n == len(f.tagged.graphs) {
		return nil
	}
	graphs, _, err := gotag.Load(ctx, config)
	if err != nil {
		return err
	}
	for _, g := range graphs {
		name := filepath.Base(g.File) + "#" + g.Name.V
		if at := slices.IndexFunc(f.tagged.graphs, func(s *testee) bool { return s.name == name }); at >= 0 {
			s := f.tagged.graphs[at]
			t.link(s, g)
			s.machine = plan.Lower(s.flow, pkg)
		}
	}
	return nil
}

// leaveOutClashes takes the machines of untested graphs in Go files that clash with a tested spec, or with one another.
func (f *folder) leaveOutClashes(tested []*testee) {
	var flows []*cfg.Graph
	for _, s := range tested {
		if s.machine != nil {
			flows = append(flows, s.flow)
		}
	}
	for _, s := range f.tagged.graphs {
		if s.machine == nil || slices.Contains(tested, s) {
			continue
		}
		if with := append(flows, s.flow); diag.HasErrors(check.Package(with)) {
			s.machine = nil
		} else {
			flows = with
		}
	}
}

// withTagged returns specs and, where one of them is in a Go file, the other graphs in Go files: the methods of a type that they share are
// generated with one of them.
func (f *folder) withTagged(specs []*testee) []*testee {
	built := slices.Clone(specs)
	if f.tagged == nil || !slices.ContainsFunc(specs, func(s *testee) bool { return slices.Contains(f.tagged.graphs, s) }) {
		return built
	}
	for _, s := range f.tagged.graphs {
		if s.machine != nil && !slices.Contains(specs, s) {
			built = append(built, s)
		}
	}
	return built
}

// goFiles returns the Go files of a directory that hold graphs, and the generated ones.
func goFiles(dir string) (holding, generated []string, err error) {
	begin, _, _ := strings.Cut(golang.Header("\n"), "\n")
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), goSuffix) {
			continue
		}
		text, err := input.Read(filepath.Join(dir, e.Name()), input.MaxGo)
		if err != nil {
			return nil, nil, err
		}
		switch {
		case strings.HasPrefix(string(text), begin):
			generated = append(generated, e.Name())
		case !strings.HasSuffix(e.Name(), "_test.go") && gotag.Holds(text):
			holding = append(holding, e.Name())
		}
	}
	return holding, generated, err
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
