package link

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/graphgen/graphgen/spec"
)

// A FileKind is a kind of files that specs name.
type FileKind struct {
	Most  int64                  // the size of the largest one, in bytes
	MayBe func(path string) bool // reports whether a path, with slashes, is one of such a file
}

// The kinds of files that specs name.
var (
	SpecFiles   = FileKind{Most: spec.MaxFile, MayBe: IsSpec}
	PromptFiles = FileKind{Most: spec.MaxText, MayBe: MayHoldText}
)

// A FileReader reads a file that a spec names, by a path below a root, with slashes. It returns one byte more than the
// most of a larger file, fs.ErrNotExist if it does not exist, and an OutsideError if links of the file system lead out of the
// root or to a file of another kind.
type FileReader func(root, path string, kind FileKind) ([]byte, error)

// An OutsideError reports a path that leads out of the module, or a link to a file that no path may name.
type OutsideError struct{ Link bool }

func (e *OutsideError) Error() string {
	if e.Link {
		return "it is a link to a file that cannot be named"
	}
	return "it leads out of the module"
}

// ReadFiles sets the function that reads the files that specs name. Without it the function that New was given reads them, and links are followed.
func (l *Linker) ReadFiles(read FileReader) *Linker {
	l.readFile = read
	return l
}

// below reads a file that a spec of a module names.
func (l *Linker) below(root, file string, kind FileKind) ([]byte, error) {
	below, err := filepath.Rel(root, file)
	switch {
	case err != nil || !filepath.IsLocal(below):
		return nil, &OutsideError{}
	case l.readFile == nil:
		return l.read(file)
	}
	return l.readFile(root, filepath.ToSlash(below), kind)
}

// inside reports whether a path does not lead out of a folder.
func inside(root, file string) bool {
	below, err := filepath.Rel(root, file)
	return err == nil && filepath.IsLocal(below)
}

// outside returns the problem of a path that leads out of the module, nil for any other error. A link must not lead to a
// file that cannot be what is read.
func outside(err error, code, file, cannot string) *spec.Problem {
	switch is, ok := errors.AsType[*OutsideError](err); {
	case !ok:
		return nil
	case is.Link:
		return &spec.Problem{Code: code, Message: "the file " + strconv.Quote(file) + " is a link to another, which " + cannot,
			Help: "a link must lead to a file that the path could name"}
	}
	return &spec.Problem{Code: code, Message: "the path " + strconv.Quote(file) + " leads out of the module",
		Help: "the file must be in the module of the spec; without a go.mod, below the folder of the spec"}
}

// root returns the folder of the module that a folder is in: the nearest one above with a go.mod. It
// is the folder itself without one.
func (l *Linker) root(dir string) string { return Root(dir, l.read) }

// Root returns the folder that the files of a folder may name files of: the folder of its go.mod, which read finds, else the folder itself.
func Root(dir string, read func(path string) ([]byte, error)) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := read(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// cause returns an error without the path of the file, which may be another on each machine.
func cause(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
