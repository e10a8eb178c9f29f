package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/cmd/threads"
	"github.com/graphgen/graphgen/gen/picture"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/scenario"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
)

// runs counts what runs have done, by the name of their graph.
type runs map[string]*counts

// counts are what runs of a graph have done. Keys have the path of the nodes that run a graph, as in look/judge.
type counts struct {
	visits  map[string]int // by node
	failed  map[string]int // by node: failures
	waiting map[string]bool
	taken   map[string]int    // by the number of the transition
	ends    map[string]string // of a transition in a report: the nodes between which it leads
	saved   map[string]int    // of threads: by the path and the name of a transition, such as write>judge
}

func (r runs) of(graph string) *counts {
	if r[graph] == nil {
		r[graph] = &counts{map[string]int{}, map[string]int{}, map[string]bool{}, map[string]int{}, map[string]string{}, map[string]int{}}
	}
	return r[graph]
}

// read reads what a run has left: a report as JSON, events as JSON lines, or a thread of a file store.
func (r runs) read(ctx context.Context, name string) error {
	if rest, ok := strings.CutPrefix(name, "file:"); ok {
		dir, thread, ok := strings.Cut(rest, "#")
		if !ok || dir == "" || thread == "" {
			return fmt.Errorf("-run %s: a thread is given as file:FOLDER#THREAD", name)
		}
		if err := r.thread(ctx, "file:"+dir, thread); err != nil {
			return fmt.Errorf("-run %s: %w", name, err)
		}
		return nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("-run: %w", err)
	}
	var report reportJSON
	if err = json.Unmarshal(text, &report); err == nil && report.Reason != "" {
		r.report(&report)
		return nil
	}
	if problem := r.events(text); problem != nil {
		return fmt.Errorf("-run %s: it is neither a report as JSON nor events as JSON lines: %w", name, cmp.Or(err, problem))
	}
	return nil
}

// A reportJSON is what is read of a report.
type reportJSON struct {
	Graph       string
	Reason      string
	Transitions []struct {
		From, To string
		Count    int
	}
	Nodes []struct {
		Node   string
		Visits int
	}
	Failures []struct{ Node string }
	Nested   []struct {
		Node   string
		Report *reportJSON
	}
}

// report adds a report, and the reports of its child runs.
func (r runs) report(report *reportJSON) {
	r.of(report.Graph).add(report, "")
	for _, n := range report.Nested {
		if n.Report != nil {
			r.report(n.Report)
		}
	}
}

// add adds a report of a run at a path.
func (c *counts) add(report *reportJSON, path string) {
	for _, n := range report.Nodes {
		c.visits[path+n.Node] += n.Visits
	}
	for _, f := range report.Failures {
		c.failed[path+f.Node]++
	}
	for k, t := range report.Transitions {
		key := path + strconv.Itoa(k+1)
		c.taken[key] += t.Count
		c.ends[key] = t.From + " → " + t.To
	}
	for _, n := range report.Nested {
		if n.Report != nil {
			c.add(n.Report, path+n.Node+"/")
		}
	}
}

// An eventJSON is what is read of an event.
type eventJSON struct {
	Kind, Run, Graph, Within, Node string
	Route                          *struct{ Transition int }
}

// events adds the events of runs.
func (r runs) events(text []byte) error {
	graphs := map[string]string{} // of the outermost runs, by their IDs
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, len(text)+1)
	known := false
	for lines.Scan() {
		var e eventJSON
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		if e.Kind == "" || e.Run == "" {
			return errors.New("a line has no kind or no run")
		}
		known = true
		graph, path := e.Graph, ""
		if e.Within == "" {
			graphs[e.Run] = e.Graph
		} else {
			graph, path = outermost(graphs, e.Run), e.Within+"/"
			r.of(e.Graph).event(&e, "")
		}
		if graph != "" {
			r.of(graph).event(&e, path)
		}
	}
	if !known {
		return errors.New("it is empty")
	}
	return lines.Err()
}

// outermost returns the graph of the run whose ID a run's ID begins with.
func outermost(graphs map[string]string, run string) string {
	for end := len(run); end > 0; end-- {
		if graph := graphs[run[:end]]; graph != "" {
			return graph
		}
	}
	return ""
}

// event adds an event of a run at a path.
func (c *counts) event(e *eventJSON, path string) {
	node := path + e.Node
	switch e.Kind {
	case "node_start":
		c.visits[node]++
		delete(c.waiting, node)
	case "node_end":
		delete(c.waiting, node)
	case "node_error":
		c.failed[node]++
	case "interrupt":
		c.waiting[node] = true
	case "route":
		if e.Route != nil && e.Route.Transition > 0 {
			c.taken[path+strconv.Itoa(e.Route.Transition)]++
		}
	}
}

// thread adds what a thread has saved.
func (r runs) thread(ctx context.Context, store, name string) error {
	s, err := openFiles(store)
	if err != nil {
		return err
	}
	defer s.Close()
	head, _, err := s.Load(ctx, name, 0)
	if err != nil {
		return err
	}
	c := r.of(head.Graph)
	for step, err := range threads.Steps(ctx, s, name) {
		if err != nil {
			return err
		}
		for _, change := range step.Changes {
			path := pathOf(change.At)
			if change.Ended && change.Node != "" {
				c.visits[path+change.Node]++
			}
			if change.Failed != "" {
				c.failed[path+change.Node]++
			}
			if change.Transition != "" {
				c.saved[path+"\x00"+change.Transition]++
			}
		}
	}
	nodes, err := threads.Waiting(&head)
	for _, node := range nodes {
		c.waiting[node] = true
	}
	return err
}

// pathOf returns the path of the nodes that run the graph of a run, of its place: a node is followed by an empty name there.
func pathOf(at string) (path string) {
	parts := strings.Split(at, "/")
	for k, part := range parts[1:] {
		if part == "" {
			path += parts[k] + "/"
		}
	}
	return path
}

// scenarios adds what the scenarios of a graph took.
func (c *counts) scenarios(m *plan.Machine, cover *scenario.Coverage) {
	for k, n := range m.Nodes {
		c.visits[n.Name] += cover.Visits[k]
	}
	for k, n := range cover.Taken {
		c.taken[strconv.Itoa(k+1)] += n
	}
}

// marks returns the marks of a graph. With cover they have every count, and what has none.
func (c *counts) marks(m *plan.Machine, cover bool) (*picture.Marks, error) {
	marks := &picture.Marks{Nodes: map[string]picture.Mark{}, Edges: map[string]picture.Mark{}, Fade: !cover}
	if err := c.numbers(m, "", nil); err != nil {
		return nil, err
	}
	times := func(n int) string {
		if n > 1 || cover {
			return "×" + strconv.Itoa(n)
		}
		return ""
	}
	never := picture.Mark{State: picture.Waiting, Text: "never"}
	if cover {
		for _, n := range m.Nodes {
			marks.Nodes[n.Name] = never
		}
		for k := range m.Transitions {
			marks.Edges[strconv.Itoa(k+1)] = never
		}
	}
	for node, n := range c.visits {
		if n > 0 {
			marks.Nodes[node] = picture.Mark{State: picture.Taken, Text: times(n)}
		}
	}
	for node, n := range c.failed {
		text := "failed"
		if visits := c.visits[node]; visits > 1 || cover {
			text = fmt.Sprintf("%d of %d failed", n, max(n, visits))
		}
		marks.Nodes[node] = picture.Mark{State: picture.Failed, Text: text}
	}
	for node := range c.waiting {
		marks.Nodes[node] = picture.Mark{State: picture.Waiting, Text: "waits"}
	}
	for _, n := range m.Nodes { // runs are in the regions of what has marks
		for child := n; child.Parent != nil && (marks.Nodes[child.Name].State != picture.Unmarked && marks.Nodes[child.Name] != never); child = child.Parent {
			if parent := marks.Nodes[child.Parent.Name]; parent.State == picture.Unmarked || parent == never {
				marks.Nodes[child.Parent.Name] = picture.Mark{State: picture.Taken}
			}
		}
	}
	for edge, n := range c.taken {
		if n > 0 {
			marks.Edges[edge] = picture.Mark{State: picture.Taken, Text: times(n)}
		}
	}
	return marks, nil
}

// numbers gives the transitions that threads name their numbers, and refuses counts of another version of the graph.
func (c *counts) numbers(m *plan.Machine, path string, within []*spec.Graph) error {
	named := map[string]int{}
	for k, t := range m.Transitions {
		from, to := spec.End, spec.End
		if t.From != nil {
			from = t.From.Name
		}
		if t.To != nil {
			to = t.To.Name
		}
		key := path + strconv.Itoa(k+1)
		if ends, ok := c.ends[key]; ok {
			start, _, _ := strings.Cut(ends, " → ")
			if ends != start+" → "+to || start != "" && start != from {
				return fmt.Errorf("-run: a report is of another version of graph %q: transition %d leads there from %q to %q",
					m.Name, k+1, start, strings.TrimPrefix(ends, start+" → "))
			}
		}
		name := from + ">" + to
		if named[name]++; named[name] > 1 {
			name += "#" + strconv.Itoa(named[name])
		}
		c.taken[key] += c.saved[path+"\x00"+name]
	}
	for _, n := range m.Nodes {
		if n.Sub != nil && n.Sub.Machine != nil && len(within) < mostWithin {
			if err := c.numbers(plan.Lower(cfg.Of(n.Sub.Spec), "main"), path+n.Name+"/", append(within, n.Sub.Spec)); err != nil {
				return err
			}
		}
	}
	return nil
}

// mostWithin is how deep graphs are looked at that run graphs.
const mostWithin = 8
