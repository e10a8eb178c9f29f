package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen/gen/picture"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/view"
	"github.com/graphgen/graphgen/internal/studio"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/diff"
	"github.com/graphgen/graphgen/spec/subprocess"
)

// A studioModule serves what the studio shows of a module: specs, their scenarios and versions, and recordings. It reads files anew for each request.
type studioModule struct {
	paths
	ctx        context.Context
	recordings []string
	running    chan struct{} // has an element while scenarios run
}

func (m *studioModule) handler() http.Handler {
	mux := http.NewServeMux()
	for path, serve := range map[string]func(*http.Request) (any, error){
		"GET /{$}": m.list, "GET /spec": m.spec, "GET /against": m.against, "POST /scenarios": m.scenarios,
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			v, err := serve(r)
			if err != nil {
				studio.Refuse(w, http.StatusUnprocessableEntity, "module", err.Error())
				return
			}
			studio.Answer(w, v)
		})
	}
	mux.HandleFunc("GET /recording", m.recording)
	return mux
}

// A listedSpec is what the list has of a spec.
type listedSpec struct {
	Of        string `json:"of"`
	Graph     string `json:"graph"`
	Doc       string `json:"doc,omitempty"`
	Scenarios int    `json:"scenarios"`
}

// list returns the specs and the recordings.
func (m *studioModule) list(r *http.Request) (any, error) {
	specs := []listedSpec{}
	if len(m.Paths) > 0 {
		folders, err := readFolders(r.Context(), m.paths)
		if err != nil {
			return nil, err
		}
		for s := range graphSources(folders) {
			specs = append(specs, listedSpec{s.title(), s.graph.Name.V, s.graph.Doc.V, len(scenariosOf(s))})
		}
	}
	return map[string]any{"specs": specs, "recordings": slices.Concat([]string{}, m.recordings)}, nil
}

// graphSources returns the selected specs of graphs, as far as they can be read.
func graphSources(folders []*folder) iter.Seq[*source] {
	return func(yield func(*source) bool) {
		for _, f := range folders {
			for _, s := range f.selected() {
				if s.graph == nil {
					s.graph, _ = spec.Load(s.path, s.text) // its check has the diagnostics
				}
				if s.graph != nil && !s.graph.TypesOnly() && !yield(s) {
					return
				}
			}
		}
	}
}

// A listedScenario is what the page has of a scenario before it is run.
type listedScenario struct {
	Name string `json:"name"`
	File string `json:"file"`
	Line int    `json:"line"`
}

// scenariosOf returns the scenarios of a spec, which may have errors.
func scenariosOf(s *source) []listedScenario {
	list := []listedScenario{}
	files, _ := filepath.Glob(filepath.Join(escapeGlob.Replace(filepath.Dir(s.path)), "*"+scenario.Suffix)) // the pattern is well formed
	of := filepath.Base(s.path)
	if s.inGo {
		of += "#" + s.graph.Name.V
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // which the run of the scenarios reports
		}
		f, _ := scenario.Load(file, text)
		if f == nil || f.Graph.V != of {
			continue
		}
		for _, one := range f.Scenarios {
			list = append(list, listedScenario{one.Name.V, filepath.ToSlash(file), one.Pos.Line})
		}
	}
	return list
}

// escapeGlob escapes what has a meaning in patterns of files.
var escapeGlob = strings.NewReplacer(`*`, `\*`, `?`, `\?`, `[`, `\[`, `\`, `\\`)

// one returns the selected spec of a title, without errors, with the folder that it is in.
func (m *studioModule) one(ctx context.Context, title string) (*source, []*folder, error) {
	folders, err := readFolders(ctx, m.paths)
	if err != nil {
		return nil, nil, err
	}
	for s := range graphSources(folders) {
		if s.title() != title {
			continue
		}
		var problems bytes.Buffer
		t := &terminal{out: io.Discard, err: &problems, marked: &problems}
		checked, err := t.checked(ctx, paths{Paths: []string{s.path}})
		if errors.Is(err, errFound) {
			return nil, nil, errors.New(strings.TrimSpace(problems.String()))
		}
		for now := range graphSources(checked) {
			if now.title() == title {
				return now, checked, err
			}
		}
		return nil, nil, fmt.Errorf("%s has changed: %w", title, err)
	}
	return nil, nil, fmt.Errorf("there is no spec %s", title)
}

// spec returns a spec with its picture, its scenarios and its versions.
func (m *studioModule) spec(r *http.Request) (any, error) {
	s, folders, err := m.one(r.Context(), r.FormValue("of"))
	if err != nil {
		return nil, err
	}
	lines := map[string][]string{}
	for _, f := range folders {
		for _, of := range f.sources {
			lines[of.name] = strings.Split(strings.ToValidUTF8(string(of.text), "\uFFFD"), "\n")
		}
	}
	return map[string]any{
		"view": view.Of(plan.Lower(s.flow, "main")), "scenarios": scenariosOf(s), "versions": versionsOf(r.Context(), s), "files": lines,
	}, nil
}

// A gitVersion is a commit that changed a file.
type gitVersion struct {
	Rev     string `json:"rev"`
	Date    string `json:"date"`
	Subject string `json:"subject"`
}

// mostVersions is how many commits the page lists.
const mostVersions = 30

// versionsOf returns the last commits that changed a spec; none without Git.
func versionsOf(ctx context.Context, s *source) []gitVersion {
	list := []gitVersion{}
	git := exec.CommandContext(ctx, "git", "log", "-n", fmt.Sprint(mostVersions), "--format=%h%x09%as%x09%s", "--", filepath.Base(s.path))
	git.Dir = filepath.Dir(s.path)
	var out bytes.Buffer
	git.Stdout = &out
	if err := subprocess.Run(ctx, git); err != nil {
		return list
	}
	for line := range strings.Lines(out.String()) {
		if parts := strings.SplitN(strings.TrimSpace(line), "\t", 3); len(parts) == 3 {
			list = append(list, gitVersion{parts[0], parts[1], strings.ToValidUTF8(parts[2], "\uFFFD")})
		}
	}
	return list
}

// against returns the picture of a spec with what has changed since a revision, and the changes in words.
func (m *studioModule) against(r *http.Request) (any, error) {
	s, _, err := m.one(r.Context(), r.FormValue("of"))
	if err != nil {
		return nil, err
	}
	old, err := versionAt(r.Context(), r.FormValue("rev"), s)
	if err != nil {
		return nil, err
	}
	drawn := picture.Of(plan.Lower(s.flow, "main"), picture.Options{Against: plan.Lower(old, "main"), Changed: changedNodes(old, s.flow)})
	type change struct {
		Kind    string `json:"kind"`
		Section string `json:"section"`
		Of      string `json:"of,omitempty"`
		What    string `json:"what,omitempty"`
	}
	changes := []change{}
	for _, c := range diff.Between(old, s.flow) {
		changes = append(changes, change{[...]string{"changed", "added", "removed"}[c.Kind], c.Section.String(), c.Of, c.What})
	}
	return map[string]any{"picture": string(drawn.SVG(picture.Style{Bare: true})), "changes": changes}, nil
}

// A scenarioRun is the result of scenarios.
type scenarioRun struct {
	Problem string           `json:"problem,omitempty"` // why they could not be run
	Results []scenarioResult `json:"results"`
	Took    int64            `json:"took_ms"`
}

// A scenarioResult is the result of one scenario, with how often it took each node and transition.
type scenarioResult struct {
	Name     string         `json:"name"`
	Line     int            `json:"line"`
	Path     []string       `json:"path"`
	End      string         `json:"end"`
	Error    string         `json:"error,omitempty"`
	Failures []failureJSON  `json:"failures"`
	Nodes    map[string]int `json:"nodes"`
	Taken    []int          `json:"taken"` // by the number of the transition, from 1
}

type failureJSON struct {
	What string `json:"what"`
	Line int    `json:"line"`
	Want string `json:"want"`
	Got  string `json:"got"`
}

// scenarios runs the scenarios of a spec, or the one that is named.
func (m *studioModule) scenarios(r *http.Request) (any, error) {
	ctx, cancel := context.WithCancelCause(r.Context()) // a person who leaves the page needs no result
	defer cancel(nil)
	defer context.AfterFunc(m.ctx, func() { cancel(context.Cause(m.ctx)) })()
	select { // one after the other: each has a compiler at work
	case m.running <- struct{}{}:
		defer func() { <-m.running }()
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	s, _, err := m.one(ctx, r.FormValue("of"))
	if err != nil {
		return nil, err
	}
	begun := time.Now()
	short := strings.TrimSuffix(s.name, specSuffix)
	if s.inGo {
		short = s.graph.Name.V
	}
	config := scenario.Config{Files: []string{s.path}, Run: "^" + regexp.QuoteMeta(short) + "/", Cover: true}
	if name := r.FormValue("run"); name != "" {
		config.Run += regexp.QuoteMeta(name) + "$"
	}
	summary, err := scenario.Test(ctx, config)
	if err != nil {
		return nil, err
	}
	run := scenarioRun{Results: []scenarioResult{}}
	for _, d := range summary.Diagnostics {
		if d.Severity == diag.Error {
			run.Problem += fmt.Sprintf("%s:%d:%d: %s\n", d.File, d.Pos.Line, d.Pos.Col, d.Message)
		}
	}
	for i := range summary.Graphs {
		run.add(&summary.Graphs[i], s, short)
	}
	run.Took = time.Since(begun).Milliseconds()
	return run, nil
}

// add adds what the scenarios of a graph have given.
func (run *scenarioRun) add(g *scenario.Graph, s *source, short string) {
	run.Problem += g.Problem
	nodes := plan.Lower(s.flow, "main").Flow.Nodes
	for k := range g.Results {
		r := &g.Results[k]
		if r.Graph != short {
			continue
		}
		out := scenarioResult{Name: r.Name, Line: r.Line, Path: slices.Concat([]string{}, r.Path), End: r.End, Error: r.Error,
			Failures: []failureJSON{}, Nodes: map[string]int{}, Taken: r.Taken}
		for _, f := range r.Failures {
			out.Failures = append(out.Failures, failureJSON{f.What, f.Line, f.Want, f.Got})
		}
		for n, count := range r.Visits {
			if count > 0 && n < len(nodes) {
				out.Nodes[nodes[n].Name] = count
			}
		}
		run.Results = append(run.Results, out)
	}
}

// eventsFile returns the file of a recording FILE.jsonl or FILE.jsonl#RUN, and whether it is one.
func eventsFile(recording string) (file string, ok bool) {
	file, _, _ = strings.Cut(recording, "#")
	return file, strings.HasSuffix(file, ".jsonl") && !strings.HasPrefix(recording, "file:")
}

// recording sends a recording as JSON lines. Of a file of events it sends what the file has, so that the page can ask for a part of it, and
// for each run in it.
func (m *studioModule) recording(w http.ResponseWriter, r *http.Request) {
	name := r.FormValue("of")
	file, events := eventsFile(name)
	listed := func(of string) bool {
		f, ok := eventsFile(of)
		return of == name || events && ok && f == file
	}
	if !slices.ContainsFunc(m.recordings, listed) {
		studio.Refuse(w, http.StatusNotFound, "no_recording", "There is no such recording.")
		return
	}
	w.Header().Set("Content-Type", "application/jsonl")
	if events {
		http.ServeFile(w, r, file)
		return
	}
	run, err := readRun(r.Context(), name)
	if err != nil {
		studio.Refuse(w, http.StatusUnprocessableEntity, "no_run", err.Error())
		return
	}
	var out bytes.Buffer
	for _, e := range run.events {
		line, err := json.Marshal(e)
		if err != nil {
			studio.Refuse(w, http.StatusUnprocessableEntity, "no_run", err.Error())
			return
		}
		out.Write(append(line, '\n'))
	}
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(out.Bytes()))
}
