package main

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/gen/picture"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/runevents"
	"github.com/graphgen/graphgen/scenario"
)

// runs counts what runs have done, by the name of their graph.
type runs map[string]*counts

// counts are what runs of a graph have done. Keys have the path of the nodes that run a graph, as in look/judge.
type counts struct {
	visits  map[string]int // by node
	failed  map[string]int // by node: failures
	waiting map[string]bool
	taken   map[string]int       // by the number of the transition
	ends    map[string][2]string // of a transition: the nodes between which it leads; the first may be empty
	named   map[string]int       // of threads: by the name of the transition, such as write>judge
}

func (r runs) of(graph string) *counts {
	if r[graph] == nil {
		r[graph] = &counts{map[string]int{}, map[string]int{}, map[string]bool{}, map[string]int{}, map[string][2]string{}, map[string]int{}}
	}
	return r[graph]
}

// add adds what a run has done. What its child runs did counts for their graphs too, where these are known.
func (r runs) add(run *savedRun) {
	if run.report != nil {
		r.report(run.report)
		return
	}
	for _, e := range run.events {
		if textOf(e, "within") != "" && textOf(e, "graph") != "" {
			r.of(textOf(e, "graph")).event(e, "")
		}
		if run.graph != "" {
			r.of(run.graph).event(e, pathOf(e))
		}
	}
}

// report adds a report, and the reports of its child runs. It counts what the path of a report, which has the last steps alone, does not have.
func (r runs) report(report *runevents.Report) {
	r.of(report.Graph).add(report, "")
	for _, n := range report.Nested {
		if n.Report != nil {
			r.report(n.Report)
		}
	}
}

// add adds a report of a run at a path.
func (c *counts) add(report *runevents.Report, path string) {
	for _, n := range report.Nodes {
		c.visits[path+n.Node] += n.Visits
	}
	for _, f := range report.Failures {
		c.failed[path+f.Node]++
	}
	for k, t := range report.Transitions {
		c.take(path+strconv.Itoa(k+1), t.From, t.To, t.Count)
	}
	for _, n := range report.Nested {
		if n.Report != nil {
			c.add(n.Report, path+n.Node+"/")
		}
	}
}

// take adds that a transition was followed, n times.
func (c *counts) take(key, from, to string, n int) {
	c.taken[key] += n
	c.ends[key] = [2]string{from, to}
}

// event adds an event of a run at a path.
func (c *counts) event(e map[string]any, path string) {
	name := textOf(e, "node")
	node := path + name
	switch textOf(e, "kind") {
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
		route, _ := e["route"].(map[string]any)
		if named := textOf(route, "named"); named != "" {
			c.named[path+named]++
		} else if number := transitionOf(route); number != "" {
			c.take(path+number, "", textOf(route, "to"), 1)
		}
	}
}

// scenarios adds what the scenarios of a graph took.
func (c *counts) scenarios(m *plan.Machine, cover *scenario.Coverage) {
	for k, n := range m.Flow.Nodes {
		c.visits[n.Name] += cover.Visits[k]
	}
	for k, n := range cover.Taken {
		c.taken[strconv.Itoa(k+1)] += n
	}
}

// marks returns the marks of a graph. With cover they have every count, and what has none.
func (c *counts) marks(m *plan.Machine, cover bool) (*picture.Marks, error) {
	marks := &picture.Marks{Nodes: map[string]picture.Mark{}, Edges: map[string]picture.Mark{}, Fade: !cover}
	if err := c.number(m); err != nil {
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
		for _, n := range m.Flow.Nodes {
			marks.Nodes[n.Name] = never
		}
		for k := range m.Flow.Transitions {
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
	for _, n := range m.Flow.Nodes { // runs are in the regions of what has marks
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

// number gives the transitions that threads name their numbers, and refuses counts of another version of the graph.
func (c *counts) number(m *plan.Machine) error {
	n := newNumbering(m)
	for key, ends := range c.ends {
		is, known := n.ends[key]
		if known && (ends[1] != is[1] || ends[0] != "" && ends[0] != is[0]) {
			return fmt.Errorf("-run: a run is of another version of graph %q: its transition %s leads from %q to %q",
				m.Name, key, cmp.Or(ends[0], is[0]), ends[1])
		}
	}
	for name, count := range c.named {
		if path, _ := cutName(name); n.numbers[name] > 0 {
			c.taken[path+strconv.Itoa(n.numbers[name])] += count
		}
	}
	return nil
}

// cutName cuts the path of the nodes that run a graph from the name of a transition in it.
func cutName(key string) (path, name string) {
	k := strings.LastIndexByte(key, '/') + 1
	return key[:k], key[k:]
}
