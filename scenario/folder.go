package scenario

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/chat/record"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
)

// A folder is a directory with the specs to test, which are built as one package.
type folder struct {
	dir   string // prefix of file names in diagnostics; "." is left out
	abs   string
	specs []*testee
	found []diag.Diagnostic

	tagged *taggedFiles // nil: no graph of a Go file is tested
}

// A testee is a spec and its scenarios.
type testee struct {
	path    string // for diagnostics
	name    string // of the file
	graph   *spec.Graph
	flow    *cfg.Graph
	machine *plan.Machine // nil: the spec has errors, or clashes with another
	files   int           // scenario files
	all     []*bound
	broken  bool // the spec or a scenario file has errors
	sources []spec.GoSource
	found   []diag.Diagnostic // of a graph in a Go file
}

// short returns the name by which scenarios are selected and reported.
func (t *testee) short() string {
	if _, graph, ok := strings.Cut(t.name, "#"); ok {
		return graph
	}
	return strings.TrimSuffix(t.name, specSuffix)
}

// A selection is the files of a directory to test.
type selection struct{ specs, scenarios []string }

// collect groups files by their directories, in order.
func collect(files []string) (dirs []string, selected map[string]*selection, err error) {
	selected = make(map[string]*selection)
	for _, file := range files {
		dir, name := filepath.Split(filepath.Clean(file))
		dir = filepath.Clean(dir)
		s := selected[dir]
		if s == nil {
			s = new(selection)
			selected[dir] = s
			dirs = append(dirs, dir)
		}
		switch {
		case isSpec(name):
			s.specs = append(s.specs, name)
		case strings.HasSuffix(name, Suffix):
			s.scenarios = append(s.scenarios, name)
		default:
			return nil, nil, fmt.Errorf("%s: the name of a spec ends in %s, the name of a scenario file in %s", file, specSuffix, Suffix)
		}
	}
	slices.Sort(dirs)
	return dirs, selected, nil
}

// A tester reads files and collects the result of Test.
type tester struct {
	Config
	linker  *link.Linker
	sources map[string][]byte
}

// readSpec reads a spec or scenarios. Of a file that is too large it reads one byte more than the
// limit, so that the reader reports it.
func readSpec(path string) ([]byte, error) { return input.Start(path, spec.MaxFile+1) }

func (t *tester) read(folder, name string) (path string, text []byte, err error) {
	path = filepath.Join(folder, name)
	full := path
	if !filepath.IsAbs(full) {
		full = filepath.Join(t.Dir, path)
	}
	text, err = readSpec(full)
	t.sources[path] = text
	return path, text, err
}

// load reads and checks the selected specs of a directory and their scenarios.
func (t *tester) load(ctx context.Context, dir string, s *selection) (*folder, error) {
	f := &folder{dir: dir, abs: dir}
	if !filepath.IsAbs(dir) {
		f.abs = filepath.Join(t.Dir, dir)
	}
	abs, err := filepath.Abs(f.abs)
	if err != nil {
		return nil, err
	}
	f.abs = abs
	names := slices.Clone(s.scenarios)
	if len(s.specs) > 0 {
		if names, err = scenarioFiles(abs); err != nil {
			return nil, err
		}
	}
	for _, name := range s.specs {
		if err := t.addSelected(ctx, f, name); err != nil {
			return nil, err
		}
	}
	for _, name := range names {
		if err := t.addScenarios(ctx, f, name, slices.Contains(s.scenarios, name)); err != nil {
			return nil, err
		}
	}
	f.checkTogether()
	return f, t.leaveOut(ctx, f, f.specs)
}

// checkTogether checks for clashes between the specs, which are built as one package.
func (f *folder) checkTogether() {
	var flows []*cfg.Graph
	for _, s := range f.specs {
		if s.flow != nil {
			flows = append(flows, s.flow)
		}
	}
	found := check.Package(flows)
	for _, s := range f.specs {
		if slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.File == s.path && d.Severity == diag.Error }) {
			s.broken, s.machine = true, nil
		}
	}
	f.found = append(f.found, found...)
}

// scenarioFiles returns the scenario files of a directory.
func scenarioFiles(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), Suffix) && !e.IsDir() && e.Name()[0] != '.' && e.Name()[0] != '_' {
			names = append(names, e.Name())
		}
	}
	return names, err
}

// addSelected adds the spec of a file, or all graphs of a Go file.
func (t *tester) addSelected(ctx context.Context, f *folder, name string) error {
	if strings.HasSuffix(name, goSuffix) {
		_, err := t.addTagged(ctx, f, name)
		return err
	}
	_, err := t.addSpec(ctx, f, name)
	return err
}

// addSpec reads and checks a spec.
func (t *tester) addSpec(ctx context.Context, f *folder, name string) (*testee, error) {
	if specFile(name) != name || strings.HasSuffix(name, goSuffix) {
		return t.addTagged(ctx, f, name)
	}
	if at := slices.IndexFunc(f.specs, func(s *testee) bool { return s.name == name }); at >= 0 {
		return f.specs[at], nil
	}
	path, text, err := t.read(f.dir, name)
	if err != nil {
		return nil, err
	}
	s := &testee{path: path, name: name}
	graph, found := spec.Load(path, text)
	if graph != nil {
		t.linker.Link(graph)
		for text := range graph.Texts() {
			if text.In != nil {
				t.sources[text.In.Path] = text.In.Source
			}
		}
		graph.Away = true // Go types of the graph's package are imported
		s.flow = cfg.Of(graph)
		found = append(found, check.Run(s.flow)...)
	}
	s.graph, s.broken = graph, graph == nil || diag.HasErrors(found)
	if !s.broken {
		s.machine = plan.Lower(s.flow, pkg)
	}
	f.found = append(f.found, diag.WithoutNotes(found)...)
	f.specs = append(f.specs, s)
	return s, nil
}

// lower plans a machine for the package of the scenarios, which imports the Go types of the graph's
// package.
func lower(g *spec.Graph) *plan.Machine {
	g.Away = true
	return plan.Lower(cfg.Of(g), pkg)
}

// shared returns the machines with the types of other files that specs use. They are built with their machines.
func shared(specs []*testee) []*plan.Machine {
	var list []*plan.Machine
	built := map[string]bool{}
	for _, s := range specs {
		built[s.machine.File] = true
	}
	var add func(g *spec.Graph)
	add = func(g *spec.Graph) {
		for _, u := range g.Use {
			if u.Graph == nil || u.ImportPath(g) != "" || built[filepath.Base(u.Graph.File)] {
				continue
			}
			m := lower(u.Graph)
			built[m.File] = true
			list = append(list, m)
			add(u.Graph)
		}
	}
	for _, s := range specs {
		add(s.graph)
	}
	return list
}

// addScenarios reads a scenario file and binds it to its graph. If the graph is not selected, it
// counts only if the file is selected.
func (t *tester) addScenarios(ctx context.Context, f *folder, name string, selected bool) error {
	path, text, err := t.read(f.dir, name)
	if err != nil {
		return err
	}
	file, found := Load(path, text)
	if file == nil || file.Graph.V == "" {
		f.found = append(f.found, found...)
		beside := strings.TrimSuffix(name, Suffix) + specSuffix
		if at := slices.IndexFunc(f.specs, func(s *testee) bool { return s.name == beside }); at >= 0 { // it has scenarios, which cannot be read
			f.specs[at].files++
			f.specs[at].broken = true
		}
		return nil
	}
	at := slices.IndexFunc(f.specs, func(s *testee) bool { return s.name == file.Graph.V })
	if at < 0 && !selected && !f.hasTagged(specFile(file.Graph.V)) && exists(filepath.Join(f.abs, specFile(file.Graph.V))) {
		delete(t.sources, path)
		return nil
	}
	var s *testee
	switch {
	case at >= 0:
		s = f.specs[at]
	case !isSpec(file.Graph.V) || filepath.Base(file.Graph.V) != file.Graph.V:
	default:
		if s, err = t.addSpec(ctx, f, file.Graph.V); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if s == nil {
		f.found = append(append(f.found, found...), f.noSpec(file))
		return nil
	}
	s.files++
	found = append(found, t.recordings(f, file)...)
	if s.machine != nil {
		all, problems := bind(file, s.machine)
		found = append(found, problems...)
		s.all = append(s.all, all...)
	}
	s.broken = s.broken || diag.HasErrors(found)
	f.found = append(f.found, found...)
	return nil
}

// recordings reads the recordings that scenarios replay.
func (t *tester) recordings(f *folder, file *File) []diag.Diagnostic {
	var found []diag.Diagnostic
	for _, s := range file.Scenarios {
		if s.Recording.V == "" {
			continue
		}
		if name := s.Recording.V; !isFileName(name) {
			found = append(found, diag.Diagnostic{
				Code: "GG216", File: file.Path, Pos: s.Recording.Pos, Message: "the recording " + quote(name) + " is not a file of the same directory",
				Help: "put it beside the scenarios, and name the file alone",
			})
			continue
		}
		d := diag.Diagnostic{Code: "GG216", File: file.Path, Pos: s.Recording.Pos,
			Help: "make it with package record: record.Run(record.New(file), model) is an option of a run"}
		text, err := input.Read(filepath.Join(f.abs, filepath.FromSlash(s.Recording.V)), input.MaxRecording)
		if err != nil {
			d.Message = "the recording " + quote(s.Recording.V) + " cannot be read: " + cause(err)
		} else if _, err := record.Open(text); err != nil {
			d.Message = "the recording " + quote(s.Recording.V) + ": " + err.Error()
		} else {
			s.recorded = string(text)
			continue
		}
		found = append(found, d)
	}
	return found
}

// isFileName reports whether a name is a file name without a directory, on any system.
func isFileName(name string) bool {
	return name != "." && name != ".." && !strings.ContainsAny(name, "/\\:\x00")
}

// cause returns the error of a file without its name.
func cause(err error) string {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// noSpec reports that a scenario file has no spec.
func (f *folder) noSpec(file *File) diag.Diagnostic {
	d := diag.Diagnostic{Code: "GG205", File: file.Path, Pos: file.Graph.Pos,
		Message: "there is no spec " + quote(file.Graph.V) + " beside this file",
		Help:    "name a file of this directory that ends in " + specSuffix}
	var names []string
	matches, _ := filepath.Glob(filepath.Join(f.abs, "*"+specSuffix)) // the pattern is well-formed
	for _, m := range matches {
		names = append(names, filepath.Base(m))
	}
	if near, ok := diag.Suggest(file.Graph.V, names); ok {
		d.Help = diag.Help(diag.DidYouMean(near))
	} else if slices.Contains(names, file.Graph.V+specSuffix) {
		d.Help = diag.Help(diag.DidYouMean(file.Graph.V + specSuffix))
	}
	return d
}
