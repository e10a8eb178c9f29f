package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/runpage"
	"github.com/graphgen/graphgen/internal/runevents"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
)

// A savedRun is a run as events, of whatever it was read from.
type savedRun struct {
	name   string
	id     string            // of the run
	graph  string            // empty: it has no event of the outermost run
	shape  string            // of the graph; empty: not known
	note   string            // what its steps lack
	report *runevents.Report // that it was read from; nil: from something else
	events []map[string]any
	raw    [][]byte        // of events that were read: as they were
	files  map[string]bool // that events name
}

// readRuns reads what runs have left: a report as JSON, events as JSON lines, or a thread of a file store.
func readRuns(ctx context.Context, name string) ([]*savedRun, error) {
	if rest, ok := strings.CutPrefix(name, "file:"); ok {
		r, err := threadRun(ctx, name, rest)
		if err != nil {
			return nil, err
		}
		return []*savedRun{r}, nil
	}
	file, id := name, ""
	text, err := os.ReadFile(file)
	if err != nil {
		var named bool
		if file, id, named = strings.Cut(name, "#"); !named || file == "" {
			return nil, err
		}
		if text, err = os.ReadFile(file); err != nil {
			return nil, err
		}
	}
	if report := runevents.ReadReport(text); report != nil {
		return []*savedRun{reportRun(name, report)}, nil
	}
	all, err := eventRuns(name, text)
	if err != nil || id == "" {
		return all, err
	}
	for _, r := range all {
		if r.id == id {
			return []*savedRun{r}, nil
		}
	}
	return nil, fmt.Errorf("it has no event of run %s", id)
}

// reportRun makes a report into events.
func reportRun(name string, report *runevents.Report) *savedRun {
	r := &savedRun{name: name, id: report.Run, graph: report.Graph, report: report, files: map[string]bool{},
		events: report.Events(), note: runevents.ReportNote}
	for _, e := range r.events {
		if file := textOf(e, "file"); file != "" {
			r.files[file] = true
		}
	}
	return r
}

// readRun reads what one run has left.
func readRun(ctx context.Context, name string) (*savedRun, error) {
	all, err := readRuns(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case len(all) > 1:
		return nil, fmt.Errorf("it has the events of %d runs: name one, as in %s#%s", len(all), name, all[len(all)-1].id)
	case all[0].graph == "":
		return nil, errors.New("it has no event of the outermost run")
	}
	return all[0], nil
}

// eventRuns reads events as JSON lines. Those of a child run are with the run whose ID begins the child's.
func eventRuns(name string, text []byte) (all []*savedRun, err error) {
	runs := map[string]*savedRun{}
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	for number := 1; lines.Scan(); number++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		e := map[string]any{}
		in := json.NewDecoder(bytes.NewReader(line))
		in.UseNumber()
		if err := in.Decode(&e); err != nil {
			return nil, fmt.Errorf("line %d is neither an event as JSON nor part of a report: %w", number, err)
		}
		id := textOf(e, "run")
		if textOf(e, "kind") == "" || id == "" {
			return nil, fmt.Errorf("line %d is not an event: it has no kind or no run; a tape of package record has no steps", number)
		}
		outermost := textOf(e, "within") == ""
		r := runs[id]
		for end := len(id); r == nil && !outermost && end > 0; end-- {
			r = runs[id[:end]]
		}
		if r == nil {
			r = &savedRun{name: name, id: id, files: map[string]bool{},
				note: "Events do not have the state. Of a run in a thread, -state adds what steps changed."}
			runs[id], all = r, append(all, r)
		}
		if outermost && r.graph == "" || textOf(e, "shape") != "" && outermost {
			r.graph, r.shape = textOf(e, "graph"), textOf(e, "shape")
		}
		if file := textOf(e, "file"); file != "" {
			r.files[file] = true
		}
		r.events, r.raw = append(r.events, e), append(r.raw, bytes.Clone(line))
	}
	if len(all) == 0 && lines.Err() == nil {
		return nil, errors.New("it is empty")
	}
	return all, lines.Err()
}

func textOf(e map[string]any, name string) string {
	text, _ := e[name].(string)
	return text
}

// pathOf returns what the keys of nodes and transitions begin with where an event was, as in look/judge and look/3.
func pathOf(e map[string]any) string {
	if within := textOf(e, "within"); within != "" {
		return within + "/"
	}
	return ""
}

// number gives the transitions that threads name their numbers, and refuses events of another version of the graph.
func (r *savedRun) number(m *plan.Machine) error { return newNumbering(m).apply(r.events, m) }

// A numbering has the transitions of a graph, and of the graphs that it runs. Keys begin with the path of the nodes that run a graph.
type numbering struct {
	numbers map[string]int       // by the name that threads have, such as write>judge
	ends    map[string][2]string // by number: the nodes between which it leads
}

func newNumbering(m *plan.Machine) *numbering {
	n := &numbering{map[string]int{}, map[string][2]string{}}
	n.add(m, "", 0)
	return n
}

// mostWithin is how deep graphs are looked at that run graphs.
const mostWithin = 8

func (n *numbering) add(m *plan.Machine, path string, depth int) {
	named := map[string]int{}
	for k, t := range m.Flow.Transitions {
		from, to := spec.End, spec.End
		if t.From != nil {
			from = t.From.Name
		}
		if t.To != nil {
			to = t.To.Name
		}
		name := from + ">" + to
		if named[name]++; named[name] > 1 {
			name += "#" + strconv.Itoa(named[name])
		}
		n.numbers[path+name], n.ends[path+strconv.Itoa(k+1)] = k+1, [2]string{from, to}
	}
	for node, sub := range plan.Works[*plan.Sub](m) {
		if sub.Machine != nil && depth < mostWithin {
			n.add(plan.Lower(cfg.Of(sub.Spec), "main"), path+node.Name+"/", depth+1)
		}
	}
}

// apply numbers the transitions of events.
func (n *numbering) apply(events []map[string]any, m *plan.Machine) error {
	for _, e := range events {
		route, ok := e["route"].(map[string]any)
		if !ok {
			continue
		}
		path := pathOf(e)
		if name, ok := route["named"].(string); ok {
			if k := n.numbers[path+name]; k > 0 {
				route["transition"] = k
			}
			delete(route, "named")
			continue
		}
		if k, ok := route["transition"].(int); ok && k > len(m.Flow.Transitions) && path == "" { // of a report: one that the run has added
			delete(route, "transition")
			continue
		}
		number := transitionOf(route)
		ends, known := n.ends[path+number]
		if number != "" && (known && ends[1] != textOf(route, "to") || !known && path == "") {
			return fmt.Errorf("the run is of another version of graph %q: its transition %s leads to %q", m.Name, path+number, textOf(route, "to"))
		}
	}
	return nil
}

// transitionOf returns the number of a transition, which events have as text and others as a number; empty: it has none.
func transitionOf(route map[string]any) string {
	if n := route["transition"]; n != nil {
		return fmt.Sprint(n)
	}
	return ""
}

// page returns the run as the page has it.
func (r *savedRun) page() (runpage.Run, error) {
	run := runpage.Run{Name: r.name, Note: r.note}
	for k, e := range r.events {
		if k < len(r.raw) { // what was sent has its members in the order in which they were sent
			data, written := r.raw[k], e["written"]
			if written != nil {
				more, err := json.Marshal(written)
				if err != nil {
					return run, err
				}
				data = fmt.Appendf(nil, `%s,"written":%s}`, bytes.TrimSuffix(data, []byte("}")), more)
			}
			run.Events = append(run.Events, data)
			continue
		}
		data, err := json.Marshal(e)
		if err != nil {
			return run, err
		}
		run.Events = append(run.Events, data)
	}
	return run, nil
}
