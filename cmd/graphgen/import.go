package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/dialect"
	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/input"
)

type importVerb struct {
	Dialect string   `arg:"" enum:"${dialects}" help:"The format of the files: ${enum}."`
	Files   []string `arg:"" name:"files" help:"Files of that format."`
	Output  string   `short:"o" placeholder:"DIR" help:"Directory to write to (default: the current directory), or - to print the specs."`
	Force   bool     `help:"Replace existing specs and scenarios."`
	JSON    bool     `name:"json" help:"Write diagnostics as a JSON array to standard output."`
}

func (importVerb) Help() string {
	var b strings.Builder
	b.WriteString("For each graph in the files it writes NAME.graph.yaml, where NAME is the name of the graph, and NAME.scenarios.yaml " +
		"with a test. Long texts that several prompts share are written to prompts/NAME-*.md.\n\n" +
		"Diagnostics are at lines of these files: mistakes, and what the graph leaves out, does differently or adds. " +
		"If one is an error, nothing is written. Warnings and notes do not fail.\n\nThe formats:\n\n")
	for _, d := range dialect.All {
		fmt.Fprintf(&b, "  %-14s %s\n", d.Name, strings.ReplaceAll(d.Doc, "`", ""))
	}
	b.WriteString("\nExamples:\n\n" +
		"  graphgen import workflow triage.yml\n" +
		"  graphgen import -o agents workflow workflows/*.yml\n" +
		"  graphgen import -o - workflow triage.yml\n")
	return b.String()
}

// A foreignFile is a file that is imported.
type foreignFile struct {
	path  string
	text  []byte
	made  []draft.Imported
	found []diag.Diagnostic
}

// Run imports the files. It writes all specs or none.
func (v *importVerb) Run(ctx context.Context, t *terminal) error {
	files, err := v.read()
	if err != nil {
		return err
	}
	var found []diag.Diagnostic
	for _, f := range files {
		found = append(found, f.found...)
	}
	if err := v.report(t, diag.Sort(found), files); err != nil {
		return err
	}
	if diag.HasErrors(found) {
		return errFound
	}
	if v.Output == "-" {
		return printImported(t, files)
	}
	outputs, err := v.outputs(files)
	if err != nil {
		return err
	}
	if err := writeAll(ctx, outputs); err != nil {
		return err
	}
	if v.JSON {
		return nil
	}
	for _, o := range outputs {
		if _, err := fmt.Fprintln(t.out, o.path); err != nil {
			return err
		}
	}
	return nil
}

// read reads and imports the files.
func (v *importVerb) read() ([]*foreignFile, error) {
	d := dialect.Find(v.Dialect)
	var files []*foreignFile
	for _, path := range v.Files {
		text, err := disk.readSpec(path)
		if err != nil {
			return nil, err
		}
		f := &foreignFile{path: path, text: text}
		f.made, f.found = draft.Import(d, &draft.File{Name: path, Text: text, Open: namedBy(path), Whole: v.Output == "-"})
		files = append(files, f)
	}
	return files, nil
}

// errOutside is the error of a path that leads out of the folders that an import reads.
var errOutside = errors.New("it is outside of the folder of the importing file and of the current directory")

// namedBy returns the function that reads the files that a foreign file names: relative to its folder, else to the
// current directory.
func namedBy(file string) func(string) (string, []byte, error) {
	folders := []string{filepath.Dir(file), "."}
	return func(name string) (string, []byte, error) {
		local := false
		for _, folder := range folders {
			path := filepath.Join(folder, filepath.FromSlash(name))
			if !below(path, folders) || filepath.IsAbs(name) {
				continue
			}
			local = true
			text, err := readBelow(path, folders)
			if !errors.Is(err, fs.ErrNotExist) {
				return filepath.ToSlash(path), text, cause(err)
			}
		}
		if !local {
			return "", nil, errOutside
		}
		return "", nil, fs.ErrNotExist
	}
}

// readBelow reads a file that is in one of the folders, or below it, also where links lead to it.
func readBelow(path string, folders []string) ([]byte, error) {
	target, err := linked(path)
	if err != nil {
		return nil, err
	}
	var targets []string
	for _, folder := range folders {
		if at, err := linked(folder); err == nil {
			targets = append(targets, at)
		}
	}
	if !below(target, targets) {
		return nil, errOutside
	}
	return input.Read(target, maxNamed)
}

// linked returns the absolute path that the links in a path lead to.
func linked(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// maxNamed is the size of the largest text that a foreign file may name.
const maxNamed = 1 << 20

// below reports whether a path is in one of the folders, or below it.
func below(path string, folders []string) bool {
	abs, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	for _, folder := range folders {
		root, err := filepath.Abs(folder)
		if err != nil {
			continue
		}
		if rel, err := filepath.Rel(root, abs); err == nil && filepath.IsLocal(rel) {
			return true
		}
	}
	return false
}

// report writes the diagnostics.
func (v *importVerb) report(t *terminal, found []diag.Diagnostic, files []*foreignFile) error {
	if v.JSON {
		return diag.JSON(t.out, found)
	}
	return diag.Render(t.marked, found, diag.Options{Color: t.color, Source: func(file string) []byte {
		for _, f := range files {
			if f.path == file {
				return f.text
			}
		}
		return nil
	}})
}

// printImported prints the specs of the files, each document after a line of dashes if there are several.
func printImported(t *terminal, files []*foreignFile) error {
	first := true
	for _, f := range files {
		for _, m := range f.made {
			if !first {
				if _, err := fmt.Fprintln(t.out, "---"); err != nil {
					return err
				}
			}
			first = false
			if _, err := t.out.Write(m.Spec); err != nil {
				return err
			}
		}
	}
	return nil
}

// outputs returns the files to write. It refuses to replace files, but with -force.
func (v *importVerb) outputs(files []*foreignFile) ([]*output, error) {
	dir := v.Output
	if dir == "" {
		dir = "."
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("%s: it is not a directory", dir)
	}
	var outputs []*output
	from := map[string]string{}
	add := func(f *foreignFile, name string, text []byte) error {
		o := &output{path: filepath.Join(dir, name), content: text}
		if other, twice := from[strings.ToLower(o.path)]; twice {
			return fmt.Errorf("%s and %s both give %s; import one of them to another directory", other, f.path, o.path)
		}
		from[strings.ToLower(o.path)] = f.path
		if _, err := os.Lstat(o.path); err == nil && !v.Force {
			return fmt.Errorf("%s is there already; nothing was written; -force replaces it", o.path)
		}
		outputs = append(outputs, o)
		return nil
	}
	for _, f := range files {
		for _, m := range f.made {
			if err := add(f, m.Name+specSuffix, m.Spec); err != nil {
				return nil, err
			}
			for _, text := range m.Texts {
				if err := add(f, filepath.FromSlash(text.Name), []byte(text.Text)); err != nil {
					return nil, err
				}
			}
			if m.Scenarios == nil {
				continue
			}
			if err := add(f, m.Name+scenario.Suffix, m.Scenarios); err != nil {
				return nil, err
			}
		}
	}
	for _, o := range outputs {
		if err := os.MkdirAll(filepath.Dir(o.path), 0o777); err != nil {
			return nil, err
		}
	}
	return outputs, nil
}
