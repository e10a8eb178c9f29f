package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/runpage"
	"github.com/graphgen/graphgen/spec/shape"
)

type showVerb struct {
	Of string `arg:"" name:"run" help:"The run: its events as JSON lines, its report as JSON, or file:FOLDER#THREAD."`
	paths
	With    string `placeholder:"RUN" help:"Show another run of the graph beside it, with the first difference."`
	State   string `placeholder:"file:FOLDER#THREAD" help:"Read what steps changed from the thread of the run, if RUN has its events."`
	Output  string `short:"o" placeholder:"FILE" help:"Write to a file, instead of standard output."`
	Browser bool   `help:"Open the page in the browser. Without -o it is a temporary file."`
	Open    int    `placeholder:"N" default:"1" help:"Draw graphs that nodes run within these nodes, N levels deep."`
}

func (showVerb) Help() string {
	return `The page is one HTML file that loads nothing. It has the graph with the path of the run, the steps as a waterfall with the time of models, tools
and waiting, tokens and cost, and, for each step, its input, what it changed, requests and answers of models as they were sent, calls of tools,
and failures with their lines of the spec. A slider goes through the run. Keys: arrows for steps, Home, End, space to play, d for the first
difference.

Events show the most. In a run with graphgen.WithExchanges, write each event's AppendJSON as a line to a file; without that option, requests and
answers are missing. A thread has the state, and results of calls; -state adds them to events. A report has the path, times and counts. If a
file has the events of several runs, name one as FILE#RUN.

With -with, two runs are shown side by side, and the first step in which they differ is marked: another node, request, answer, result, error
or transition.

Examples:

  graphgen show -browser run.jsonl review.graph.yaml
  graphgen show -o run.html run.jsonl#ig6hjn2k
  graphgen show -o run.html report.json review.graph.yaml
  graphgen show -o run.html file:threads#letter-7 letter.graph.yaml
  graphgen show -o run.html -state file:threads#letter-7 run.jsonl letter.graph.yaml
  graphgen show -o two.html -with today.jsonl yesterday.jsonl review.graph.yaml
`
}

// Run writes the page.
func (v *showVerb) Run(ctx context.Context, t *terminal) error {
	if v.Open < 0 {
		return fmt.Errorf("-open: %d is negative", v.Open)
	}
	folders, err := t.checked(ctx, v.paths)
	if err != nil {
		return err
	}
	var read []*savedRun
	for _, name := range []string{v.Of, v.With} {
		if name == "" {
			continue
		}
		r, err := readRun(ctx, name)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		read = append(read, r)
	}
	if len(read) > 1 && read[0].graph != read[1].graph {
		return fmt.Errorf("-with: the runs are of graph %s and graph %s", read[0].graph, read[1].graph)
	}
	source, err := sourceOf(folders, read[0].graph)
	if err != nil {
		return err
	}
	m := plan.Lower(source.flow, "main")
	for _, r := range read {
		if hash := shape.Of(source.flow).Hash(); r.shape != "" && r.shape != hash {
			return fmt.Errorf("%s: the run is of another version of graph %q: its shape is %s, and the shape of the spec %s", r.name, m.Name, r.shape, hash)
		}
		if err := r.number(m); err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
	}
	if v.State != "" {
		if err := read[0].addState(ctx, v.State); err != nil {
			return fmt.Errorf("-state %s: %w", v.State, err)
		}
	}
	p := &runpage.Page{Machine: m, Open: v.Open, Files: filesOf(folders, read)}
	for _, r := range read {
		run, err := r.page()
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		p.Runs = append(p.Runs, run)
	}
	text, err := p.HTML()
	if err != nil {
		return err
	}
	return v.write(ctx, t, text)
}

// write writes the page, and opens it.
func (v *showVerb) write(ctx context.Context, t *terminal, text []byte) error {
	file := v.Output
	switch {
	case file != "":
		if err := writeOutput(ctx, file, text); err != nil {
			return err
		}
	case v.Browser:
		f, err := os.CreateTemp("", "run-*.html")
		if err != nil {
			return err
		}
		file = f.Name()
		_, err = f.Write(text)
		if err = errors.Join(err, f.Close()); err != nil {
			return err
		}
		fmt.Fprintln(t.err, file)
	default:
		_, err := t.out.Write(text)
		return err
	}
	if !v.Browser {
		return nil
	}
	return browse(ctx, file)
}

// browsers are the programs that open a file, by operating system.
var browsers = map[string][]string{"darwin": {"open"}, "windows": {"rundll32", "url.dll,FileProtocolHandler"}}

// browse opens a file in the browser.
func browse(ctx context.Context, file string) error {
	abs, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	program := browsers[runtime.GOOS]
	if program == nil {
		program = []string{"xdg-open"}
	}
	if err := exec.CommandContext(ctx, program[0], append(slices.Clone(program[1:]), abs)...).Run(); err != nil {
		return fmt.Errorf("-browser: %s: %w; the page is %s", program[0], err, file)
	}
	return nil
}

// sourceOf returns the selected spec of a graph.
func sourceOf(folders []*folder, graph string) (*source, error) {
	var found []*source
	for _, f := range folders {
		for _, s := range f.selected() {
			if !s.graph.TypesOnly() && s.graph.Name.V == graph {
				found = append(found, s)
			}
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Errorf("the run is of graph %s, which is not selected", graph)
	case 1:
		return found[0], nil
	}
	return nil, fmt.Errorf("graph %s is in %s and in %s: select one", graph, found[0].path, found[1].path)
}

// filesOf returns the lines of the specs that events name. A name leads to no file but a spec of the folders.
func filesOf(folders []*folder, read []*savedRun) map[string][]string {
	named := map[string]bool{}
	for _, r := range read {
		maps.Copy(named, r.files)
	}
	files := map[string][]string{}
	for _, f := range folders {
		for _, s := range f.sources {
			if named[s.name] {
				files[s.name] = strings.Split(strings.ToValidUTF8(string(s.text), "\uFFFD"), "\n")
			}
		}
	}
	return files
}
