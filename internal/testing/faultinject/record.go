package faultinject

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
)

// malformed returns what is wrong with the record of a run and its child runs, empty if nothing is.
func malformed(m *Machine, report *graphgen.Report) string {
	if wrong := cmp.Or(unsummed(report), misnumbered(report), misplaced(m, report), unbounded(m, report)); wrong != "" {
		return fmt.Sprintf("%s: %v", wrong, report.NodePath())
	}
	for _, n := range report.Nested {
		if wrong := unsummed(n.Report) + misnumbered(n.Report); wrong != "" {
			return fmt.Sprintf("within %s: %s: %v", n.Node, wrong, n.Report.NodePath())
		}
	}
	if report.Reason.String() == "" || report.Diagram() == "" {
		return "the run has no reason or no diagram"
	}
	return ""
}

// unsummed returns a sum of a report that is not the sum of its nodes.
func unsummed(report *graphgen.Report) string {
	var visits, models int
	var usage chat.Usage
	var tools graphgen.ToolCount
	for _, n := range report.Nodes {
		visits += n.Visits
		models += n.ModelCalls
		usage = usage.Add(n.Usage)
		tools.Made += n.Tools.Made
		tools.Failed += n.Tools.Failed
		tools.Deduplicated += n.Tools.Deduplicated
	}
	within := 0
	for _, n := range report.Nested {
		within += n.Report.ModelCalls
	}
	switch {
	case report.Steps != len(report.Path)+report.Dropped:
		return fmt.Sprintf("%d steps, a path of %d, and %d dropped", report.Steps, len(report.Path), report.Dropped)
	case visits != report.Steps:
		return fmt.Sprintf("%d steps are %d visits", report.Steps, visits)
	case models != report.ModelCalls:
		return fmt.Sprintf("%d calls of models are %d of nodes", report.ModelCalls, models)
	case usage.Input != report.Usage.Input || usage.Output != report.Usage.Output:
		return fmt.Sprintf("%+v is used, and %+v by nodes", report.Usage, usage)
	case tools != report.Tools:
		return fmt.Sprintf("%+v are the tools, and %+v those of nodes", report.Tools, tools)
	case within > report.ModelCalls:
		return fmt.Sprintf("%d calls of models, and %d within", report.ModelCalls, within)
	}
	return ""
}

// misnumbered returns a visit of a path that is not the next of its node.
func misnumbered(report *graphgen.Report) string {
	last := map[string]int{}
	for i, v := range report.Path {
		if before, seen := last[v.Node]; seen && v.Visit != before+1 || !seen && report.Dropped == 0 && v.Visit != 1 {
			return fmt.Sprintf("step %d is visit %d of %s, the one before was %d", i+1, v.Visit, v.Node, before)
		}
		last[v.Node] = v.Visit
	}
	for _, n := range report.Nodes {
		if at, seen := last[n.Node]; seen && at != n.Visits || !seen && report.Dropped == 0 && n.Visits > 0 {
			return fmt.Sprintf("%s has %d visits, and %d in the path", n.Node, n.Visits, at)
		}
	}
	return ""
}

// misplaced returns a step of a path that does not follow the step of the node that runs it, or that
// precedes a step of an earlier branch. It skips what follows dynamic nodes: they may run others.
func misplaced(m *Machine, report *graphgen.Report) string {
	hasAdded := slices.ContainsFunc(report.Nodes, func(n graphgen.NodeCount) bool { _, known := m.Visits[n.Node]; return !known })
	for i := range report.Path {
		at := report.Path[i].Node
		place, inside := m.Within[at]
		if !inside || i == 0 {
			if inside && report.Dropped == 0 {
				return fmt.Sprintf("the run begins within %s", place.Host)
			}
			continue
		}
		before := report.Path[i-1].Node
		if _, known := m.Visits[before]; !known {
			continue
		}
		for before != place.Host {
			outer, inside := m.Within[before]
			if !inside && !hasAdded {
				return fmt.Sprintf("step %d, %s, does not stand within %s, but behind %s", i+1, at, place.Host, report.Path[i-1].Node)
			}
			if !inside {
				break
			}
			if outer.Host == place.Host && outer.Branch > place.Branch && report.Retries == 0 {
				return fmt.Sprintf("step %d, %s, stands behind a later branch of %s", i+1, at, place.Host)
			}
			before = outer.Host
		}
	}
	return ""
}

// unbounded returns a message if a run has made more changes than it may.
func unbounded(m *Machine, report *graphgen.Report) string {
	made := 0
	for _, c := range report.Mutations {
		if c.Refused == "" {
			made++
		}
	}
	if made > max(0, m.Mutations) || m.Mutations < 0 && len(report.Mutations) > 0 {
		return fmt.Sprintf("%d changes were made of %d", made, m.Mutations)
	}
	return ""
}
