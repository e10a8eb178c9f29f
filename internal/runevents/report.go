package runevents

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Report is what is read of the report of a run as JSON.
type Report struct {
	Graph, Run, Reason string
	DurationMS         float64 `json:"duration_ms"`
	Path               []struct {
		Node    string
		Visit   int
		TookMS  float64 `json:"took_ms"`
		ModelMS float64 `json:"model_ms"`
		ToolMS  float64 `json:"tool_ms"`
		Usage   map[string]any
	}
	Nodes []struct {
		Node, Kind string
		Visits     int
	}
	Transitions []struct {
		From, To, Rule, Condition, File string
		Line, Count                     int
	}
	Failures []reportFailure
	Nested   []nestedReport
}

type reportFailure struct {
	Node, Branch, File, Error string
	Line, Visit, Step         int
}

type nestedReport struct {
	Node, Branch string
	Visit        int
	Report       *Report
}

// ReadReport reads a report as JSON. It returns nil for anything else.
func ReadReport(text []byte) *Report {
	r := new(Report)
	if err := json.Unmarshal(text, r); err != nil || r.Reason == "" {
		return nil
	}
	return r
}

// ReportNote is what the events of a report lack.
const ReportNote = "A report has neither the state nor requests and answers: they are in events and threads. Its steps are drawn one after the other."

// Events makes the report into events: one step follows the other, as a report has no times but how long steps took.
func (r *Report) Events() []Event {
	var all reportRun
	all.play(r, r.Run, "", 0)
	return all.events
}

// A reportRun has the events of a report, and of the reports of its child runs.
type reportRun struct{ events []Event }

// play adds the events of a report, which begins at a time, and returns when it ends.
func (r *reportRun) play(report *Report, run, within string, at float64) float64 {
	p := &reportEvents{of: r, report: report, run: run, within: within, at: at, kinds: map[string]string{},
		failed: slices.Clone(report.Failures), nested: slices.Clone(report.Nested)}
	for _, n := range report.Nodes {
		p.kinds[n.Node] = n.Kind
	}
	p.event("run_start", nil)
	for k := range report.Path {
		p.step(k)
	}
	for k, t := range report.Transitions {
		if t.Count > 0 {
			route := map[string]any{"to": t.To, "rule": t.Rule, "reason": t.Condition, "transition": k + 1, "count": t.Count}
			p.event("route", map[string]any{"node": t.From, "route": route})
		}
	}
	p.event("run_end", map[string]any{"report": map[string]any{"reason": report.Reason}})
	return p.at
}

// reportEvents makes the report of a run, or of a child run, into events.
type reportEvents struct {
	of          *reportRun
	report      *Report
	run, within string
	at          float64
	kinds       map[string]string // of nodes
	failed      []reportFailure   // that no step has yet
	nested      []nestedReport    // likewise
}

func (p *reportEvents) event(kind string, more map[string]any) {
	e := Event{"kind": kind, "run": p.run, "graph": p.report.Graph, "ms": p.at}
	if p.within != "" {
		e["within"] = p.within
	}
	maps.Copy(e, more)
	p.of.events = append(p.of.events, e)
}

// step adds a step, with the child run that it made.
func (p *reportEvents) step(k int) {
	of := p.report.Path[k]
	visit := max(1, of.Visit)
	step := map[string]any{"node": of.Node, "visit": visit, "step": k + 1, "node_kind": p.kinds[of.Node]}
	p.event("node_start", step)
	start := p.at
	child := func(n nestedReport) bool { return n.Node == of.Node && max(1, n.Visit) == visit && n.Report != nil }
	if i := slices.IndexFunc(p.nested, child); i >= 0 {
		p.at = p.of.play(p.nested[i].Report, p.run+"/"+strconv.Itoa(k)+"."+strconv.Itoa(i), strings.TrimPrefix(p.within+"/"+of.Node, "/"), p.at)
		p.nested = slices.Delete(p.nested, i, i+1)
	}
	p.at = max(p.at, start+of.TookMS)
	end := maps.Clone(step)
	end["took_ms"] = of.TookMS
	if of.ModelMS > 0 {
		end["model_ms"] = of.ModelMS
	}
	if of.ToolMS > 0 {
		end["tool_ms"] = of.ToolMS
	}
	if of.Usage != nil {
		end["usage"] = of.Usage
	}
	kind := "node_end"
	if i := slices.IndexFunc(p.failed, func(f reportFailure) bool { return f.Node == of.Node && max(1, f.Visit) == visit }); i >= 0 {
		f := p.failed[i]
		kind, end["error"] = "node_error", f.Error
		if f.File != "" {
			end["file"], end["line"] = f.File, f.Line
		}
		p.failed = slices.Delete(p.failed, i, i+1)
	}
	p.event(kind, end)
}
