package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
)

// specSuffix is the suffix of graphs. Files of types have another.
const specSuffix = ".graph.yaml"

// suffixes is the list of spec suffixes for messages.
var suffixes = strings.Join(link.Suffixes, " or ")

// goSuffix is the suffix of Go files, which may contain graphs.
const goSuffix = ".go"

// paths is the operand of every verb that works on specs.
type paths struct {
	Paths []string `arg:"" optional:"" help:"Spec files, Go files with graphs, directories, or patterns such as ./... (default: the current directory)."`
}

// A selection is a directory with the specs in it that the operands name.
type selection struct {
	dir   string   // "." or a cleaned path
	specs []string // file names, sorted
	whole bool     // the directory itself was named
	named bool     // named directly, not found by a pattern
}

// find returns the directories that the operands name, sorted by path.
func (p paths) find() ([]*selection, error) {
	operands := p.Paths
	if len(operands) == 0 {
		operands = []string{"."}
	}
	found := make(map[string]*selection)
	for _, operand := range operands {
		if err := add(found, operand); err != nil {
			return nil, err
		}
	}
	list := make([]*selection, 0, len(found))
	for _, s := range found {
		slices.Sort(s.specs)
		s.specs = slices.Compact(s.specs)
		list = append(list, s)
	}
	slices.SortFunc(list, func(a, b *selection) int { return cmp.Compare(a.dir, b.dir) })
	return list, nil
}

// add adds the specs of one operand.
func add(found map[string]*selection, operand string) error {
	if operand == "" {
		return errors.New("a path is empty")
	}
	slashed := filepath.ToSlash(operand)
	if root, ok := strings.CutSuffix(slashed, "..."); ok && (root == "" || strings.HasSuffix(root, "/")) {
		if root != "/" {
			root = strings.TrimSuffix(root, "/")
		}
		return addBelow(found, filepath.Clean(filepath.FromSlash(root)))
	}
	if strings.Contains(operand, "...") {
		return fmt.Errorf("%s: a pattern is a directory and /... after it", operand)
	}
	info, err := os.Stat(operand)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such file or directory%s", operand, similarVerb(operand))
	case err != nil:
		return err
	case info.IsDir():
		return addDir(found, filepath.Clean(operand), true)
	case !link.IsSpec(operand) && !strings.HasSuffix(operand, goSuffix):
		return fmt.Errorf("%s: the name of a spec ends in %s or %s", operand, suffixes, goSuffix)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s: it is %s, not a regular file", operand, input.Irregular(info.Mode()))
	case strings.HasSuffix(operand, goSuffix) && !holdsGraph(operand):
		return fmt.Errorf("%s: no //graphgen:graph comment is in it", operand)
	}
	dir, name := filepath.Split(operand)
	s := at(found, filepath.Clean(dir))
	s.specs = append(s.specs, name)
	return nil
}

// similarVerb suggests a verb that is similar to an operand.
func similarVerb(operand string) string {
	if verb, ok := diag.Suggest(operand, verbs()); ok {
		return fmt.Sprintf("; did you mean the verb %q?", verb)
	}
	return ""
}

// at returns the selection of a directory. A directory with several names has one selection, under
// the first name.
func at(found map[string]*selection, dir string) *selection {
	key := dir
	if abs, err := filepath.Abs(dir); err == nil {
		key = abs
	}
	s, ok := found[key]
	if !ok {
		s = &selection{dir: dir}
		found[key] = s
	}
	return s
}

// addDir selects every spec of a directory.
func addDir(found map[string]*selection, dir string, named bool) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	s := at(found, dir)
	s.whole = true
	s.named = s.named || named
	for _, e := range entries {
		if isSpec(dir, e) {
			s.specs = append(s.specs, e.Name())
		}
	}
	return nil
}

// isSpec reports whether a directory entry is a spec. Names that begin with . or _ are not, as for
// Go's tools. A broken link is a spec, so that reading it reports an error instead of ignoring it.
func isSpec(dir string, e fs.DirEntry) bool {
	if !link.IsSpec(e.Name()) || hidden(e.Name()) {
		return false
	}
	if e.Type()&fs.ModeSymlink != 0 {
		if _, err := os.Stat(filepath.Join(dir, e.Name())); err != nil {
			return true
		}
	}
	return isFile(dir, e)
}

// isFile reports whether a directory entry is a file, or a link to one.
func isFile(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.Mode().IsRegular()
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// addBelow selects every spec of a directory tree. It skips what ./... skips for the go command
// (vendor, testdata, names that begin with . or _, other modules) and node_modules.
func addBelow(found map[string]*selection, root string) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if path == root && errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: no such directory", root)
		}
		if err != nil {
			return err
		}
		if !e.IsDir() {
			return nil
		}
		if path != root {
			switch name := e.Name(); {
			case hidden(name), name == "vendor", name == "testdata", name == "node_modules":
				return fs.SkipDir
			}
			if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
				return fs.SkipDir
			}
		}
		return addDir(found, path, false)
	})
}
