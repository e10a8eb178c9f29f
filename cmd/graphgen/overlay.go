package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// An overlay reads files: the text in the editor of a file that it has open, and other files from the disk.
type overlay struct {
	texts map[string][]byte // of open files, by absolute path
	asked map[string]bool   // the absolute paths of the files and folders that were asked for; nil: they are not wanted

	find link.PackageFinder // finds Go packages; nil: link.GoPackages

	pieces *yamlread.Pieces // of specs that were read before; nil: none are kept
}

// packages returns what finds Go packages.
func (o *overlay) packages(ctx context.Context) link.PackageFinder {
	if o.find != nil {
		return o.find
	}
	return link.GoPackages(ctx)
}

// disk has no open files.
var disk = new(overlay)

// text returns the text of an open file.
func (o *overlay) text(path string) (text []byte, open bool) {
	if o.asked == nil && len(o.texts) == 0 {
		return nil, false
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, false
	}
	if o.asked != nil {
		o.asked[abs] = true
	}
	text, open = o.texts[abs]
	return text, open
}

// read is input.Read.
func (o *overlay) read(path string, most int64) ([]byte, error) {
	if text, open := o.text(path); open && int64(len(text)) <= most {
		return text, nil
	}
	return input.Read(path, most)
}

// start is input.Start.
func (o *overlay) start(path string, most int64) ([]byte, error) {
	if text, open := o.text(path); open {
		return text[:min(int64(len(text)), most)], nil
	}
	return input.Start(path, most)
}

// below is input.Below.
func (o *overlay) below(root, path string, kind link.FileKind) ([]byte, error) {
	if text, open := o.text(filepath.Join(root, filepath.FromSlash(path))); open {
		return text[:min(int64(len(text)), kind.Most+1)], nil
	}
	return input.Below(root, path, kind)
}

// list returns the names of the files of a folder, those too that are open alone.
func (o *overlay) list(dir string) []string {
	names := link.ListFolder(dir)
	if o.asked != nil {
		o.asked[dir] = true
	}
	for abs := range o.texts {
		if name := filepath.Base(abs); filepath.Dir(abs) == dir && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// readSpec reads a spec. Of a file that is too large it reads one byte more than the limit, so that
// the reader reports it.
func (o *overlay) readSpec(path string) ([]byte, error) { return o.start(path, spec.MaxFile+1) }

// listed reads a spec of a folder. A link is followed as one that a spec names is: to a spec of the same module.
func (o *overlay) listed(path string, e fs.DirEntry) ([]byte, error) {
	if _, open := o.text(path); open || e.Type()&fs.ModeSymlink == 0 {
		return o.readSpec(path)
	}
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	root := link.Root(filepath.Dir(abs), o.readSpec)
	below, err := filepath.Rel(root, abs)
	if err != nil {
		return nil, err
	}
	text, err := o.below(root, filepath.ToSlash(below), link.SpecFiles)
	if _, outside := errors.AsType[*link.OutsideError](err); outside {
		return nil, fmt.Errorf("%s: it is a link that leads out of the module, or, without a go.mod, out of the folder, or to a file that is not a spec", path)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: it is a link: %w", path, err)
	}
	return text, nil
}
