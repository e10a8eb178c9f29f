package main

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
)

// An output is a generated file with its wanted content.
type output struct {
	path    string
	spec    string // path of its spec
	content []byte
	changed bool // the file on disk differs or does not exist
	stub    bool // it is for the author to fill in: a file on disk stays as it is
	have    []byte
	mode    fs.FileMode // of the file on disk; 0: it does not exist
}

// A leftover is a generated file that no spec produces.
type leftover struct {
	path   string
	spec   string // path of the spec in its header
	orphan bool   // the spec does not exist
}

// A result is the generated files of the selected specs, compared with those on disk.
type result struct {
	outputs   []*output
	leftovers []leftover
}

// compile generates the files of the folders' selected specs, which have been checked, and compares
// them with those on disk. It writes nothing.
func compile(folders []*folder, askedPackage, goPackage string) (*result, error) {
	r := new(result)
	for _, f := range folders {
		made, err := f.emit(askedPackage, goPackage)
		if err != nil {
			return nil, err
		}
		for _, o := range made {
			if err := o.compare(); err != nil {
				return nil, err
			}
		}
		r.outputs = append(r.outputs, made...)
		r.leftovers = append(r.leftovers, f.leftovers(made)...)
	}
	return r, nil
}

// emit generates the files of a folder's selected specs.
func (f *folder) emit(askedPackage, goPackage string) ([]*output, error) {
	selected := f.selected()
	if len(selected) == 0 {
		return nil, nil
	}
	pkg, err := f.packageName(askedPackage, goPackage)
	if err != nil {
		return nil, err
	}
	var made []*output
	taken := make(map[string]*output) // by lower-cased name: some file systems ignore case
	for _, s := range selected {
		files, err := f.files(s, pkg)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.path, err)
		}
		for _, o := range files {
			name := strings.ToLower(filepath.Base(o.path))
			if other := taken[name]; other != nil && other.spec != s.path {
				return nil, fmt.Errorf("%s and %s both give %s; rename one of the specs", other.spec, s.path, o.path)
			}
			taken[name] = o
			made = append(made, o)
		}
	}
	return made, nil
}

// files generates the files of a spec.
func (f *folder) files(s *source, pkg string) ([]*output, error) {
	m := plan.Lower(s.flow, pkg)
	var err error
	if m.Release, err = s.workflowRelease(); err != nil {
		return nil, err
	}
	files, err := golang.Emit(m)
	if err != nil {
		return nil, err
	}
	versions, stubs, err := f.versions(s, m)
	if err != nil {
		return nil, err
	}
	var made []*output
	for _, file := range append(files, versions...) {
		made = append(made, &output{path: filepath.Join(f.dir, file.Name), spec: s.path, content: file.Content})
	}
	for _, stub := range stubs {
		made = append(made, &output{path: filepath.Join(f.dir, stub.Name), spec: s.path, content: stub.Content, stub: true})
	}
	return made, nil
}

// compare compares an output with the file on disk. It refuses to replace a file that graphgen did
// not write.
func (o *output) compare() error {
	info, err := os.Lstat(o.path)
	if os.IsNotExist(err) {
		o.changed = true
		return nil
	}
	if err != nil {
		return err
	}
	if o.stub {
		return nil
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s: it is %s, not a regular file, so what %s gives cannot be written there; move it away, or rename the spec",
			o.path, input.Irregular(info.Mode()), o.spec)
	}
	from, err := generatedFrom(o.path)
	if err != nil {
		return err
	}
	if from == "" {
		return fmt.Errorf("%s: graphgen did not write this file, so it is not replaced by what %s gives; move it away, or rename the spec", o.path, o.spec)
	}
	o.have, err = input.Read(o.path, input.MaxGo)
	if err != nil {
		return err
	}
	o.mode = info.Mode().Perm()
	o.changed = !bytes.Equal(o.have, o.content)
	return nil
}

// specBase returns the name of a spec without its suffix.
func specBase(name string) string {
	for _, suffix := range link.Suffixes {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

// leftovers returns the generated files of the folder that no spec produces: files of deleted
// specs, and files that selected specs do not need any more.
func (f *folder) leftovers(made []*output) []leftover {
	produced := make(map[string]bool)
	for _, o := range made {
		produced[filepath.Base(o.path)] = true
	}
	specs := make(map[string]*source)
	for _, s := range f.sources {
		specs[s.name] = s
	}
	var list []leftover
	for _, g := range f.goFiles {
		if g.from == "" || produced[g.name] {
			continue
		}
		l := leftover{path: filepath.Join(f.dir, g.name), spec: filepath.Join(f.dir, g.from)}
		switch s := specs[g.from]; {
		case s == nil && f.whole:
			l.orphan = true
			list = append(list, l)
		case s == nil || !s.selected:
		case s.inGo && artefact(g.name), strings.HasPrefix(g.name, specBase(g.from)+"_"): // else a copy, by hand
			list = append(list, l)
		}
	}
	return list
}
