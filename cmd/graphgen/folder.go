package main

import (
	"context"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/shape"
)

// A folder is a directory of a Go package, with the specs in it.
type folder struct {
	dir     string
	whole   bool // all of its specs are selected
	sources []*source
	goFiles []goFile
	tagged  tagged
	open    *overlay
}

// A source is a spec file that was read. The specs of a folder that are not selected are read to
// find clashes within the package.
type source struct {
	name     string // review.graph.yaml
	path     string
	text     []byte
	graph    *spec.Graph // nil: the text is not a graph
	flow     *cfg.Graph  // of graph, after it was checked
	selected bool
	inGo     bool // the file is a Go file with several graphs
}

// A goFile is a Go file beside the specs.
type goFile struct {
	name string
	from string // the spec that it was generated from; "": hand-written
}

// readFolders reads the directories of a selection with all their specs.
func readFolders(ctx context.Context, p paths) ([]*folder, error) {
	selected, err := p.find()
	if err != nil {
		return nil, err
	}
	folders := make([]*folder, 0, len(selected))
	for _, s := range selected {
		f, err := disk.readFolder(ctx, s)
		if err != nil {
			return nil, err
		}
		if len(f.sources)+len(f.tagged.files) > 0 || slices.ContainsFunc(f.goFiles, func(g goFile) bool { return g.from != "" }) {
			folders = append(folders, f)
		} else if s.named {
			return nil, fmt.Errorf("%s: there is no spec here; the name of a spec ends in %s", s.dir, suffixes)
		}
	}
	return folders, nil
}

func (o *overlay) readFolder(ctx context.Context, s *selection) (*folder, error) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return nil, err
	}
	f := &folder{dir: s.dir, whole: s.whole, open: o}
	for _, e := range entries {
		path := filepath.Join(s.dir, e.Name())
		switch {
		case isSpec(s.dir, e) || strings.HasSuffix(e.Name(), specSuffix) && slices.Contains(s.specs, e.Name()):
			if !specName.MatchString(e.Name()) {
				return nil, fmt.Errorf("%q: the name of a spec has letters, digits, . - and _ before %s", path, suffixes)
			}
			text, err := o.listed(path, e)
			if err != nil {
				return nil, err
			}
			f.sources = append(f.sources, &source{
				name: e.Name(), path: path, text: text, selected: slices.Contains(s.specs, e.Name()),
			})
		case strings.HasSuffix(e.Name(), ".go") && !hidden(e.Name()) && isFile(s.dir, e):
			from, err := generatedFrom(path)
			if err != nil {
				return nil, err
			}
			f.goFiles = append(f.goFiles, goFile{name: e.Name(), from: from})
		}
	}
	f.addOpen(entries, s)
	return f, f.readTagged(ctx, s)
}

// addOpen adds the selected specs that an editor has open and that are not on the disk.
func (f *folder) addOpen(entries []fs.DirEntry, s *selection) {
	for _, name := range s.specs {
		path := filepath.Join(s.dir, name)
		_, open := f.open.text(path)
		if open && specName.MatchString(name) && !slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == name }) {
			text, _ := f.open.readSpec(path) // of memory
			f.sources = append(f.sources, &source{name: name, path: path, text: text, selected: true})
		}
	}
}

// specName matches spec names that are safe in generated code and file names.
var specName = regexp.MustCompile(`^[\p{L}\p{Nd}][\p{L}\p{Nd}._-]*\.(graph|types)\.yaml$`)

// header matches the first line of a generated file, before the package clause.
var header = regexp.MustCompile(`(?m)^` + strings.Replace(regexp.QuoteMeta(golang.Header("SPEC")), "SPEC", `(\S+)`, 1) + `\r?$`)

// maxHeader bounds the part of a file that is searched for its header.
const maxHeader = 4096

// generatedFrom returns the base name of the spec that a Go file was generated from, "" for a
// hand-written file.
func generatedFrom(path string) (string, error) {
	top, err := input.Start(path, maxHeader)
	if err != nil {
		return "", err
	}
	if i := packageClause.FindIndex(top); i != nil {
		top = top[:i[0]]
	}
	if m := header.FindSubmatch(top); m != nil {
		return string(m[1]), nil
	}
	return "", nil
}

var packageClause = regexp.MustCompile(`(?m)^package\s`)

// texts iterates over the files of prompts that were read.
func (s *source) texts() iter.Seq[*spec.TextFile] {
	return func(yield func(*spec.TextFile) bool) {
		if s.graph == nil {
			return
		}
		for t := range s.graph.Texts() {
			if t.In != nil && !yield(t.In) {
				return
			}
		}
	}
}

// selected returns the specs of the folder that the operands name.
func (f *folder) selected() []*source {
	return slices.DeleteFunc(slices.Clone(f.sources), func(s *source) bool { return !s.selected })
}

// findings reads and checks the specs of the folders, and returns the diagnostics of the selected
// ones in file order.
func findings(ctx context.Context, folders []*folder) []diag.Diagnostic {
	return disk.findings(ctx, folders)
}

func (o *overlay) findings(ctx context.Context, folders []*folder) []diag.Diagnostic {
	var found []diag.Diagnostic
	here, err := filepath.Abs(".")
	if err != nil {
		here = "." // then the files of other folders have no import path
	}
	c := &checker{ctx: ctx, open: o, flows: map[*spec.Graph]*cfg.Graph{}, found: map[*spec.Graph][]diag.Diagnostic{}}
	c.linker = link.New(here, o.readSpec, c.check).ReadFiles(o.below).ListFolders(o.list).FindPackages(o.packages(ctx))
	read := make(map[*source][]diag.Diagnostic)
	for _, f := range folders {
		for _, s := range f.sources {
			if s.inGo {
				continue
			}
			s.graph, read[s] = spec.LoadAgain(s.path, s.text, o.pieces)
			if s.graph != nil {
				c.linker.Add(s.graph, read[s])
			}
		}
	}
	var graphs []*spec.Graph
	for _, f := range folders {
		found = append(found, f.check(c, read)...)
		for _, s := range f.selected() {
			if s.graph != nil {
				graphs = append(graphs, s.graph)
			}
		}
	}
	return diag.Sort(append(found, link.Packages(graphs)...))
}

// A checker links and checks the specs of one invocation, each once.
type checker struct {
	ctx    context.Context
	open   *overlay
	linker *link.Linker
	flows  map[*spec.Graph]*cfg.Graph
	found  map[*spec.Graph][]diag.Diagnostic
}

// build returns the control-flow graph of a linked spec.
func (c *checker) build(g *spec.Graph) *cfg.Graph {
	if c.flows[g] == nil {
		c.open.refusePrograms(c.ctx, g)
		c.flows[g] = cfg.Of(g)
	}
	return c.flows[g]
}

// check returns the diagnostics of a linked spec.
func (c *checker) check(g *spec.Graph) []diag.Diagnostic {
	if _, done := c.found[g]; !done {
		c.found[g] = check.Run(c.build(g))
	}
	return c.found[g]
}

// flow links a spec and returns its control-flow graph. It checks the spec if wanted is set or
// another spec uses it.
func (c *checker) flow(g *spec.Graph, wanted bool) *cfg.Graph {
	if c.linker.Link(g) { // files in a ring are linked again
		delete(c.flows, g)
		delete(c.found, g)
	}
	if wanted {
		c.check(g)
	}
	return c.build(g)
}

func (f *folder) check(c *checker, read map[*source][]diag.Diagnostic) []diag.Diagnostic {
	var found []diag.Diagnostic
	var flows []*cfg.Graph
	found = append(found, f.tagged.found...)
	for _, s := range f.sources {
		if s.graph != nil {
			s.flow = c.flow(s.graph, s.selected)
			flows = append(flows, s.flow)
		}
		if s.selected {
			found = append(found, read[s]...)
			found = append(found, c.found[s.graph]...)
		}
	}
	for _, d := range check.Package(flows) {
		if slices.ContainsFunc(f.sources, func(s *source) bool { return s.selected && s.path == d.File }) {
			found = append(found, d)
		}
	}
	if !diag.HasErrors(found) {
		found = append(found, f.shadowed()...)
	}
	return found
}

// shadowed reports declarations of the package that clash with imports of generated files. The
// selected graphs have no errors.
func (f *folder) shadowed() (found []diag.Diagnostic) {
	for _, s := range f.selected() {
		ds, err := golang.Shadowed(s.flow)
		if err == nil { // else compile returns it
			found = append(found, ds...)
		}
	}
	return found
}

// checked reads and checks the specs of a selection. It reports what it finds, except notes, and returns
// errFound if that has errors.
func (t *terminal) checked(ctx context.Context, p paths) ([]*folder, error) {
	folders, err := readFolders(ctx, p)
	if err != nil {
		return nil, err
	}
	return folders, t.refuse(diag.WithoutNotes(findings(ctx, folders)), folders, false)
}

// refuse reports diagnostics, and returns errFound if there are errors among them.
func (t *terminal) refuse(found []diag.Diagnostic, folders []*folder, asJSON bool) error {
	if err := t.report(found, folders, asJSON); err != nil || !diag.HasErrors(found) {
		return err
	}
	return errFound
}

// besideSpecs are the suffixes of files with diagnostics that no folder holds.
var besideSpecs = []string{goSuffix, shape.LockSuffix, scenario.Suffix}

// report writes diagnostics: as text to the error stream, or as JSON to the output.
func (t *terminal) report(found []diag.Diagnostic, folders []*folder, asJSON bool) error {
	if asJSON {
		return diag.JSON(t.out, found)
	}
	texts := make(map[string][]byte)
	for _, f := range folders {
		for _, s := range f.sources {
			texts[s.path] = s.text
			for text := range s.texts() {
				texts[text.Path] = text.Source
			}
		}
		for _, file := range f.tagged.files {
			texts[file.path] = file.text
		}
	}
	for _, d := range found {
		if texts[d.File] == nil && slices.ContainsFunc(besideSpecs, func(end string) bool { return strings.HasSuffix(d.File, end) }) {
			texts[d.File], _ = input.Read(d.File, input.MaxGo)
		}
	}
	return diag.Render(t.marked, found, diag.Options{
		Color:  t.color,
		Source: func(file string) []byte { return texts[file] },
	})
}
