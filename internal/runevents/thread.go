// Package runevents makes what a thread has saved into events, in the form in which AppendJSON of graphgen.Event writes them: for what shows
// runs. What an event of a thread has besides are the members named, the name of a transition, and written.
package runevents

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/thread"
)

// An Event is an event as JSON.
type Event = map[string]any

// An Asked is an open request of a thread.
type Asked struct {
	Path   string // the nodes that run the graph of the run that asks
	Branch string
	Node   string
	JSON   json.RawMessage
}

// endOf is the name of the end of a graph.
const endOf = "end"

// Requests returns open requests of a thread, without the values of the state that people are shown.
func Requests(open []graphgen.Request) (list []Asked, err error) {
	for _, q := range open {
		q.Shown = nil
		text, err := graphgen.AppendRequests(nil, []graphgen.Request{q})
		if err != nil {
			return nil, err
		}
		var one struct {
			Requests []json.RawMessage `json:"requests"`
		}
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, err
		}
		list = append(list, Asked{q.Within, q.Branch, q.Node, one.Requests[0]})
	}
	return list, nil
}

// LastRun returns the steps of the last run of a thread.
func LastRun(steps iter.Seq2[thread.Step, error]) (last []thread.Step, err error) {
	for s, err := range steps {
		if err != nil {
			return nil, err
		}
		if s.Run != "" {
			last = nil
		}
		last = append(last, s)
	}
	return last, nil
}

// Thread makes the steps of a run of a graph, and its open requests, into events in the order of their times.
func Thread(graph string, steps []thread.Step, requests []Asked) []Event {
	return NewSeries(graph).Next(steps, requests)
}

// A Series makes the steps of a run into events part by part.
type Series struct{ of *threadEvents }

// NewSeries returns a series of a run of a graph that has no step yet.
func NewSeries(graph string) *Series { return &Series{newThreadEvents(graph)} }

// Next makes the steps that follow into events in the order of their times. Only the last part has requests.
func (s *Series) Next(steps []thread.Step, requests []Asked) []Event {
	t := s.of
	for i := range steps {
		t.add(&steps[i])
	}
	t.wait(requests)
	events := t.events
	t.events = nil
	slices.SortStableFunc(events, func(a, b Event) int { return a["time"].(time.Time).Compare(b["time"].(time.Time)) })
	return events
}

func newThreadEvents(graph string) *threadEvents {
	return &threadEvents{graph: graph, places: map[string]*threadPlace{"": {steps: new(stepCount), visits: map[string]int{}}}}
}

// Place returns the nodes that run the graph of a run, and its branch, of its place in a thread.
func Place(at string) (within, branch string) {
	p := newThreadEvents("").place(at)
	return p.within, p.branch
}

// threadEvents makes records into events. A record has the end of a step; the step began when the one before it ended.
type threadEvents struct {
	events []Event
	graph  string
	id     string
	time   time.Time
	paused bool // what follows began when it was saved, for all that is known
	places map[string]*threadPlace
}

// A threadPlace is a run of the tree.
type threadPlace struct {
	at             string // its place
	within, branch string
	up             *threadPlace // around it; nil: it is the outermost run
	node           string       // of up, within which it is: runs its graph, or has it as a branch or a body
	tie            tie

	run    string // what the ID of the run has besides that of the outermost run
	since  int    // the step of up in which it is
	steps  *stepCount
	step   int
	open   string      // the node of the step that has not ended
	calls  []savedCall // of the step, before it is known which it is
	asked  []toolCall  // the calls of tools that the last answer of a model has
	from   string      // the node whose branch it is; empty: it is none, or its transition is known
	visits map[string]int
}

// A tie is what a run of the tree is to the one around it.
type tie uint8

const (
	body   tie = iota // steps of it are steps of that
	branch            // its steps are numbered from the step that has begun it, which then has them all
	child             // a run of another machine
)

// A stepCount numbers steps as events do.
type stepCount struct {
	before, count int
	up            *stepCount // of what goes on after all steps here
}

func (c *stepCount) next() int {
	for up := c.up; up != nil; up = up.up {
		up.count++
	}
	c.count++
	return c.before + c.count
}

// A toolCall is what is read of a call in the answer of a model.
type toolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// place returns the run at a place, such as /look.carrier, or /look.0/ of a child run.
func (t *threadEvents) place(at string) *threadPlace {
	if p := t.places[at]; p != nil {
		return p
	}
	name := strings.TrimSuffix(at, "/")
	cut := max(strings.LastIndexByte(name, '/'), 0)
	up := t.place(name[:cut])
	p := &threadPlace{at: at, within: up.within, branch: up.branch, up: up, visits: map[string]int{}}
	node, of, ok := strings.Cut(strings.TrimPrefix(name[cut:], "/"), ".")
	switch p.node = node; {
	case name != at:
		p.tie = child
		p.within = strings.TrimPrefix(p.within+"/"+node, "/")
	case ok:
		p.tie = branch
		p.branch = strings.TrimPrefix(p.branch+"/"+of, "/")
	}
	t.places[at] = p
	return p
}

// enter begins the step of the run around a run, where nothing was saved of it, and a run of another machine.
func (t *threadEvents) enter(seq uint64, p *threadPlace) {
	if p.up == nil {
		return
	}
	if p.up.open == "" && p.node != "" {
		t.begin(seq, p.up, p.node)
	}
	if p.steps != nil && (p.since == p.up.step || p.tie == body) {
		return
	}
	p.since, p.run, p.steps = p.up.step, p.up.run, p.up.steps
	switch p.tie {
	case branch:
		p.from = p.node
		p.steps = &stepCount{before: p.since, up: p.up.steps}
	case child:
		if p.up.branch != "" {
			p.run += "/" + p.up.branch
		}
		p.run += "/" + strconv.Itoa(p.since) + "." + p.node
		p.steps, p.visits = new(stepCount), map[string]int{}
	}
}

func (t *threadEvents) event(kind string, seq uint64, p *threadPlace, more map[string]any) {
	e := Event{"kind": kind, "run": t.id, "graph": t.graph, "time": t.time, "record": seq}
	if p != nil {
		if p.within != "" {
			e["within"], e["run"] = p.within, t.id+p.run
			delete(e, "graph") // it is not saved
		}
		if p.branch != "" {
			e["branch"] = p.branch
		}
	}
	maps.Copy(e, more)
	t.events = append(t.events, e)
}

// begin begins a step at a place, with its first call where that is known.
func (t *threadEvents) begin(seq uint64, p *threadPlace, node string) {
	if len(p.calls) > 0 {
		now := t.time
		defer func() { t.time = now }()
		t.time = p.calls[0].before
	}
	if t.enter(seq, p); p.tie == child && p.steps.count == 0 {
		t.event("run_start", seq, p, nil)
		t.event("route", seq, p, map[string]any{"route": map[string]any{"to": node, "rule": "entry", "named": endOf + ">" + node}})
	}
	if p.from != "" {
		t.event("route", seq, p, map[string]any{"node": p.from, "route": map[string]any{"to": node, "rule": "branch", "named": p.from + ">" + node}})
		p.from = ""
	}
	p.step = p.steps.next()
	p.visits[node]++
	p.open = node
	t.event("node_start", seq, p, map[string]any{"node": node, "step": p.step, "visit": p.visits[node]})
	calls := p.calls
	p.calls = nil
	for _, c := range calls {
		t.call(c)
	}
}

// add adds what a record has saved.
func (t *threadEvents) add(s *thread.Step) {
	before := t.time
	t.time = s.Time
	if before.IsZero() || t.paused {
		before = s.Time
	}
	t.paused = s.Paused
	if s.Run != "" {
		t.id = s.Run
		t.event("run_start", s.Seq, nil, map[string]any{"thread": ""})
	}
	for i := range s.Calls {
		t.call(savedCall{s.Seq, before, s.Time, s.Calls[i]})
	}
	for i := range s.Changes {
		c := &s.Changes[i]
		if open := t.place(c.At).open; s.Ended != "" && c.Transition == "" && c.Failed == "" && open != "" && open != c.Node {
			continue // the end of a run within a region names the last node there
		}
		t.change(s.Seq, before, c)
	}
	for _, a := range s.Answers {
		t.event("say", s.Seq, nil, map[string]any{"text": a.Decision + " " + a.ID})
	}
	switch {
	case s.Paused:
		t.event("run_end", s.Seq, nil, map[string]any{"report": map[string]any{"reason": "interrupted"}})
	case s.Ended != "":
		end := map[string]any{"report": map[string]any{"reason": s.Ended}}
		if s.Failure != "" {
			end["error"] = s.Failure
		}
		t.event("run_end", s.Seq, nil, end)
	}
}

// change adds what a record has saved of one run of the tree.
func (t *threadEvents) change(seq uint64, before time.Time, c *thread.Change) {
	p := t.place(c.At)
	written := Written(c)
	if c.Node != "" && p.open != c.Node {
		now := t.time
		t.time = before
		t.begin(seq, p, c.Node)
		t.time = now
	}
	if c.Node != "" && (c.Ended || c.Failed != "") {
		end := map[string]any{"node": c.Node, "step": p.step, "visit": p.visits[c.Node], "written": written}
		kind := "node_end"
		if c.Failed != "" {
			kind = "node_error"
			end["error"] = c.Failed
		}
		t.event(kind, seq, p, end)
		p.open = ""
	}
	if c.Transition != "" || c.Failed != "" {
		rule, to := "transition", c.Next
		if c.Transition == "terminal" {
			rule = "terminal"
		}
		if c.Failed != "" {
			rule = "error"
		}
		if to == "" {
			to = endOf
		}
		t.event("route", seq, p, map[string]any{"node": c.Node, "step": p.step, "route": map[string]any{"to": to, "rule": rule, "named": c.Transition}})
	}
	if c.Node == "" && len(written) > 0 { // the run begins
		t.enter(seq, p)
		t.event("begin", seq, p, map[string]any{"written": written})
	}
	if c.Next != "" && c.Next != p.open {
		t.begin(seq, p, c.Next)
	}
}

// Written returns what a change has written, as events have it.
func Written(c *thread.Change) []any {
	written := []any{}
	for _, w := range c.Written {
		value := map[string]any{"name": w.Name, "added": w.Added}
		if json.Valid(w.JSON) {
			value["value"] = json.RawMessage(w.JSON)
		}
		written = append(written, value)
	}
	return written
}

// A savedCall is a result that a record has, and when the record before it was made.
type savedCall struct {
	seq           uint64
	before, saved time.Time
	thread.Call
}

// call adds a result that was saved in a step. A step that is the first of a branch is known by its end.
func (t *threadEvents) call(c savedCall) {
	p := t.place(c.At)
	kind, _, _ := strings.Cut(c.Key, ".")
	calls := strings.HasPrefix(c.Key, "tool.") // else it asks a model
	if !calls && !strings.HasPrefix(c.Key, "model.") {
		return
	}
	if p.open == "" {
		p.calls = append(p.calls, c)
		return
	}
	step := map[string]any{"node": p.open, "step": p.step, "visit": p.visits[p.open]}
	what := map[string]any{"name": c.Key}
	if !calls {
		what = map[string]any{"call": strconv.FormatUint(c.seq, 10) + "/" + c.At + "/" + c.Key}
	}
	now := t.time
	if calls {
		p.tool(c.Key, what)
	}
	step[kind] = what
	defer func() { t.time = now }()
	t.time = c.before
	t.event(kind+"_start", c.seq, p, step)
	t.time = c.saved
	end := maps.Clone(step)
	var result struct {
		Text    string          // of a tool
		Message json.RawMessage // of a model
		Model   string
		Finish  string
		Usage   json.RawMessage
		Error   struct{ Message, Text string } // of a call that failed
	}
	if err := json.Unmarshal(c.JSON, &result); err != nil {
		result.Text = string(c.JSON)
	}
	what = maps.Clone(what)
	end[kind] = what
	if text := cmp.Or(result.Error.Text, result.Error.Message); text != "" {
		end["error"] = text
	}
	if calls {
		what["result"] = result.Text
	} else {
		what["name"], what["finish"] = result.Model, result.Finish
		if result.Usage != nil {
			what["usage"] = result.Usage
		}
		var message struct {
			Calls []toolCall `json:"calls"`
		}
		if json.Unmarshal(result.Message, &message) == nil {
			end["received"], p.asked = result.Message, message.Calls
		}
	}
	t.event(kind+"_end", c.seq, p, end)
}

// tool adds the name and the arguments of a call: its key ends in its number among those that the model asked for.
func (p *threadPlace) tool(key string, what map[string]any) {
	k, err := strconv.Atoi(key[strings.LastIndexByte(key, '.')+1:])
	if err != nil || k < 0 || k >= len(p.asked) {
		return
	}
	call := p.asked[k]
	what["id"], what["name"], what["arguments"] = call.ID, call.Name, call.Arguments
}

// wait adds the requests of a pause before its end.
func (t *threadEvents) wait(requests []Asked) {
	if len(requests) == 0 || len(t.events) == 0 {
		return
	}
	last := len(t.events) - 1
	end := t.events[last]
	t.events = t.events[:last]
	for _, q := range requests {
		p := t.waiting(q.Path, q.Branch, q.Node)
		if p.open != q.Node {
			t.begin(0, p, q.Node)
		}
		t.event("interrupt", 0, p, map[string]any{"node": q.Node, "step": p.step, "request": json.RawMessage(q.JSON)})
	}
	t.events = append(t.events, end)
}

// waiting returns the place of a request of a node. A branch that waits in its first step has saved nothing.
func (t *threadEvents) waiting(path, of, node string) *threadPlace {
	if p := t.at(path, of, node); p != nil {
		return p
	}
	outer, last := cutLast(path)
	around, name := cutLast(of)
	up := t.at(path, around, "")
	if of == "" || up == nil && path != "" {
		return t.place(t.waiting(outer, of, last).at + "/" + last + "/")
	}
	if up == nil {
		up = t.waiting(path, around, "")
	}
	return t.place(up.at + "/" + up.open + "." + name)
}

// at returns the run of a path and a branch, in which a node is executed if there are several; nil: nothing was saved of one.
func (t *threadEvents) at(path, of, node string) (found *threadPlace) {
	for _, at := range slices.Sorted(maps.Keys(t.places)) { // a body is after what it is in
		if p := t.places[at]; p.within == path && p.branch == of && (found == nil || found.open != node) {
			found = p
		}
	}
	return found
}

// cutLast cuts the last name off a path.
func cutLast(path string) (outer, last string) {
	cut := strings.LastIndexByte(path, '/')
	return path[:max(cut, 0)], path[cut+1:]
}
