package link

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/subprocess"
)

// A PackageFinder returns the folder of a Go package of another module, as the module of dir imports it, and ""
// if it does not exist.
type PackageFinder func(dir, importPath string) string

// GoPackages returns the finder that asks the go command.
func GoPackages(ctx context.Context) PackageFinder {
	return func(dir, importPath string) string {
		cmd := exec.CommandContext(ctx, "go", "list", "-e", "-find", "-f", "{{.Dir}}", "--", importPath)
		cmd.Dir = dir
		var out bytes.Buffer
		cmd.Stdout = &out
		if subprocess.Run(ctx, cmd) != nil {
			return ""
		}
		return strings.TrimSpace(out.String())
	}
}

// FindPackages sets the function that finds Go packages of other modules. Without it specs can use only packages of their own.
func (l *Linker) FindPackages(find PackageFinder) *Linker {
	l.packages = find
	return l
}

// A FolderLister returns the names of the files of a folder, an absolute path. It returns none if the folder does not exist.
type FolderLister func(dir string) []string

// ListFolders sets the function that lists the folders of Go packages. Without it ListFolder does.
func (l *Linker) ListFolders(list FolderLister) *Linker {
	l.list = list
	return l
}

// ListFolder returns the names of the files of a folder of the disk.
func ListFolder(dir string) (names []string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// ownPackage returns the folder of a package of the module that a folder is in, "" if it is of another.
func (l *Linker) ownPackage(dir, importPath string) string {
	root := l.root(dir)
	rest, own := strings.CutPrefix(importPath+"/", l.importPath(root)+"/")
	if !own || l.importPath(root) == "" {
		return ""
	}
	return filepath.Join(root, filepath.FromSlash(rest))
}

// OwnPackage returns the folder of a Go package of the module that a folder is in, "" if it is of another. read finds the go.mod.
func OwnPackage(dir, importPath string, read func(path string) ([]byte, error)) string {
	return New(dir, read, nil).ownPackage(dir, importPath)
}

// PackageFiles returns the folder of a Go package, as the specs of a folder use it, and the paths of its files of types. Without such a package the
// folder is empty.
func (l *Linker) PackageFiles(dir, importPath string) (folder string, paths []string) {
	folder = l.ownPackage(dir, importPath)
	if folder == "" && l.packages != nil {
		folder = l.packages(dir, importPath)
	}
	if folder == "" {
		return "", nil
	}
	for _, name := range l.list(folder) {
		if strings.HasSuffix(name, spec.TypesSuffix) {
			paths = append(paths, filepath.Join(folder, name))
		}
	}
	slices.Sort(paths)
	return folder, paths
}

// goPackage links the files of types of a Go package.
func (l *Linker) goPackage(u *spec.Use, by string, stack []string) {
	u.Graph, u.More = nil, nil
	folder, paths := l.PackageFiles(filepath.Dir(by), u.File.V)
	if folder == "" {
		u.Problem = &spec.Problem{Code: "GG138", Message: "there is no Go package " + strconv.Quote(u.File.V),
			Help: "name a package of this module or of one that go.mod requires, or the path of a file, as in ../common/common.types.yaml"}
		return
	}
	if len(paths) == 0 {
		u.Problem = &spec.Problem{Code: "GG138", Message: "the Go package " + strconv.Quote(u.File.V) + " has no file of types",
			Help: "the types and templates that a package shares are in files NAME" + spec.TypesSuffix}
		return
	}
	for _, path := range paths {
		if slices.Contains(stack, path) {
			u.Problem = ring(append(slices.Clone(stack), path), false)
			return
		}
		f := l.file(u, l.named(path, by), folder, stack)
		if f.problem != nil {
			u.Graph, u.More, u.Problem = nil, nil, f.problem
			return
		}
		if f.graph.Import == "" {
			f.graph.Import = u.File.V
		}
		if u.Graph == nil {
			u.Graph = f.graph
		} else {
			u.More = append(u.More, f.graph)
		}
	}
	u.Problem = nil
}

// named returns the name of a file: as the names of specs, relative to the folder of the linker, if it is in the module of the
// file that uses it.
func (l *Linker) named(path, by string) string {
	within, err := filepath.Rel(l.root(filepath.Dir(by)), path)
	if err != nil || !filepath.IsLocal(within) {
		return path
	}
	if name, err := filepath.Rel(l.dir, path); err == nil {
		return name
	}
	return path
}
