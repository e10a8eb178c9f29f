package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/cmd/threads"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/thread"
)

// threadRun makes what a thread has saved into events.
func threadRun(ctx context.Context, name, rest string) (*savedRun, error) {
	head, steps, err := threadSteps(ctx, rest)
	if err != nil {
		return nil, err
	}
	r := &savedRun{name: name, graph: head.Graph, files: map[string]bool{},
		note: "A thread has what steps changed and the results of calls. Requests are in the events of a run with graphgen.WithExchanges."}
	t := &threadEvents{run: r, places: map[string]*threadPlace{}, started: map[string]bool{}, steps: map[string]int{}}
	for i := range steps {
		t.add(&steps[i])
	}
	requests, err := threads.Requests(&head)
	if err != nil {
		return nil, err
	}
	t.wait(requests)
	slices.SortStableFunc(r.events, func(a, b map[string]any) int { return a["time"].(time.Time).Compare(b["time"].(time.Time)) })
	return r, nil
}

// threadSteps reads a thread of a file store.
func threadSteps(ctx context.Context, rest string) (head thread.Head, steps []thread.Step, err error) {
	dir, name, ok := strings.Cut(rest, "#")
	if !ok || dir == "" || name == "" {
		return head, nil, errors.New("a thread is given as file:FOLDER#THREAD")
	}
	s, err := openFiles("file:" + dir)
	if err != nil {
		return head, nil, err
	}
	defer s.Close()
	if head, _, err = s.Load(ctx, name, 0); err != nil {
		return head, nil, err
	}
	for step, err := range threads.Steps(ctx, s, name) {
		if err != nil {
			return head, nil, err
		}
		if step.Run != "" { // of several runs, the last
			steps = nil
		}
		steps = append(steps, step)
	}
	return head, steps, nil
}

// threadEvents makes records into events. A record has the end of a step; the step began when the one before it ended.
type threadEvents struct {
	run     *savedRun
	id      string
	time    time.Time
	paused  bool // what follows began when it was saved, for all that is known
	places  map[string]*threadPlace
	started map[string]bool // child runs
	steps   map[string]int  // of a child run and a branch: the number of the last step
}

// A threadPlace is a run of the tree.
type threadPlace struct {
	within, branch string
	run            string // the place of the child run, as in /look.0/judge/; empty: the outermost run
	step           int
	open           string      // the node of the step that has not ended
	calls          []savedCall // of the step, before it is known which it is
	asked          []toolCall  // the calls of tools that the last answer of a model has
	from           string      // the node whose branch it is; empty: it is none, or its transition is known
	visits         map[string]int
}

// A toolCall is what is read of a call in the answer of a model.
type toolCall struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// place returns the run at a place, such as /look.carrier, or /look.0/ of a child run.
func (t *threadEvents) place(at string) *threadPlace {
	p := t.places[at]
	if p == nil {
		p = &threadPlace{visits: map[string]int{}}
		parts := strings.Split(at, "/")
		for k := 1; k < len(parts); k++ {
			node, branch, ok := strings.Cut(parts[k], ".")
			switch {
			case parts[k] == "" && k > 1: // the node before it runs a graph
				before, _, _ := strings.Cut(parts[k-1], ".")
				p.within = strings.TrimPrefix(p.within+"/"+before, "/")
				p.run = strings.Join(parts[:k+1], "/")
			case ok:
				p.branch = strings.TrimPrefix(p.branch+"/"+branch, "/")
			}
			p.from = ""
			if ok {
				p.from = node
			}
		}
		t.places[at] = p
	}
	return p
}

func (t *threadEvents) event(kind string, seq uint64, p *threadPlace, more map[string]any) {
	e := map[string]any{"kind": kind, "run": t.id, "graph": t.run.graph, "time": t.time, "record": seq}
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
	t.run.events = append(t.run.events, e)
}

// begin begins a step at a place, with its first call where that is known.
func (t *threadEvents) begin(seq uint64, p *threadPlace, node string) {
	if len(p.calls) > 0 {
		now := t.time
		defer func() { t.time = now }()
		t.time = p.calls[0].before
	}
	if p.run != "" && !t.started[p.run] {
		t.started[p.run] = true
		t.event("run_start", seq, p, nil)
		t.event("route", seq, p, map[string]any{"route": map[string]any{"to": node, "rule": "entry", "named": spec.End + ">" + node}})
	}
	if p.from != "" {
		t.event("route", seq, p, map[string]any{"node": p.from, "route": map[string]any{"to": node, "rule": "branch", "named": p.from + ">" + node}})
		p.from = ""
	}
	t.steps[p.run+"|"+p.branch]++
	p.step = t.steps[p.run+"|"+p.branch]
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
	written := writtenOf(c)
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
			to = spec.End
		}
		t.event("route", seq, p, map[string]any{"node": c.Node, "step": p.step, "route": map[string]any{"to": to, "rule": rule, "named": c.Transition}})
	}
	if c.Node == "" && len(written) > 0 { // the run begins
		t.event("begin", seq, p, map[string]any{"written": written})
	}
	if c.Next != "" {
		t.begin(seq, p, c.Next)
	}
}

func writtenOf(c *thread.Change) []any {
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
	}
	if err := json.Unmarshal(c.JSON, &result); err != nil {
		result.Text = string(c.JSON)
	}
	what = maps.Clone(what)
	end[kind] = what
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
func (t *threadEvents) wait(requests []threads.Asked) {
	if len(requests) == 0 || len(t.run.events) == 0 {
		return
	}
	last := len(t.run.events) - 1
	end := t.run.events[last]
	t.run.events = t.run.events[:last]
	for _, q := range requests {
		p := t.waiting(q)
		if p.open != q.Node {
			t.begin(0, p, q.Node)
		}
		t.event("interrupt", 0, p, map[string]any{"node": q.Node, "step": p.step, "request": json.RawMessage(q.JSON)})
	}
	t.run.events = append(t.run.events, end)
}

// waiting returns the place of a request. A branch that waits in its first step has saved nothing.
func (t *threadEvents) waiting(q threads.Asked) *threadPlace {
	for _, p := range t.places {
		if p.within == q.Path && p.branch == q.Branch {
			return p
		}
	}
	p := &threadPlace{within: q.Path, branch: q.Branch, visits: map[string]int{}}
	t.places["/"+q.Path+"/"+q.Branch] = p
	return p
}

// addState adds to the ends of steps what the records of the run's thread have saved of them.
func (r *savedRun) addState(ctx context.Context, name string) error {
	rest, ok := strings.CutPrefix(name, "file:")
	if !ok {
		return errors.New("a thread is given as file:FOLDER#THREAD")
	}
	_, steps, err := threadSteps(ctx, rest)
	if err != nil {
		return err
	}
	t := &threadEvents{run: &savedRun{}, places: map[string]*threadPlace{}, started: map[string]bool{}, steps: map[string]int{}}
	type saved struct {
		seq            uint64
		within, branch string
		node           string
		written        []any
	}
	var all []saved
	for _, s := range steps {
		for i := range s.Changes {
			c := &s.Changes[i]
			p := t.place(c.At)
			all = append(all, saved{s.Seq, p.within, p.branch, c.Node, writtenOf(c)})
		}
	}
	for _, e := range r.events {
		kind := textOf(e, "kind")
		record, _ := strconv.ParseUint(fmt.Sprint(e["record"]), 10, 64)
		for k, s := range all {
			begins := kind == "route" && textOf(e, "node") == "" && s.node == "" // the values that a run begins with
			ends := (kind == "node_end" || kind == "node_error") && s.node == textOf(e, "node") && s.seq > record
			if (begins || ends) && s.within == textOf(e, "within") && s.branch == textOf(e, "branch") {
				e["written"] = s.written
				all = slices.Delete(all, k, k+1)
				break
			}
		}
	}
	r.note = ""
	return nil
}
