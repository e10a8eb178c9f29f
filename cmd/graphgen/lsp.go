package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"github.com/graphgen/graphgen/cmd/internal/lsp"
	"github.com/graphgen/graphgen/cmd/threads"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/gotag"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/yamlread"
)

type lspVerb struct {
	Stdio bool `help:"Speak over standard input and output, which is the only way; editors give the flag to every server."`
}

func (lspVerb) Help() string {
	return `The editor starts this server, which reports the same mistakes as check, while you type.

docs/guides/editor.md has settings for editors.
`
}

// serverMemoryPercent is the GOGC of the server, which waits most of the time and answers keys.
const serverMemoryPercent = 400

// Run serves an editor until it ends the session.
func (v *lspVerb) Run(ctx context.Context, c *threads.Command) error {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(serverMemoryPercent)
	}
	return serveEditor(ctx, c.In, c.Data)
}

// serveEditor speaks with an editor.
func serveEditor(ctx context.Context, in io.Reader, out io.Writer) error {
	return lsp.New(in, out, &editorCompiler{packages: foundPackages{}}).Run(ctx)
}

// editorCompiler is what the server needs of the command.
type editorCompiler struct {
	packages foundPackages
	pieces   yamlread.Pieces
}

// Enter makes a folder the current one.
func (c *editorCompiler) Enter(dir string) error { return os.Chdir(dir) }

// Version returns the version of the command.
func (c *editorCompiler) Version() string {
	version, _ := versions()
	return version
}

// Generate returns the generated files that a spec gives.
func (c *editorCompiler) Generate(ctx context.Context, path string, open map[string][]byte) (map[string][]byte, error) {
	o := &overlay{texts: open, find: c.packages.find(ctx)}
	dir, name := filepath.Split(path)
	f, err := o.readFolder(ctx, &selection{dir: filepath.Clean(dir), specs: []string{name}})
	if err != nil {
		return nil, err
	}
	for _, d := range o.findings(ctx, []*folder{f}) {
		if d.Severity == diag.Error {
			return nil, fmt.Errorf("%s:%d: %s", d.File, d.Pos.Line, d.Message)
		}
	}
	made, err := f.emit("", "")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, m := range made {
		abs, err := filepath.Abs(m.path)
		if err != nil {
			return nil, err
		}
		if !m.stub {
			files[abs] = m.content
		}
	}
	return files, nil
}

// Run runs a verb.
func (c *editorCompiler) Run(ctx context.Context, args []string) (string, error) {
	var out bytes.Buffer
	switch status := run(ctx, append([]string{"-color=never"}, args...), &out, &out); status {
	case exitFine:
		return out.String(), nil
	case exitFound:
		return out.String(), errFound
	default:
		return out.String(), fmt.Errorf("exit status %d", status)
	}
}

// Forget drops the folders of Go packages.
func (c *editorCompiler) Forget() { clear(c.packages) }

// foundPackages are the folders of Go packages that were found, by the folder that imports them and import path.
type foundPackages map[[2]string]string

// find returns the finder of Go packages that asks the go command until it has found them.
func (p foundPackages) find(ctx context.Context) link.PackageFinder {
	ask := link.GoPackages(ctx)
	return func(dir, importPath string) string {
		key := [2]string{dir, importPath}
		if p[key] == "" {
			p[key] = ask(dir, importPath)
		}
		return p[key]
	}
}

// Check returns what the verb check reports of a file. A Go file without graphs has none.
func (c *editorCompiler) Check(ctx context.Context, path string, open map[string][]byte) (*lsp.Checked, error) {
	o := &overlay{texts: open, asked: map[string]bool{}, find: c.packages.find(ctx), pieces: &c.pieces}
	if strings.HasSuffix(path, goSuffix) {
		if text, err := o.read(path, input.MaxGo); err != nil || !gotag.Holds(text) {
			return &lsp.Checked{Asked: o.asked}, nil
		}
	}
	dir, name := filepath.Split(path)
	f, err := o.readFolder(ctx, &selection{dir: filepath.Clean(dir), specs: []string{name}})
	if err != nil {
		return nil, err
	}
	checked := &lsp.Checked{Asked: o.asked, Found: o.findings(ctx, []*folder{f})}
	checked.Found = append(checked.Found, f.otherPackage()...)
	for _, s := range f.selected() {
		if s.flow != nil {
			checked.Flows = append(checked.Flows, s.flow)
		}
	}
	return checked, ctx.Err()
}
