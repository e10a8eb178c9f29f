package lsp

import (
	"cmp"
	"context"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A file is a file of the workspace, as the editor has it open, or as it is on the disk.
type file struct {
	abs  string
	text *text
	read *read // of a spec
}

// file returns a file, nil if it cannot be read.
func (s *Server) file(abs string) *file {
	for _, d := range s.docs {
		if d.abs == abs {
			f := &file{abs: abs, text: d.text}
			if d.isSpec() {
				f.read = d.outline()
			}
			return f
		}
	}
	content, err := input.Read(abs, spec.MaxFile)
	if err != nil {
		return nil
	}
	f := &file{abs: abs, text: newText(content)}
	if link.IsSpec(filepath.Base(abs)) {
		f.read = readOutline(content, mappingOf(abs))
	}
	return f
}

// occurrences returns what a file declares or names.
func (f *file) occurrences() []occurrence {
	return occurrencesOf(f.abs, f.text.bytes, func() *read { return f.read })
}

// beside returns the files of a folder that a function accepts, those too that are open alone.
func (s *Server) beside(dir string, is func(name string) bool) (list []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if e.Type().IsRegular() && is(e.Name()) {
			list = append(list, filepath.Join(dir, e.Name()))
		}
	}
	for _, d := range s.sorted() {
		if filepath.Dir(d.abs) == dir && is(filepath.Base(d.abs)) && !slices.Contains(list, d.abs) {
			list = append(list, d.abs)
		}
	}
	return list
}

// mostFolders is how many folders are looked through for files that name another.
const mostFolders = 2000

// specsBelow returns the specs of a folder and all below it, as the pattern ./... has them.
func (s *Server) specsBelow(root string) (list []string) {
	folders := 0
	root += string(filepath.Separator) // a link to a folder is followed
	_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return nil
		}
		if name := e.Name(); path != root && (strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") || name == "vendor" || name == "node_modules" ||
			name == "testdata") {
			return fs.SkipDir
		}
		if folders++; folders > mostFolders {
			return fs.SkipAll
		}
		list = append(list, s.beside(filepath.Clean(path), link.IsSpec)...)
		return nil
	})
	return list
}

// owners returns the specs that a file belongs to. A spec belongs to itself, a file of scenarios to its graph, a Go file to the specs of its folder,
// and the file of a prompt to the specs that name it.
func (s *Server) owners(f *file) (list []string) {
	dir := filepath.Dir(f.abs)
	switch {
	case f.read != nil:
		return []string{f.abs}
	case isScenarios(f.abs):
		for _, e := range outlineOf(f.text.bytes) {
			if e.parent == -1 && e.key == "graph" && e.style.isScalar() {
				return []string{filepath.Join(dir, filepath.FromSlash(decode(e.scalar(f.text.bytes))))}
			}
		}
		return nil
	case strings.HasSuffix(f.abs, ".go"):
		return s.beside(dir, link.IsSpec)
	}
	for range mostAbove {
		for _, path := range s.beside(dir, link.IsSpec) {
			if by := s.file(path); by != nil && slices.Contains(by.prompts(), f.abs) {
				list = append(list, path)
			}
		}
		if up := filepath.Dir(dir); up == dir || len(list) > 0 {
			break
		} else {
			dir = up
		}
	}
	return list
}

// mostAbove is how many folders above the file of a prompt are looked through for its spec.
const mostAbove = 5

// prompts returns the files of prompts that a spec names.
func (f *file) prompts() (list []string) {
	for i := range f.read.entries {
		if path := f.named(i); path != "" && f.read.slots[i].of != nil && f.read.slots[i].of.Name == "text file" {
			list = append(list, path)
		}
	}
	return list
}

// named returns the path of the file that the value of an entry names, "" if it names none.
func (f *file) named(i int) string {
	e, s := &f.read.entries[i], &f.read.slots[i]
	in := f.read.around(i)
	isFile := s.of != nil && s.of.Name == "text file" && e.key == "file" || in.key != nil && in.key.Form == spec.FormUses && !e.item && f.importPath(i) == "" ||
		s.of != nil && s.of.Name == "node" && e.key == "graph" && spec.NamesFile(decode(e.scalar(f.text.bytes)))
	if !e.style.isScalar() || !isFile {
		return ""
	}
	return filepath.Join(filepath.Dir(f.abs), filepath.FromSlash(decode(e.scalar(f.text.bytes))))
}

// importPath returns the import path of the Go package that an entry of the section use names, "" if it names a file.
func (f *file) importPath(i int) string {
	use := spec.Use{File: spec.String{V: f.read.nameAt(i)}}
	if !use.OfPackage() {
		return ""
	}
	return use.File.V
}

// uses returns the files that a spec uses, by their names in it: of a Go package of its module, all files of types.
func (s *Server) uses(f *file) map[string][]string {
	list := map[string][]string{}
	for _, i := range f.read.namesIn("use") {
		name := decode(f.read.entries[i].keyText(f.text.bytes))
		if path := f.named(i); path != "" && link.IsSpec(path) {
			list[name] = []string{path}
		} else if folder := link.OwnPackage(filepath.Dir(f.abs), f.importPath(i), os.ReadFile); folder != "" {
			list[name] = s.beside(folder, func(name string) bool { return strings.HasSuffix(name, spec.TypesSuffix) })
		}
	}
	return list
}

// runs returns the files of the graphs that the nodes of a spec run, by the entries of the nodes. A node has the name of its own graph, or of one that
// the spec uses, or the path of a file. The nodes of templates are among them.
func (s *Server) runs(f *file) map[int]string {
	list := map[int]string{}
	uses, own := s.uses(f), f.read.nameAt(f.read.child(-1, "graph"))
	for i := range f.read.entries {
		e, slot := &f.read.entries[i], &f.read.slots[i]
		if e.key != "graph" || e.parent < 0 || !slot.free && (slot.of == nil || slot.of.Name != ofNode) {
			continue
		}
		switch name := f.read.nameAt(i); {
		case name == "":
		case spec.NamesFile(name):
			list[e.parent] = filepath.Join(filepath.Dir(f.abs), filepath.FromSlash(name))
		case len(uses[name]) == 1:
			list[e.parent] = uses[name][0]
		case name == own:
			list[e.parent] = f.abs
		}
	}
	return list
}

// names returns the files that a spec names: it uses them, runs their graphs, or has the texts of its prompts there.
func (s *Server) names(f *file) []string {
	return slices.Concat(slices.Concat(slices.Collect(maps.Values(s.uses(f)))...), slices.Collect(maps.Values(s.runs(f))), f.prompts())
}

// graph returns the graph of a spec, nil if it cannot be read.
func (s *Server) graph(ctx context.Context, abs string) *resolve.Graph {
	checked, err := s.compiler.Check(ctx, namedPath(abs), s.open())
	if err != nil || len(checked.Flows) == 0 {
		return nil
	}
	return checked.Flows[0].Spec
}

// lastGraph returns the graph of a spec, nil if it cannot be read. Of a document it is as the last check found it that could read the document: a
// check costs much for a request that editors make for each move of the cursor.
func (s *Server) lastGraph(ctx context.Context, abs string) *resolve.Graph {
	var last *resolve.Graph
	for _, d := range s.docs {
		if d.abs != abs {
			continue
		}
		if flow := d.flow(); flow != nil {
			last = flow.Spec
		}
		if !d.dirty {
			return last
		}
	}
	return cmp.Or(s.graph(ctx, abs), last)
}

// A target is a symbol of a file.
type target struct {
	symbol
	abs string // the spec that declares it
}

// targets returns what an occurrence in a file may refer to.
func (s *Server) targets(ctx context.Context, f *file, o occurrence) (list []target) {
	for _, owner := range s.owners(f) {
		owner = s.within(owner, o.within)
		of := s.file(owner)
		if of == nil || of.read == nil {
			continue
		}
		if use, name, qualified := strings.Cut(o.name, "."); qualified {
			for _, path := range s.uses(of)[use] {
				if used := s.file(path); used != nil && used.read != nil && used.read.declares(o.of, name) {
					list = append(list, target{symbol{o.of, name}, path})
				}
			}
			continue
		}
		meant := of.read.meant(o.symbol)
		if of.read.declares(meant.of, meant.name) && o.holds(func() *resolve.Graph { return s.graph(ctx, owner) }) {
			list = append(list, target{meant, owner})
		}
	}
	return list
}

// within returns the spec of the graph that a chain of nodes leads to, each a node of the graph that the node before it runs; the first is a node of a
// spec, which an empty chain leads to. It returns "" if the chain leads to none.
func (s *Server) within(abs, chain string) string {
	if chain == "" {
		return abs
	}
	for node := range strings.SplitSeq(chain, "/") {
		f := s.file(abs)
		if f == nil || f.read == nil {
			return ""
		}
		abs = s.runs(f)[f.read.declaration(symbol{ofNode, node})]
	}
	return abs
}

// isField reports whether a member of what a node gives is the state field of that name: the node writes it from there. A handler that takes the state
// gives fields of it. Of a graph or a node that is not known any member may be.
func isField(g *resolve.Graph, node, name string) bool {
	if g == nil || g.Node(node) == nil {
		return true
	}
	n := g.Node(node)
	return n.TakesState && n.Spec.Output == nil || slices.ContainsFunc(n.Writes, func(w resolve.Write) bool { return ofSameName(w, name) })
}

// holds reports whether a name in what a node gives in a script is one of its graph: a field that the node writes to the state, or the next node.
func (o *occurrence) holds(graph func() *resolve.Graph) bool {
	switch {
	case o.route != "":
		return isRoute(graph(), o.node, o.route, o.name)
	case o.node != "":
		return isField(graph(), o.node, o.name)
	}
	return true
}

// ofSameName reports whether a state field is written from the field of an output that has its name.
func ofSameName(w resolve.Write, name string) bool {
	return w.To != nil && w.To.Name == name && w.From != nil && w.From.Name == name
}

// A found is an occurrence in a file.
type found struct {
	file *file
	occurrence
}

// references returns every place that declares or names a target, in specs, the files of their prompts and their scenarios.
func (s *Server) references(ctx context.Context, t target) (list []found) {
	own := s.file(t.abs)
	if own == nil || own.read == nil {
		return nil
	}
	for _, o := range s.occurrences(ctx, own) {
		if o.symbol == t.symbol {
			list = append(list, found{own, o})
		}
	}
	list = append(list, s.asSubgraph(own, t)...)
	list = append(list, s.constants(own, own, t)...)
	graph := sync.OnceValue(func() *resolve.Graph { return s.graph(ctx, own.abs) })
	if t.of == ofNode {
		list = append(list, routeValues(graph(), own, t)...)
	}
	for _, path := range own.related(s, t) {
		f := s.file(path)
		if f == nil {
			continue
		}
		list = append(list, s.constants(f, own, t)...)
		for _, o := range f.occurrences() {
			switch {
			case f.read != nil:
				if !s.isUse(f, o, t) {
					continue
				}
			case own.read.meant(o.symbol) != t.symbol, !s.isOf(f, o, own), !o.holds(graph):
				continue
			}
			list = append(list, found{f, o})
		}
	}
	return list
}

// isOf reports whether a name in a file of scenarios or of a prompt, which is related to a spec, is a name of that spec.
func (s *Server) isOf(f *file, o occurrence, own *file) bool {
	return !isScenarios(f.abs) || slices.ContainsFunc(s.owners(f), func(owner string) bool { return s.within(owner, o.within) == own.abs })
}

// asSubgraph returns where specs name a field of a graph that they run, as one of its inputs or outputs.
func (s *Server) asSubgraph(own *file, t target) (list []found) {
	if t.of != ofField {
		return nil
	}
	for _, path := range s.specsAround(own.abs) {
		f := s.file(path)
		if f == nil || f.read == nil {
			continue
		}
		runs := s.runs(f)
		for _, n := range slices.Sorted(maps.Keys(runs)) {
			if runs[n] != own.abs {
				continue
			}
			for _, i := range f.read.children(f.read.child(n, "in")) {
				if w := f.read.entries[i].keyText(f.text.bytes); f.read.entries[i].parent >= 0 && decode(w) == t.name {
					list = append(list, found{f, occurrence{symbol: t.symbol, at: w.at, end: w.at + len(w.raw), entry: i}})
				}
			}
			for _, i := range f.read.children(f.read.child(n, "out")) {
				if w := f.read.entries[i].scalar(f.text.bytes); f.read.entries[i].parent >= 0 && decode(w) == t.name && w.raw != "" {
					list = append(list, found{f, occurrence{symbol: t.symbol, at: w.at, end: w.at + len(w.raw), entry: i}})
				}
			}
		}
	}
	return list
}

// specsAround returns the specs that may name a file: in its module, else in the current folder, else in its own folder. The current folder is
// searched first, if it is in the module.
func (s *Server) specsAround(abs string) []string {
	dir := filepath.Dir(abs)
	root := link.Root(dir, os.ReadFile)
	_, err := os.Stat(filepath.Join(root, "go.mod"))
	here, cannot := os.Getwd()
	var list []string
	switch {
	case cannot != nil:
	case err != nil && isBelow(here, abs):
		root = here
	case err == nil && isBelow(root, here):
		list = s.specsBelow(here)
	}
	list = append(list, s.specsBelow(root)...)
	slices.Sort(list)
	return slices.Compact(list)
}

// isBelow reports whether a path is a folder, or in it.
func isBelow(folder, path string) bool {
	below, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(below)
}

// related returns the files that may name a symbol of a spec.
func (f *file) related(s *Server, t target) (list []string) {
	switch t.of {
	case ofNode, ofField, ofTool, ofEnd:
		if t.of == ofField {
			list = append(list, f.prompts()...)
		}
		for _, path := range s.usersOf(f.abs, []string{f.abs}) {
			list = append(list, s.scenariosOf(path)...)
		}
	default:
		for _, path := range s.specsAround(f.abs) {
			if path != f.abs {
				list = append(list, path)
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// isUse reports whether an occurrence in another spec names a target by a use.
func (s *Server) isUse(f *file, o occurrence, t target) bool {
	use, name, qualified := strings.Cut(o.name, ".")
	return qualified && o.of == t.of && name == t.name && slices.Contains(s.uses(f)[use], t.abs)
}

// methodName returns the name of the method of the handlers that a node is.
func methodName(node string) string { return goname.Exported(node) }

// scenariosOf returns the files of scenarios of a spec.
func (s *Server) scenariosOf(abs string) (list []string) {
	for _, path := range s.beside(filepath.Dir(abs), func(name string) bool { return strings.HasSuffix(name, scenario.Suffix) }) {
		if f := s.file(path); f != nil && slices.Contains(s.owners(f), abs) {
			list = append(list, path)
		}
	}
	return list
}
