// Graphgen compiles agent graphs to Go: it reads specs (NAME.graph.yaml), checks them, and
// writes a typed state machine for each, into the package in the spec's directory.
//
//	graphgen                 compile every spec of the current directory
//	graphgen check ./...     report mistakes in the specs below it
//	graphgen test            run the scenarios
//	graphgen diagram         draw the graphs
//	graphgen prompts FILE    print what nodes ask their models
//	graphgen explain GG020   explain a diagnostic
//	graphgen diff OLD NEW    compare two versions of a spec
//	graphgen release FILE    record the shape of a released version
//	graphgen init agent      write a first graph that runs
//	graphgen import F FILE   write a spec for a graph in another format
//	graphgen upgrade ./...   report what a newer graphgen changes in specs
//	graphgen threads list S  list the threads of a store
//
// See graphgen -help, and graphgen VERB -help.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/graphgen/graphgen/cmd/internal/dashes"
	"github.com/graphgen/graphgen/cmd/threads"
	"github.com/graphgen/graphgen/spec/dialect"
	"github.com/graphgen/graphgen/spec/escape"
)

// Exit codes.
const (
	exitFine  = 0
	exitFound = 1 // diagnostics, stale files, failed scenarios
	exitError = 2 // usage or I/O errors; 128 plus a signal number: interrupted
)

func main() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(memoryPercent)
	}
	os.Exit(underSignals(func(ctx context.Context) int {
		return run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	}))
}

// memoryPercent is the GOGC of the command: a graph of 10,000 nodes is generated in two thirds of the memory that 100 takes.
const memoryPercent = 50

// errFound ends a verb that has already reported its findings.
var errFound = errors.New("something was found")

// commandLine is the grammar of the command line.
type commandLine struct {
	Color string `enum:"auto,always,never" default:"auto" help:"Color diagnostics: ${enum}."`

	Generate generateVerb `cmd:"" default:"withargs" help:"Compile specs to Go. This is the default verb."`
	Check    checkVerb    `cmd:"" help:"Report mistakes in specs, or stale generated files, and write nothing."`
	Test     testVerb     `cmd:"" help:"Run scenarios against the compiled graphs."`
	Release  releaseVerb  `cmd:"" help:"Add the shape of a graph to its lock file."`
	Diff     diffVerb     `cmd:"" help:"Compare two versions of a spec by meaning."`
	Diagram  diagramVerb  `cmd:"" help:"Draw graphs as SVG, HTML, Mermaid or DOT."`
	Show     showVerb     `cmd:"" help:"Show a run, or two, as one HTML page."`
	Serve    serveVerb    `cmd:"" help:"Run a server of graphs, and rebuild it on changes."`
	Studio   studioVerb   `cmd:"" help:"Show graphs, runs, scenarios and versions in the browser."`
	OpenAPI  openAPIVerb  `cmd:"" name:"openapi" help:"Print the HTTP API of served graphs, as OpenAPI 3.1."`
	Client   clientVerb   `cmd:"" help:"Write a client for served graphs."`
	Prompts  promptsVerb  `cmd:"" help:"Print what a node asks its model, or the versions of prompts."`
	Explain  explainVerb  `cmd:"" help:"Explain a diagnostic, a key or a template, with examples."`
	Init     initVerb     `cmd:"" help:"Write a first graph that runs."`
	Schema   schemaVerb   `cmd:"" help:"Print the JSON Schema of the spec language, for editors."`
	Fmt      fmtVerb      `cmd:"" help:"Write specs in their canonical form, with their comments."`
	LSP      lspVerb      `cmd:"" name:"lsp" help:"Serve an editor through the Language Server Protocol."`
	Expand   expandVerb   `cmd:"" help:"Print a graph as YAML, without templates."`
	Import   importVerb   `cmd:"" help:"Write specs for graphs in other formats."`
	Threads  threads.Verb `cmd:"" help:"List, show and change the threads of a store."`
	Upgrade  upgradeVerb  `cmd:"" help:"Report what newer versions of graphgen change in specs."`
	Version  versionVerb  `cmd:"" help:"Print the versions of graphgen, Go and the kernel generation."`

	Completion completionVerb `cmd:"" help:"Print a script that completes command lines."`
	Complete   completeVerb   `cmd:"" name:"_complete" hidden:"" help:"Print candidates for completion."`
}

const description = `Compiles agent graphs, specs in files NAME.graph.yaml, to typed Go state machines. Types that graphs share, in files
NAME.types.yaml, become Go types.

Paths are spec files, directories, or patterns such as ./... for a directory and all below it. Flags may have one dash or two.

In a module that got it with go get -tool, run it as go tool graphgen.

Exit status: 0 success, 1 diagnostics or failed scenarios, 2 usage or I/O error, 130 and 143 interrupted (SIGINT, SIGTERM).`

// A terminal is the output of a verb. It escapes characters that a terminal would interpret, in
// file names and texts of specs.
type terminal struct {
	out, err io.Writer
	marked   io.Writer // err without escaping, for diagnostics: their renderer escapes texts and adds colors
	color    bool      // of marked
}

// run runs the command and returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var line commandLine
	exited := -1
	t := &terminal{out: escape.Writer(stdout), err: escape.Writer(stderr), marked: stderr}
	parser := line.parser(
		kong.Writers(t.out, t.err),
		kong.Exit(func(code int) { exited = code }),
		kong.BindTo(ctx, (*context.Context)(nil)),
	)
	parsed, err := parser.Parse(dashes.Two(asked(args)))
	if exited >= 0 { // -help, already printed
		return exited
	}
	if err == nil {
		t.color = colored(line.Color, stderr)
		err = parsed.Run(t, &threads.Command{In: os.Stdin, Out: t.out, Data: stdout, Stores: threads.Files()})
	} else {
		err = fmt.Errorf("%w\nsee graphgen -help", err)
	}
	var signal interrupted
	switch {
	case err == nil:
		return exitFine
	case errors.As(context.Cause(ctx), &signal) && !errors.Is(err, errFound):
		fmt.Fprintf(stderr, "graphgen: %v\n", signal)
		return signal.status()
	case errors.Is(err, errFound):
		return exitFound
	}
	fmt.Fprintf(t.err, "graphgen: %s\n", escape.Secrets(err.Error()))
	return exitError
}

// asked makes VERB -help of help VERB, unless there is a file of the name help.
func asked(args []string) []string {
	if len(args) == 0 || args[0] != "help" {
		return args
	}
	if _, err := os.Stat(args[0]); err == nil {
		return args
	}
	return append(slices.Clone(args[1:]), "-help")
}

// parser returns the parser of the command line. Its model describes every verb and flag.
func (line *commandLine) parser(options ...kong.Option) *kong.Kong {
	parser, err := kong.New(line, append(options,
		kong.Name("graphgen"), kong.Description(description),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Vars{"dialects": strings.Join(dialect.Names(), ",")},
	)...)
	if err != nil {
		panic(err) // a mistake in the grammar
	}
	return parser
}

// verbs returns the names of the verbs.
func verbs() (names []string) {
	for _, verb := range new(commandLine).parser().Model.Children {
		if !verb.Hidden {
			names = append(names, verb.Name)
		}
	}
	return names
}

// colored reports whether diagnostics are colored: on request, or on a terminal whose user has not
// opted out (https://no-color.org).
func colored(when string, w io.Writer) bool {
	if when != "auto" {
		return when == "always"
	}
	file, ok := w.(*os.File)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
