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

// specSuffix is how the names of graphs end; those of files of types end otherwise.
const specSuffix = ".graph.yaml"

// suffixes are the ends of the names of specs, in words.
var suffixes = strings.Join(link.Suffixes, " or ")

// goSuffix is how the names of Go files end, which may hold graphs too.
const goSuffix = ".go"

// paths is the operand of every verb that works on specs.
type paths struct {
	Paths []string `arg:"" optional:"" help:"Spec files, Go files with graphs, directories, or patterns such as ./... (default: the current directory)."`
}

// A selection is a directory and the specs in it that the operands name.
type selection struct {
	dir   string   // "." or a cleaned path
	specs []string // file names, sorted
	whole bool     // the directory itself was named, not files in it
	named bool     // by its own name, not found by a pattern
}

// find returns the directories the operands name, in order of their paths.
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

// add finds what one operand names.
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
		return fmt.Errorf("%s: a pattern is a directory and /... behind it", operand)
	}
	info, err := os.Stat(operand)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: no such file or directory%s", operand, meantVerb(operand))
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

// meantVerb suggests the verb that an operand nearly is.
func meantVerb(operand string) string {
	if verb, ok := diag.Suggest(operand, verbs()); ok {
		return fmt.Sprintf("; did you mean the verb %q?", verb)
	}
	return ""
}

// at returns the selection of a directory. One that is named in several ways is one, by
// the first of its names.
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

// isSpec reports whether a directory's entry is a spec. Go's tools pass over names that
// begin with . or _, and so does graphgen. A link that leads nowhere is one, so that reading
// it says so: a spec that is left out in silence is not generated either.
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

// isFile reports whether a directory's entry is a file, or a link to one.
func isFile(dir string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.Mode().IsRegular()
}

func hidden(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// addBelow selects every spec of a directory and of those below it, but for the ones that
// go leaves out of ./... too: vendor and testdata, names that begin with . or _, and other
// modules; and node_modules.
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
