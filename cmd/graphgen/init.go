package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/module"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/schema"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/input"
)

type initVerb struct {
	Dir     string `arg:"" optional:"" default:"." help:"The directory of the first graph; it is created if it does not exist (default: the current one)."`
	Module  string `placeholder:"PATH" help:"Write a go.mod for a new module of that path."`
	Pattern string `placeholder:"NAME" help:"Write a graph from a pattern of the prelude, with scenarios; graphgen explain template: lists the patterns."`
	Go      bool   `help:"Write the first graph as a Go struct, not in YAML."`
	Durable bool   `help:"Write a program whose runs wait for people and continue in another process."`
	Serve   bool   `help:"Write a server of such a graph, over HTTP."`
	Replace string `placeholder:"DIR" help:"With -module: use the graphgen whose sources are in DIR."`
}

func (initVerb) Help() string {
	return `It writes a first graph, its handlers, its scenarios and the schema for editors, and compiles the graph, ready for
go run . in DIR. DIR is part of a Go module, or becomes a new one with -module.

Nothing is replaced: if DIR has one of the files, or any Go code, nothing is written.

Examples:

  graphgen init agent                                 in a module
  graphgen init -module example.com/agent agent       as a new module
  graphgen init -pattern react agent                  a graph from a pattern
  graphgen init -go agent                             a graph as a Go struct
  graphgen init -durable refunds                      a program with threads in a folder, and a test
  graphgen init -serve refunds                        a server, with threads, tokens and a test
`
}

// starts holds the files of what init writes, in folders: a first graph, in YAML and in Go, with a program for both, and one whose runs wait for people,
// with a program that has its threads in a folder and one that serves them.
//
//go:embed starts
var starts embed.FS

const (
	firstSpec     = "review" + specSuffix
	firstTagged   = "review.go"
	refundSpec    = "refund" + specSuffix
	firstPackage  = "main"
	ownModule     = "github.com/graphgen/graphgen"
	ownCommand    = ownModule + "/cmd/graphgen"
	goLanguage    = "1.26" // the oldest that the kernel builds with
	embeddedGoExt = ".go.txt"
)

// Run writes the files of a first graph, and prints the next commands.
func (v *initVerb) Run(ctx context.Context, t *terminal) error {
	switch {
	case v.Replace != "" && v.Module == "":
		return errors.New("-replace goes with -module")
	case len(v.graphs()) > 1:
		return fmt.Errorf("%s each write a graph of their own: choose one", strings.Join(v.graphs(), " and "))
	}
	if v.Module != "" {
		if err := module.CheckImportPath(v.Module); err != nil {
			return fmt.Errorf("-module %q: %w; a path is like example.com/agent", v.Module, errors.Unwrap(err))
		}
	}
	files, err := v.filesOf()
	if err != nil {
		return err
	}
	goMod, err := v.module()
	if err != nil {
		return err
	}
	if v.Module != "" {
		files = append(files, &output{path: filepath.Join(v.Dir, "go.mod"), content: []byte(goMod)})
	}
	if err := v.free(files); err != nil {
		return err
	}
	if err := os.MkdirAll(v.Dir, 0o777); err != nil {
		return err
	}
	if err := writeAll(ctx, files); err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintf(t.out, "wrote %s\n", f.path)
	}
	fmt.Fprintf(t.out, "\nnext:\n\n")
	for _, command := range v.next(goMod) {
		fmt.Fprintf(t.out, "    %s\n", command)
	}
	return nil
}

// graphs lists the given flags that each select a graph.
func (v *initVerb) graphs() (flags []string) {
	for _, f := range []struct {
		name  string
		given bool
	}{{"-pattern", v.Pattern != ""}, {"-go", v.Go}, {"-durable", v.Durable}, {"-serve", v.Serve}} {
		if f.given {
			flags = append(flags, f.name)
		}
	}
	return flags
}

// filesOf returns the files of a first graph, or of one of a pattern.
func (v *initVerb) filesOf() ([]*output, error) {
	switch {
	case v.Pattern != "":
		return v.patternFiles()
	case v.Serve:
		return v.files(refundSpec, "refund", "served")
	case v.Durable:
		return v.files(refundSpec, "refund", "durable")
	case v.Go:
		return v.taggedFiles()
	}
	return v.files(firstSpec, "review", "first")
}

// taggedFiles returns the files of a first graph that is a Go struct. What is generated of it is embedded: its package cannot be loaded before it has its
// modules.
func (v *initVerb) taggedFiles() ([]*output, error) {
	files, err := v.files("", "review", "tagged")
	if err != nil {
		return nil, err
	}
	const scenarios = "review" + scenario.Suffix
	text, err := starts.ReadFile("starts/first/" + scenarios)
	if err != nil {
		return nil, err
	}
	return append(files, &output{path: filepath.Join(v.Dir, scenarios), content: bytes.ReplaceAll(text, []byte(firstSpec), []byte(firstTagged))}), nil
}

// files returns the files of folders of starts, with what is generated of the spec that one of them holds, and the schema for editors. Without a name of
// a spec it returns the files of the folders alone.
func (v *initVerb) files(specFile string, folders ...string) ([]*output, error) {
	var files []*output
	for _, folder := range folders {
		of, err := v.folder(specFile, folder)
		if err != nil {
			return nil, err
		}
		files = append(files, of...)
	}
	if specFile != "" {
		files = append(files, &output{path: filepath.Join(v.Dir, schemaFile), content: schema.Language()})
	}
	return files, nil
}

// folder returns the files of a folder of starts, with what is generated of a spec in it.
func (v *initVerb) folder(specFile, folder string) ([]*output, error) {
	var files []*output
	add := func(name string, content []byte) {
		files = append(files, &output{path: filepath.Join(v.Dir, name), content: content})
	}
	folder = "starts/" + folder
	entries, err := starts.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := starts.ReadFile(folder + "/" + e.Name())
		if err != nil {
			return nil, err
		}
		name := e.Name()
		if goFile, ok := strings.CutSuffix(name, embeddedGoExt); ok {
			name = goFile + ".go"
		}
		add(name, text)
		if name != specFile {
			continue
		}
		graph, _ := spec.Load(specFile, text) // a test checks that it has no errors
		generated, err := golang.Emit(plan.Lower(cfg.Of(graph), firstPackage))
		if err != nil {
			return nil, err
		}
		for _, g := range generated {
			add(g.Name, g.Content)
		}
	}
	return files, nil
}

// module returns the go.mod that the graph will belong to: a new one or an existing one.
func (v *initVerb) module() (string, error) {
	if v.Module != "" {
		if v.Replace == "" {
			return fmt.Sprintf("module %s\n\ngo %s\n", v.Module, goLanguage), nil
		}
		sources, err := v.sources()
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("module %s\n\ngo %s\n\ntool %s\n\nrequire %s v0.0.0\n\nreplace %s => %s\n",
			v.Module, goLanguage, ownCommand, ownModule, ownModule, sources), nil
	}
	dir, err := filepath.Abs(v.Dir)
	if err != nil {
		return "", err
	}
	for {
		text, err := input.Read(filepath.Join(dir, "go.mod"), input.MaxGo)
		if err == nil {
			return string(text), nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("%s is in no Go module; -module PATH makes one, as in graphgen init -module example.com/agent %s", v.Dir, v.Dir)
		}
		dir = parent
	}
}

// sources returns the directory of -replace in the form of go.mod.
func (v *initVerb) sources() (string, error) {
	dir, err := filepath.Abs(v.Replace)
	if err != nil {
		return "", err
	}
	text, err := input.Read(filepath.Join(dir, "go.mod"), input.MaxGo)
	if err != nil || !strings.HasPrefix(string(text), "module "+ownModule+"\n") {
		return "", fmt.Errorf("-replace %s: the sources of %s are not there", v.Replace, ownModule)
	}
	return fmt.Sprintf("%q", filepath.ToSlash(dir)), nil
}

// free reports an error if one of the files exists, or Go code of another program.
func (v *initVerb) free(files []*output) error {
	for _, f := range files {
		if _, err := os.Lstat(f.path); err == nil {
			return fmt.Errorf("%s is there already; nothing was written", f.path)
		}
	}
	entries, err := os.ReadDir(v.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".go" {
			return fmt.Errorf("%s: there is Go code here already, and the first graph is a program of its own; name another "+
				"directory, as in graphgen init agent",
				filepath.Join(v.Dir, e.Name()))
		}
	}
	return nil
}

var (
	requiresOwn = regexp.MustCompile(`(?m)^\s*(require\s+|module\s+)?` + regexp.QuoteMeta(ownModule) + `(\s|$)`)
	hasTool     = regexp.MustCompile(`(?m)^\s*(tool\s+)?` + regexp.QuoteMeta(ownCommand) + `\s*$`)
)

// next returns the commands that run the graph in a module.
func (v *initVerb) next(module string) []string {
	var commands []string
	if dir := filepath.Clean(v.Dir); dir != "." {
		commands = append(commands, "cd "+dir)
	}
	switch {
	case v.Replace != "":
		commands = append(commands, "go mod tidy")
	case !requiresOwn.MatchString(module) || !hasTool.MatchString(module):
		commands = append(commands, "go get -tool "+ownCommand)
	}
	if v.Pattern != "" {
		return append(commands, "go tool graphgen test -cover", "go tool graphgen check -bounds", "go generate      # after a change of the spec")
	}
	if v.Durable {
		return append(commands, "go test .", "go run . start A-7", "go run . approve A-7", "go run . list")
	}
	if v.Serve {
		return append(commands, "go test .", "go tool graphgen serve . -- -details",
			"go tool graphgen studio http://localhost:8080 -browser",
			`curl localhost:8080/graphs/refunds/threads -H 'Prefer: wait' --json '{"thread": "a", "input": {"order": "A-7"}}'`,
			`curl localhost:8080/threads/a/requests/approve.1 -H 'Prefer: wait' --json '"approve"'`)
	}
	source := firstSpec
	if v.Go {
		source = firstTagged
	}
	return append(commands, "go run .", "go tool graphgen test -cover", "go generate      # after a change of "+source)
}
