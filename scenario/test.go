package scenario

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/graphgen/graphgen/gen/golang"
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
	t := &tester{Config: config, sources: make(map[string][]byte),
		linker: link.New(dir, readSpec, judge).ReadFiles(input.Below).FindPackages(link.GoPackages(ctx))}
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
	for some := range slices.Chunk(dirs, together) {
		if err := t.test(ctx, some, selected, selects, &sum); err != nil {
			return sum, err
		}
	}
	sum.Diagnostics = diag.Sort(sum.Diagnostics)
	if t.JSON {
		err = writeJSON(t.Stdout, &sum)
	}
	return sum, err
}

// together is how many folders are built by one go command.
const together = 64

// test builds the machines of folders, and runs the scenarios that are selected.
func (t *tester) test(ctx context.Context, dirs []string, selected map[string]*selection, selects *regexp.Regexp, sum *Summary) error {
	var jobs []*job
	for _, dir := range dirs {
		f, err := t.load(ctx, dir, selected[dir])
		if err != nil {
			return err
		}
		sum.Diagnostics = append(sum.Diagnostics, f.found...)
		j, err := t.prepare(f, selects)
		if err != nil {
			return err
		}
		defer j.remove()
		jobs = append(jobs, j)
	}
	remove, err := buildTogether(ctx, jobs)
	if err != nil {
		return err
	}
	defer remove()
	for _, j := range jobs {
		graphs, err := t.run(ctx, j)
		if err != nil {
			return err
		}
		for i := range graphs {
			sum.add(&graphs[i])
			if !t.JSON {
				t.report(&graphs[i])
			}
		}
	}
	return nil
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

// A job is a folder whose scenarios are run.
type job struct {
	*folder
	scenarios []wire.Scenario
	selected  [][]*bound    // by spec
	files     []golang.File // with the machines
	builder   *builder      // nil: there is nothing to run
	binary    string        // that was built with the scenarios of other folders; empty: none
	test      string        // the test of the binary that runs the scenarios
	remove    func()        // what the job has written
}

// prepare selects the scenarios of a folder, and emits their machines.
func (t *tester) prepare(f *folder, selects *regexp.Regexp) (*job, error) {
	var tested []*testee
	j := &job{folder: f, selected: make([][]*bound, len(f.specs)), remove: func() {}}
	for i, s := range f.specs {
		if s.broken {
			continue
		}
		for _, o := range s.all {
			if selects.MatchString(s.short() + "/" + o.Name.V) {
				o.run.ID, o.run.Repeat = len(j.scenarios), t.Repeat
				o.run.OnEngine, o.run.RealTime, o.run.InQueue = t.Driver != "", t.RealTime, t.Queue != ""
				j.scenarios = append(j.scenarios, o.run)
				j.selected[i] = append(j.selected[i], o)
			}
		}
		if len(j.selected[i]) > 0 {
			tested = append(tested, s)
		}
	}
	if len(j.scenarios) == 0 {
		return j, nil
	}
	return j, t.emits(j, tested)
}

// emits emits the machines of the specs that a job tests.
func (t *tester) emits(j *job, tested []*testee) error {
	built := j.withTagged(tested)
	files, err := emit(machinesOf(tested), append(machinesOf(built[len(tested):]), shared(built)...), linked{t.Probe, t.Driver, t.Queue})
	if err != nil {
		return err
	}
	j.files = append(files, ownSources(built)...)
	dir, remove, err := temp.Dir("graphgen-test-")
	if err != nil {
		return err
	}
	j.builder, j.remove = &builder{dir: j.abs, temp: dir}, remove
	return nil
}

func machinesOf(specs []*testee) (list []*plan.Machine) {
	for _, s := range specs {
		list = append(list, s.machine)
	}
	return list
}

// run runs the scenarios of a job.
func (t *tester) run(ctx context.Context, j *job) ([]Graph, error) {
	var (
		results map[int]*wire.Result
		problem string
	)
	if j.builder != nil {
		var err error
		if results, problem, err = t.play(ctx, j); err != nil {
			return nil, err
		}
	}
	graphs := make([]Graph, len(j.specs))
	for i, s := range j.specs {
		graphs[i] = t.judge(s, j.selected[i], results, problem)
	}
	return graphs, nil
}

// play builds, unless it is done, and runs. The error is one of the context.
func (t *tester) play(ctx context.Context, j *job) (results map[int]*wire.Result, problem string, err error) {
	start := time.Now()
	if j.binary == "" {
		j.binary, err = j.builder.build(ctx, j.files)
		j.test = "Test_"
	}
	if ctx.Err() != nil {
		return nil, "", context.Cause(ctx)
	}
	if err != nil {
		return nil, err.Error(), nil
	}
	if t.Verbose && !t.JSON {
		fmt.Fprintf(t.Stderr, "graphgen: built the machines of %s in %.2fs\n", j.dir, time.Since(start).Seconds())
	}
	results, problem = j.builder.execute(ctx, j.binary, j.test, j.scenarios, t.Timeout)
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
		if t.Cover {
			result.Visits, result.Taken = r.Visits, r.Transitions
		}
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
