// Package link finds the files that specs use, links what they declare, and reads the texts of prompts
// that are in files. Functions read the files, so the linker does not depend on a file system.
package link

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/prelude"
	"github.com/graphgen/graphgen/spec/template"
)

// A Linker finds the files that specs use. It reads each file once.
type Linker struct {
	dir     string
	read    func(path string) ([]byte, error)
	check   func(*spec.Graph) []diag.Diagnostic
	files   map[string]*file // by absolute path
	linked  map[*spec.Graph]bool
	modules map[string]string // import paths by folder; empty: no go.mod

	readFile FileReader    // nil: files are read with read
	packages PackageFinder // nil: no Go packages are found
	list     FolderLister
	prelude  *spec.Use
}

// New returns a linker for specs with file names relative to dir, an absolute path. read reads the
// file of an absolute path; if it does not exist, its error is fs.ErrNotExist. check checks a used file
// after it is linked: a file with errors cannot be used. A nil check accepts all files.
func New(dir string, read func(path string) ([]byte, error), check func(*spec.Graph) []diag.Diagnostic) *Linker {
	if check == nil {
		check = func(*spec.Graph) []diag.Diagnostic { return nil }
	}
	return &Linker{dir: dir, read: read, check: check, files: map[string]*file{}, linked: map[*spec.Graph]bool{},
		modules: map[string]string{}, list: ListFolder, prelude: prelude.Use()}
}

// Prelude sets the templates that specs have without a use. Without it they are in package prelude.
func (l *Linker) Prelude(u *spec.Use) *Linker {
	l.prelude = u
	return l
}

// Among returns a linker for specs that use only one another, by name.
func Among(files []diag.File, check func(*spec.Graph) []diag.Diagnostic) *Linker {
	const dir = "/specs"
	return New(dir, func(path string) ([]byte, error) {
		for _, f := range files {
			if filepath.Join(dir, f.Name) == path {
				return []byte(f.Text), nil
			}
		}
		return nil, fs.ErrNotExist
	}, check)
}

// A file is a file that others use or may use.
type file struct {
	graph   *spec.Graph
	found   []diag.Diagnostic // by the reader
	used    bool
	problem *spec.Problem // why it cannot be used
}

// Add adds a file that has been read, with the findings of the reader. Files that use it share it.
func (l *Linker) Add(g *spec.Graph, found []diag.Diagnostic) {
	l.files[l.abs(g.File)] = &file{graph: g, found: found}
}

// Link finds the files that a spec uses, directly and indirectly. A use that fails gets a Problem,
// which package check reports. Link also expands the templates that the spec uses, reads the texts of prompts
// that are in files, and finds the import path of the spec's Go package. It reports
// whether the spec was not linked before: files are linked and checked with the files that use
// them.
func (l *Linker) Link(g *spec.Graph) bool {
	if l.linked[g] && !inRing(g) { // a ring is reported as it begins at this file
		return false
	}
	abs := l.abs(g.File)
	l.link(g, abs, []string{abs})
	return true
}

func inRing(g *spec.Graph) bool {
	return slices.ContainsFunc(g.Use, func(u *spec.Use) bool { return u.Problem != nil && u.Problem.Code == "GG139" })
}

func (l *Linker) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(l.dir, path)
}

// link links a file that the files of the stack use.
func (l *Linker) link(g *spec.Graph, abs string, stack []string) {
	l.linked[g] = true
	g.Import = l.importPath(filepath.Dir(abs))
	l.uses(g, g.Use, abs, stack)
	template.Expand(g, l.prelude)
	l.uses(g, ofNodes(g), abs, stack)
	l.Texts(g)
}

// ofNodes adds a use of each file that nodes name without one, as in graph: review.graph.yaml, and returns what it has added.
func ofNodes(g *spec.Graph) []*spec.Use {
	before := len(g.Use)
	for _, n := range g.Nodes {
		if !spec.NamesFile(n.Graph.V) || slices.ContainsFunc(g.Use, func(u *spec.Use) bool { return u.Names(n.Graph.V) }) {
			continue
		}
		name := goname.Import(strings.TrimSuffix(n.Graph.V, ".graph.yaml"))
		if !goname.Valid(name) {
			name = ""
		}
		for !goname.Package(name) || name == g.Name.V || slices.ContainsFunc(g.Use, func(u *spec.Use) bool { return u.Name.V == name }) {
			name += "graph"
		}
		g.Use = append(g.Use, &spec.Use{Name: spec.String{V: name, Pos: n.Graph.Pos}, File: n.Graph, Used: true, OfNode: true})
	}
	return g.Use[before:]
}

// uses links files that a file uses.
func (l *Linker) uses(g *spec.Graph, uses []*spec.Use, abs string, stack []string) {
	for _, u := range uses {
		switch {
		case u.File.V == "":
			continue // reported by the reader
		case u.File.V == l.prelude.File.V:
			u.Graph, u.More = l.prelude.Graph, l.prelude.More
			continue
		case u.OfPackage():
			l.goPackage(u, abs, stack)
			continue
		}
		u.Graph, u.Problem = nil, l.impossible(g, u, abs, stack)
		if u.Problem != nil {
			continue
		}
		path := filepath.Join(filepath.Dir(g.File), filepath.FromSlash(u.File.V))
		f := l.file(u, path, filepath.Dir(abs), stack)
		u.Problem = f.problem
		if f.problem == nil {
			u.Graph = f.graph
			if filepath.Dir(l.abs(u.Graph.File)) != filepath.Dir(abs) && u.Graph.Import == "" {
				u.Problem = unreachable(u)
			}
		}
		if u.Problem != nil {
			u.Graph = nil
		}
	}
}

// Suffixes are the suffixes of the file names of specs.
var Suffixes = []string{".graph.yaml", spec.TypesSuffix}

// IsSpec reports whether a file name is the name of a spec.
func IsSpec(name string) bool {
	return slices.ContainsFunc(Suffixes, func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

// impossible returns the problem of a use that is wrong whatever its file contains.
func (l *Linker) impossible(by *spec.Graph, u *spec.Use, abs string, stack []string) *spec.Problem {
	path := u.File.V
	switch {
	case filepath.IsAbs(path) || strings.HasPrefix(path, "/") || strings.Contains(path, `\`):
		return &spec.Problem{Code: "GG138", Message: "the path " + strconv.Quote(path) + " is not relative, with slashes",
			Help: "write it from the folder of this file, as in ../common/common.types.yaml"}
	case !IsSpec(path):
		return &spec.Problem{Code: "GG138", Message: "the file " + strconv.Quote(path) + " is not a spec",
			Help: "the name of a spec ends in " + strings.Join(Suffixes, " or ")}
	}
	target := filepath.Join(filepath.Dir(abs), filepath.FromSlash(path))
	if at := slices.Index(stack, target); at >= 0 {
		runs := slices.ContainsFunc(by.Nodes, func(n *spec.Node) bool { return u.Names(n.Graph.V) })
		return ring(append(slices.Clone(stack[at:]), target), runs)
	}
	dir := filepath.Dir(target)
	for _, s := range stack {
		if filepath.Dir(s) == dir && dir != filepath.Dir(abs) {
			return &spec.Problem{Code: "GG139",
				Message: "the package of " + strconv.Quote(path) + " would import itself, by way of the package of " + filepath.Base(abs),
				Help:    "put the types that both use into a folder of their own"}
		}
	}
	return nil
}

// ring returns the problem of files that use one another. runs reports that they run one another's
// graphs.
func ring(paths []string, runs bool) *spec.Problem {
	names := make([]string, len(paths))
	for i, p := range paths {
		names[i] = filepath.Base(p)
	}
	message, help := "the file uses itself", "put the types that they share into a file that uses none of them"
	switch {
	case runs && len(names) > 2:
		message, help = "the graphs run one another in a circle: "+strings.Join(names, " → "),
			"make them one graph: a graph that runs itself names itself, with max_depth"
	case runs:
		help = "a graph that runs itself names itself: " + diag.Set("graph", "ITS NAME") + ", with max_depth"
	case len(names) > 2:
		message = "the files use one another in a ring: " + strings.Join(names, " → ")
	}
	return &spec.Problem{Code: "GG139", Message: message, Help: help}
}

// file reads, links and checks a file that is used from a folder, in whose module it must be.
func (l *Linker) file(u *spec.Use, path, from string, stack []string) *file {
	abs, root := l.abs(path), l.root(from)
	if !inside(root, abs) {
		problem := outside(&OutsideError{}, "GG138", u.File.V, "")
		if l.importPath(from) == "" {
			problem = unreachable(u)
		}
		return &file{problem: problem}
	}
	f := l.files[abs]
	switch {
	case f == nil:
		f = &file{}
		l.files[abs] = f
		text, err := l.below(root, abs, SpecFiles)
		f.problem = outside(err, "GG138", u.File.V, "is not a spec")
		switch {
		case f.problem != nil:
			return f
		case errors.Is(err, fs.ErrNotExist):
			f.problem = &spec.Problem{Code: "GG138", Message: "there is no file " + strconv.Quote(u.File.V),
				Help: "paths are relative to the folder of this file"}
			return f
		case err != nil:
			f.problem = &spec.Problem{Code: "GG138", Message: "the file " + strconv.Quote(u.File.V) + " cannot be read: " + cause(err).Error()}
			return f
		}
		f.graph, f.found = spec.Load(path, text)
	case f.used || f.problem != nil:
		return f
	}
	f.used = true
	found := slices.Clone(f.found)
	if f.graph != nil {
		l.link(f.graph, abs, append(slices.Clip(stack), abs))
		found = append(found, l.check(f.graph)...)
	}
	f.problem = problemOf(u, f.graph, diag.Sort(found))
	return f
}

// problemOf returns the problem of a used file with errors. In a ring of files, the ring is the
// problem of each of them.
func problemOf(u *spec.Use, g *spec.Graph, found []diag.Diagnostic) *spec.Problem {
	if g != nil {
		for _, inner := range g.Use {
			if p := inner.Problem; p != nil && p.Code == "GG139" {
				return p
			}
		}
	}
	errs := slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	if len(errs) == 0 {
		return nil
	}
	first := errs[0]
	return &spec.Problem{
		Code:    "GG138",
		Message: fmt.Sprintf("the file %q has errors: %s%d:%d: %s", u.File.V, inText(first.Pos), first.Pos.Line, first.Pos.Col, first.Message),
		Help:    "mend it first: graphgen check shows all that is wrong with it",
	}
}

// inText names the file of a position that is not in the spec.
func inText(pos spec.Pos) string {
	if pos.File == "" {
		return ""
	}
	return filepath.ToSlash(pos.File) + ":"
}

// unreachable returns the problem of a used file whose Go package cannot be imported.
func unreachable(u *spec.Use) *spec.Problem {
	return &spec.Problem{Code: "GG140", Message: "the import path of the Go package of " + strconv.Quote(u.File.V) + " is unknown",
		Help: "it is in another folder, so it needs a module: run go mod init above both"}
}
