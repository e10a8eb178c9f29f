package harness

import (
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/scenario/wire"
)

// details adds the details of the kernel's report to the result, and holds that they fit the rest of it. out points to what
// the run returned.
func (s *Script) details(report *graphgen.Report, out any, err error) {
	s.result.Passed = map[string]int{}
	s.addDetails(report, "")
	d := report.Detail
	if d == nil {
		return
	}
	switch took := time.Duration(s.result.Takes); {
	case err != nil && d.Output != nil:
		_ = s.mistake("the report of a failed run has an output")
	case err == nil && !reflect.DeepEqual(d.Output, out):
		_ = s.mistake(fmt.Sprintf("the report has the output %v, the run returned %v", d.Output, out))
	case d.Duration > took || s.result.Question == "" && d.Duration != took:
		_ = s.mistake(fmt.Sprintf("the report has a duration of %s, the run took %s", d.Duration, took))
	}
	if report.Summary() == "" {
		_ = s.mistake("the report has no summary")
	}
}

// addDetails adds the details of a run, and of its child runs. within is the path of the nodes around it.
func (s *Script) addDetails(report *graphgen.Report, within string) {
	d := report.Detail
	if d == nil {
		_ = s.mistake("the report of " + report.Graph + " has no details")
		return
	}
	if problem := fits(report, d, s.mode == streamed); problem != "" {
		_ = s.mistake("the report of " + report.Graph + " has " + problem)
	}
	for _, g := range d.Guards {
		if g.Passed > 0 {
			s.result.Passed[wire.Join(within, g.Node)+" "+g.Guard] += g.Passed
		}
	}
	for _, b := range d.LeftOut {
		s.result.LeftOut = append(s.result.LeftOut, wire.Join(within, b.Node)+" "+b.Block)
	}
	for i := range report.Nested {
		n := &report.Nested[i]
		s.addDetails(n.Report, wire.Join(within, n.Node))
	}
}

// fits returns what does not fit in the details of a report, "" if they fit. timed reports whether steps have times.
func fits(r *graphgen.Report, d *graphgen.RunDetail, timed bool) string {
	var usage chat.Usage
	var models, tools, took time.Duration
	calls := len(d.Calls) + d.CallsDropped
	for i := range d.Calls {
		usage = usage.Add(d.Calls[i].Usage)
		models += d.Calls[i].Latency
	}
	for i := range r.Nested {
		n := r.Nested[i].Report
		calls, usage, models = calls+n.ModelCalls, usage.Add(n.Usage), models+n.Detail.ModelTime
	}
	refused := map[string]int{}
	for _, f := range r.Refusals {
		for _, g := range f.Guards {
			refused[f.Where.Node+" "+g.Guard]++
		}
	}
	for _, g := range d.Guards {
		refused[g.Node+" "+g.Guard] -= g.Refused
	}
	var nodeModels, nodeTime time.Duration
	for i := range d.Nodes {
		nodeModels, tools = nodeModels+d.Nodes[i].ModelTime, tools+d.Nodes[i].ToolTime
		if d.Nodes[i].Kind == "" {
			return "no kind of node " + r.Nodes[i].Node
		}
	}
	for _, n := range r.Nodes {
		nodeTime += n.Time
	}
	for _, t := range d.Times {
		took += t
	}
	if wrong := stepsFit(r, d); wrong != "" {
		return wrong
	}
	switch {
	case len(d.Nodes) != len(r.Nodes):
		return fmt.Sprintf("%d nodes with details, and %d nodes", len(d.Nodes), len(r.Nodes))
	case calls != r.ModelCalls && r.NestedDropped == 0:
		return fmt.Sprintf("%d calls of models with details, and %d calls", calls, r.ModelCalls)
	case usage.Tokens() != r.Usage.Tokens() && d.CallsDropped+r.NestedDropped == 0,
		math.Abs(usage.Cost-r.Usage.Cost) > 1e-6 && d.CallsDropped+r.NestedDropped == 0:
		return fmt.Sprintf("calls of models that used %+v, and a usage of %+v", usage, r.Usage)
	case d.ModelTime != models && d.CallsDropped+r.NestedDropped == 0, d.ModelTime != nodeModels, d.ToolTime != tools:
		return fmt.Sprintf("%s in models and %s in tools, by node %s and %s, by call %s", d.ModelTime, d.ToolTime, nodeModels, tools, models)
	case len(d.Times) != len(r.Path) && (timed || d.Times != nil):
		return fmt.Sprintf("%d times of %d steps", len(d.Times), len(r.Path))
	case timed && r.Dropped == 0 && took != nodeTime:
		return fmt.Sprintf("steps that took %s, and nodes that took %s", took, nodeTime)
	}
	for what, n := range refused {
		if n != 0 {
			return fmt.Sprintf("refusals of %s without a verdict, or verdicts without a refusal: %d", what, n)
		}
	}
	return ""
}

// stepsFit returns what does not fit in what models and tools did by step, "" if it is what they did by node.
func stepsFit(r *graphgen.Report, d *graphgen.RunDetail) string {
	if len(d.Steps) != len(r.Path) && d.Steps != nil {
		return fmt.Sprintf("%d steps with details, and a path of %d", len(d.Steps), len(r.Path))
	}
	if r.Dropped > 0 {
		return ""
	}
	by := map[string]graphgen.StepDetail{}
	for i, s := range d.Steps {
		sum := by[r.Path[i].Node]
		sum.ModelCalls, sum.Usage, sum.ModelTime = sum.ModelCalls+s.ModelCalls, sum.Usage.Add(s.Usage), sum.ModelTime+s.ModelTime
		sum.ToolCalls, sum.ToolFailures, sum.Deduplicated, sum.ToolTime = sum.ToolCalls+s.ToolCalls, sum.ToolFailures+s.ToolFailures,
			sum.Deduplicated+s.Deduplicated, sum.ToolTime+s.ToolTime
		by[r.Path[i].Node] = sum
	}
	for i, n := range r.Nodes {
		s, t := by[n.Node], n.Tools
		if s.ModelCalls != n.ModelCalls || s.Usage.Tokens() != n.Usage.Tokens() || s.ToolCalls != t.Made ||
			s.ToolFailures != t.Failed || s.Deduplicated != t.Deduplicated {
			return fmt.Sprintf("node %s with %+v by step, and %+v", n.Node, s, n)
		}
		if i < len(d.Nodes) && (s.ModelTime != d.Nodes[i].ModelTime || s.ToolTime != d.Nodes[i].ToolTime) {
			return fmt.Sprintf("node %s with %+v by step, and %+v", n.Node, s, d.Nodes[i])
		}
	}
	return ""
}
