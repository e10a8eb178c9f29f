package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/input"
)

type upgradeVerb struct {
	paths
	From  string `placeholder:"VERSION" help:"The version of graphgen that the specs are written for, such as v0.1.0."`
	Write bool   `short:"w" help:"Write the changes that keep what a spec or a scenario means, with its comments."`
	JSON  bool   `name:"json" help:"Write what is found as a JSON array to standard output."`
}

func (upgradeVerb) Help() string {
	return `It reports each place in the specs and their scenarios that a newer version of graphgen reads differently or refuses, and
what to do there. The changelog lists these changes under "Changed in specs".

Without -from, it assumes the version of graphgen in go.mod, or, if the generated code is of an earlier kernel generation,
as after go get, that generation's version. Run it before graphgen generate, which rewrites the code.

A change that refuses a spec is an error. Any other change is a warning, which does not fail. -w makes the changes that need
no decision, but not in graphs in Go. With -json each change is an object as in check, whose code is a version or the code
of a diagnostic.

Examples:

  go get -tool github.com/graphgen/graphgen/cmd/graphgen@latest
  go tool graphgen upgrade ./...
  graphgen upgrade -from v0.1.0 -w ./...
`
}

// An origin is what is known about the version that specs are written for.
type origin struct {
	version    string // "": not known
	generation int    // of the generated code; 0: not known
}

// needs reports whether a change came after the origin.
func (o origin) needs(c *languageChange) bool {
	if o.generation > 0 && c.generation > 0 {
		return o.generation < c.generation
	}
	return semver.Compare(o.version, c.version) < 0
}

func (o origin) String() string {
	if o.version == "" || o.generation > 0 && o.generation < kernelGeneration {
		return "kernel generation " + strconv.Itoa(o.generation)
	}
	return o.version
}

// A finding is a place to which a change applies.
type finding struct {
	diag.Diagnostic
	text []byte                                        // of the file
	mend func(path string, text []byte, at int) []byte // nil: the author has to decide
}

// Run reports what the versions after the origin of the specs have changed in them.
func (v *upgradeVerb) Run(ctx context.Context, t *terminal) error {
	if v.From != "" {
		if !semver.IsValid(v.From) {
			return fmt.Errorf("-from %s: it is not a version, such as %s", v.From, latest)
		}
		if err := newer("-from", v.From); err != nil {
			return err
		}
	}
	u, err := v.find(ctx)
	if err != nil {
		return err
	}
	if v.Write {
		wrote, err := u.write(ctx)
		if err != nil {
			return err
		}
		for _, path := range wrote {
			if v.JSON {
				break
			}
			if _, err := fmt.Fprintln(t.out, "wrote "+path); err != nil {
				return err
			}
		}
		if len(wrote) > 0 {
			if u, err = v.find(ctx); err != nil {
				return err
			}
		}
	}
	return v.report(t, u)
}

// An upgraded is what was found in folders.
type upgraded struct {
	folders []*folder
	origins []origin // of the folders, each once
	found   []finding
}

// find looks for changes in the selected files.
func (v *upgradeVerb) find(ctx context.Context) (*upgraded, error) {
	folders, err := readFolders(ctx, v.paths)
	if err != nil {
		return nil, err
	}
	u := &upgraded{folders: folders}
	reported := findings(ctx, folders)
	for _, f := range folders {
		from := origin{version: v.From}
		if v.From == "" {
			if from, err = f.origin(); err != nil {
				return nil, err
			}
		}
		if !slices.Contains(u.origins, from) {
			u.origins = append(u.origins, from)
		}
		found, err := f.changes(from, reported)
		if err != nil {
			return nil, err
		}
		u.found = append(u.found, found...)
	}
	if !slices.ContainsFunc(folders, (*folder).holdsSpecs) {
		return nil, fmt.Errorf("there is no spec; the name of a spec ends in %s", suffixes)
	}
	return u, nil
}

// holdsSpecs reports whether the folder has a spec, or a Go file with a graph, that is selected.
func (f *folder) holdsSpecs() bool {
	return len(f.selected()) > 0 || slices.ContainsFunc(f.tagged.files, func(file taggedFile) bool { return file.selected })
}

// report writes what was found, and a line about the versions.
func (v *upgradeVerb) report(t *terminal, u *upgraded) error {
	var ds []diag.Diagnostic
	for _, f := range u.found {
		ds = append(ds, f.Diagnostic)
	}
	ds = diag.Sort(ds)
	refused := t.refuse(ds, u.folders, v.JSON)
	if v.JSON || refused != nil && !errors.Is(refused, errFound) {
		return refused
	}
	var names []string
	for _, o := range u.origins {
		names = append(names, o.String())
	}
	what := "nothing has changed in these specs"
	if len(ds) > 0 {
		what = fmt.Sprintf("places to look at: %d", len(ds))
	}
	if _, err := fmt.Fprintf(t.out, "from %s to %s: %s\n", strings.Join(names, ", "), latest, what); err != nil {
		return err
	}
	return refused
}

// graphgenModule is the module of the runtime that generated code links against.
const graphgenModule = "github.com/graphgen/graphgen"

var supports = regexp.MustCompile(`\bSupportsGen(\d+)\b`)

// origin returns what the go.mod above the folder and the generated files in it name.
func (f *folder) origin() (o origin, err error) {
	if o.version, err = required(f.dir); err != nil {
		return o, err
	}
	for _, g := range f.goFiles {
		if g.from == "" {
			continue
		}
		path := filepath.Join(f.dir, g.name)
		text, err := input.Read(path, input.MaxGo)
		if err != nil {
			return o, err
		}
		m := supports.FindSubmatch(text)
		if m == nil {
			continue
		}
		n, _ := strconv.Atoi(string(m[1])) // digits
		if n > kernelGeneration || n == 0 {
			return o, fmt.Errorf("%s: its code is of kernel generation %s, and this graphgen knows those up to %d", path, m[1], kernelGeneration)
		}
		if o.generation == 0 || n < o.generation {
			o.generation = n
		}
	}
	if o.version == "" && o.generation == 0 {
		return o, fmt.Errorf("%s: no go.mod names the version of graphgen, and no generated code: give it, as -from %s", f.dir, latest)
	}
	return o, nil
}

// required returns the version of graphgen that the module of a folder requires; "" if it requires none, or another module replaces it.
func required(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	for {
		path := filepath.Join(abs, "go.mod")
		text, err := input.Read(path, spec.MaxFile)
		if err == nil {
			return requiredBy(path, text)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
		up := filepath.Dir(abs)
		if up == abs {
			return "", nil
		}
		abs = up
	}
}

func requiredBy(path string, text []byte) (string, error) {
	mod, err := modfile.Parse(path, text, nil)
	if err != nil {
		return "", err
	}
	if mod.Module != nil && mod.Module.Mod.Path == graphgenModule {
		return latest, nil
	}
	for _, r := range mod.Replace {
		if r.Old.Path == graphgenModule {
			return "", nil
		}
	}
	for _, r := range mod.Require {
		if r.Mod.Path == graphgenModule {
			return r.Mod.Version, newer(path, r.Mod.Version)
		}
	}
	return "", nil
}

// newer returns an error for a version after the one of this graphgen.
func newer(where, version string) error {
	most := latest
	if own, _ := versions(); semver.Compare(own, most) > 0 {
		most = own
	}
	if semver.Compare(version, most) <= 0 || module.IsPseudoVersion(version) {
		return nil
	}
	return fmt.Errorf("%s: graphgen %s is newer than this one, %s: go tool graphgen runs the one of a module", where, version, most)
}

// changes returns the places of the selected files of a folder to which changes after an origin apply.
func (f *folder) changes(from origin, reported []diag.Diagnostic) (found []finding, err error) {
	for i := range languageChanges {
		for _, s := range f.selected() {
			if c := &languageChanges[i]; from.needs(c) {
				found = append(found, s.changed(c, reported)...)
			}
		}
	}
	for _, d := range reported {
		if d.Severity == diag.Error && f.unread(d.File) {
			found = append(found, finding{Diagnostic: d})
		}
	}
	if !f.whole {
		return found, nil
	}
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), scenario.Suffix) || hidden(e.Name()) || !isFile(f.dir, e) {
			continue
		}
		path := filepath.Join(f.dir, e.Name())
		text, err := input.Read(path, spec.MaxFile)
		if err != nil {
			return nil, err
		}
		for i := range languageChanges {
			c := &languageChanges[i]
			if c.scenarios == nil || !from.needs(c) {
				continue
			}
			for _, at := range c.scenarios(path, text) {
				found = append(found, c.at(path, text, at))
			}
		}
	}
	return found, nil
}

// unread reports whether a file of the folder is selected of which no graph could be made.
func (f *folder) unread(path string) bool {
	made := func(s *source) bool { return s.path == path && s.graph != nil }
	return !slices.ContainsFunc(f.sources, made) &&
		(slices.ContainsFunc(f.selected(), func(s *source) bool { return s.path == path }) ||
			slices.ContainsFunc(f.tagged.files, func(file taggedFile) bool { return file.path == path && file.selected }))
}

// changed returns the places of a spec to which a change applies.
func (s *source) changed(c *languageChange, reported []diag.Diagnostic) (found []finding) {
	if c.find != nil && s.graph != nil {
		c.find(s.graph, func(at spec.Pos) { found = append(found, c.at(s.path, s.text, at)) })
	}
	for _, d := range reported {
		if d.File == s.path && slices.Contains(c.codes, d.Code) {
			d.Related = append(slices.Clone(d.Related), diag.Related{Message: c.version + ": " + c.change})
			found = append(found, finding{Diagnostic: d})
		}
	}
	return found
}

// at returns the finding of a change at a place.
func (c *languageChange) at(path string, text []byte, at spec.Pos) finding {
	f := finding{Diagnostic: diag.Diagnostic{Code: c.version, Severity: c.severity, File: path, Pos: at, Message: c.change, Help: diag.Help(c.remedy)}}
	if at.In == nil && at.File == "" && filepath.Ext(path) != goSuffix {
		f.text, f.mend = text, c.mend
	}
	return f
}

// write writes what needs no decision, and returns the files. It keeps the rest of each file.
func (u *upgraded) write(ctx context.Context) (paths []string, err error) {
	found := slices.DeleteFunc(slices.Clone(u.found), func(f finding) bool { return f.mend == nil })
	slices.SortStableFunc(found, func(a, b finding) int { // from the end of each file, so that places before stay
		return cmp.Or(cmp.Compare(a.File, b.File), b.Pos.Compare(a.Pos))
	})
	var outputs []*output
	for i, f := range found {
		if i == 0 || f.File != found[i-1].File {
			outputs = append(outputs, &output{path: f.File, content: f.text})
		}
		o := outputs[len(outputs)-1]
		if text := f.mend(f.File, o.content, offsetOf(o.content, f.Pos)); text != nil {
			o.content, o.changed = text, true
		}
	}
	for _, o := range outputs {
		if !o.changed {
			continue
		}
		if err := writeOutput(ctx, o.path, o.content); err != nil {
			return paths, err
		}
		paths = append(paths, o.path)
	}
	return paths, nil
}

// offsetOf returns the offset of a place in a text, -1 if it has no such line.
func offsetOf(text []byte, at spec.Pos) int {
	offset := 0
	for range at.Line - 1 {
		n := bytes.IndexByte(text[offset:], '\n')
		if n < 0 {
			return -1
		}
		offset += n + 1
	}
	for range at.Col - 1 {
		_, n := utf8.DecodeRune(text[offset:])
		offset += n
	}
	return offset
}
