package scenario

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"time"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario/temp"
	"github.com/graphgen/graphgen/scenario/wire"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/input"
	"github.com/graphgen/graphgen/spec/link"
)

// Test runs the scenarios that the config selects and writes a report. The error is one of usage or
// I/O. Problems of specs, scenarios and machines are in the summary.
func Test(ctx context.Context, config Config) (Summary, error) {
	dir, err := filepath.Abs(config.Dir)
	if err != nil {
		return Summary{}, err
	}
	judge := func(g *spec.Graph) []diag.Diagnostic { return check.Run(cfg.Of(g)) }
	t := &tester{Config: config, sources: make(map[string][]byte), linker: link.New(dir, readSpec, judge).ReadTexts(input.ReadText).FindPackages(link.GoPackages(ctx))}
	t.Stdout, t.Stderr = orNowhere(config.Stdout), orNowhere(config.Stderr)
	t.Timeout = cmp.Or(config.Timeout, DefaultTimeout)
	sum := Summary{Sources: t.sources}
	selects, err := regexp.Compile(config.Run)
	if err != nil {
		return sum, fmt.Errorf("-run: %w", err)
	}
	dirs, selected, err := collect(config.Files)
	if err != nil {
		return sum, err
	}
	for _, dir := range dirs {
		f, err := t.load(ctx, dir, selected[dir])
		if err != nil {
			return sum, err
		}
		sum.Diagnostics = append(sum.Diagnostics, f.found...)
		graphs, err := t.run(ctx, f, selects)
		if err != nil {
			return sum, err
		}
		for i := range graphs {
			sum.add(&graphs[i])
			if !t.JSON {
				t.report(&graphs[i])
			}
		}
	}
	sum.Diagnostics = diag.Sort(sum.Diagnostics)
	if t.JSON {
		err = writeJSON(t.Stdout, &sum)
	}
	return sum, err
}

func orNowhere(w io.Writer) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

func (s *Summary) add(g *Graph) {
	s.Graphs = append(s.Graphs, *g)
	for i := range g.Results {
		if len(g.Results[i].Failures) > 0 {
			s.Failed++
		} else {
			s.Passed++
		}
	}
}

// run builds the machines of a folder and runs its selected scenarios.
func (t *tester) run(ctx context.Context, f *folder, selects *regexp.Regexp) ([]Graph, error) {
	var (
		machines  []*plan.Machine
		scenarios []wire.Scenario
		selected  = make([][]*bound, len(f.specs))
	)
	for i, s := range f.specs {
		if s.broken {
			continue
		}
		for _, o := range s.all {
			if selects.MatchString(s.short() + "/" + o.Name.V) {
				o.run.ID = len(scenarios)
				scenarios = append(scenarios, o.run)
				selected[i] = append(selected[i], o)
			}
		}
		if len(selected[i]) > 0 {
			machines = append(machines, s.machine)
		}
	}
	var (
		results map[int]*wire.Result
		problem string
	)
	if len(scenarios) > 0 {
		var err error
		if results, problem, err = t.play(ctx, f, machines, scenarios); err != nil {
			return nil, err
		}
	}
	graphs := make([]Graph, len(f.specs))
	for i, s := range f.specs {
		graphs[i] = t.judge(s, selected[i], results, problem)
	}
	return graphs, nil
}

// play builds and runs. The error is one of I/O or of the context.
func (t *tester) play(ctx context.Context, f *folder, machines []*plan.Machine, scenarios []wire.Scenario) (results map[int]*wire.Result, problem string, err error) {
	files, err := emit(machines, f.shared(machines), t.Probe)
	if err != nil {
		return nil, "", err
	}
	files = append(files, ownSources(f.specs)...)
	dir, remove, err := temp.Dir("graphgen-test-")
	if err != nil {
		return nil, "", err
	}
	defer remove()
	b := &builder{dir: f.abs, temp: dir}
	start := time.Now()
	binary, err := b.build(ctx, files)
	if ctx.Err() != nil {
		return nil, "", context.Cause(ctx)
	}
	if err != nil {
		return nil, err.Error(), nil
	}
	if t.Verbose && !t.JSON {
		fmt.Fprintf(t.Stderr, "graphgen: built the machines of %s in %.2fs\n", f.dir, time.Since(start).Seconds())
	}
	results, problem = b.execute(ctx, binary, scenarios, t.Timeout)
	if ctx.Err() != nil {
		return nil, "", context.Cause(ctx)
	}
	return results, problem, nil
}

// judge returns the result of one graph.
func (t *tester) judge(s *testee, selected []*bound, results map[int]*wire.Result, problem string) Graph {
	g := Graph{Spec: s.title(), LeftOut: len(s.all) - len(selected)}
	if s.broken {
		g.Problem = "not run: the spec or its scenarios have errors"
		return g
	}
	var got []*wire.Result
	for _, o := range selected {
		r := results[o.run.ID]
		if r == nil {
			g.Problem = problem
			continue
		}
		got = append(got, r)
		result := Result{
			Graph: s.short(), Name: o.Name.V, File: o.file.Path, Line: o.Pos.Line,
			Elapsed: time.Duration(r.Elapsed), Path: r.Path, End: r.End, Failures: judge(o, r),
		}
		result.Seen = r.Seen
		if r.Error != nil {
			result.Error = r.Error.Text
		}
		g.Elapsed += result.Elapsed
		g.Results = append(g.Results, result)
	}
	if t.Cover {
		g.Cover = cover(s.machine, got)
	}
	return g
}
