package golang

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/flowchart"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// ruleNames are the kernel's constants for plan's rules.
var ruleNames = map[spec.Rule]string{
	spec.RuleEntry: "RuleEntry", spec.RuleToolLoop: "RuleToolLoop", spec.RuleRoute: "RuleRoute", spec.RuleGoto: "RuleGoto", spec.RuleEdge: "RuleEdge",
	spec.RuleTransition: "RuleTransition", spec.RuleNext: "RuleNext", spec.RuleError: "RuleError", spec.RuleGuardFail: "RuleGuardFail",
	spec.RuleBranch: "RuleBranch", spec.RuleHuman: "RuleHuman", spec.RuleBudget: "RuleBudget",
}

// stepOutcomes are the kernel's constants for on_max_steps, but for the default.
var stepOutcomes = map[string]string{"last": "MaxStepsLast", "flag": "MaxStepsFlag"}

// timeout prints the limit of a run as a constant: a table that is text cannot say what
// it imports.
func (e *emitter) timeout() {
	if e.m.Limits.Timeout == 0 {
		return
	}
	e.f.Line()
	e.f.Const().Id(e.m.Names.Timeout).Op("=").Add(duration(e.m.Limits.Timeout))
}

// table prints the static description of the graph: names, bounds and places in the
// spec. It is written as text, formatted as gofmt does: a graph of thousands of nodes
// has more lines of table than of code, and formatting them would take most of the time.
func table(b *bytes.Buffer, m *plan.Machine) {
	switch len(m.Flow.Transitions) {
	case 1:
	case 2:
		fmt.Fprintf(b, "\nconst %s %s.TransitionID = 1\n", m.Flow.Transitions[1].Const, goname.Engine)
	default:
		fmt.Fprintf(b, "\nconst (\n")
		for i, w := range m.Flow.Transitions[1:] {
			if i == 0 {
				fmt.Fprintf(b, "\t%s %s.TransitionID = iota + 1\n", w.Const, goname.Engine)
				continue
			}
			fmt.Fprintf(b, "\t%s\n", w.Const)
		}
		b.WriteString(")\n")
	}
	fmt.Fprintf(b, "\nvar %s = %s.Graph{\n", m.Names.Table, goname.Engine)
	steps := strconv.Itoa(m.Limits.MaxSteps)
	if m.Limits.MaxSteps == cfg.NoLimit {
		steps = goname.Engine + ".NoLimit"
	}
	fmt.Fprintf(b, "\tGen: %s.SupportsGen6, Name: %q, File: %q, MaxSteps: %s,\n", goname.Engine, m.Name, m.File, steps)
	rows := boundRows(m)
	nodes, transitions := []string{`{Name: "end"}`}, []string{}
	for _, n := range m.Flow.Nodes {
		nodes = append(nodes, nodeRow(n, m.Mutations != nil))
	}
	for _, w := range m.Flow.Transitions {
		transitions = append(transitions, transitionRow(w, numberedBy(m.Mutations != nil)))
	}
	rows = append(rows, tableRow("Nodes", "NodeInfo", nodes), tableRow("Transitions", "TransitionInfo", transitions))
	if prompts := promptRows(m); len(prompts) > 0 {
		rows = append(rows, tableRow("Prompts", "PromptInfo", prompts))
	}
	writeRows(b, rows)
	b.WriteString("}\n")
	mutableTable(b, m)
}

// boundRows are what bounds a run besides its steps.
func boundRows(m *plan.Machine) (rows [][2]string) {
	if m.Threads.Durable {
		rows = append(rows, [2]string{"Shape:", strconv.Quote(m.Threads.Shape)})
	}
	if outcome, ok := stepOutcomes[m.Limits.OnMaxSteps]; ok {
		rows = append(rows, [2]string{"OnMaxSteps:", goname.Engine + "." + outcome})
	}
	if m.Limits.Timeout > 0 {
		rows = append(rows, [2]string{"Timeout:", goname.Engine + ".TimeLimit(" + m.Names.Timeout + ")"})
	}
	if m.Limits.Budgets != (plan.Budgets{}) {
		rows = append(rows, [2]string{"Budgets:", goname.Kernel + ".Budgets{" + budgets(m.Limits.Budgets) + "}"})
	}
	if len(m.Models.Uses) > 0 {
		rows = append(rows, [2]string{"Models:", "[]" + goname.Engine + ".ModelUse{" + modelUses(m.Models.Uses) + "}"})
	}
	if len(m.Models.Named) > 0 {
		rows = append(rows, [2]string{"Named:", "[]string{" + strings.Join(quoted(m.Models.Named), ", ") + "}"})
	}
	if m.Models.Model != "" {
		rows = append(rows, [2]string{"Model:", strconv.Quote(m.Models.Model)})
	}
	if m.Models.Temperature != nil {
		rows = append(rows, [2]string{"Temperature:", "new(float64(" + strconv.FormatFloat(*m.Models.Temperature, 'g', -1, 64) + "))"})
	}
	if len(m.Models.Servers) > 0 {
		rows = append(rows, [2]string{"Servers:", m.Names.ServersVar})
	}
	if m.Flow.OnError != nil {
		rows = append(rows, [2]string{"OnError:", m.Flow.OnError.Const})
	}
	if m.Humans.Interrupts {
		rows = append(rows, [2]string{"Interruptible:", "true"})
		if slices.ContainsFunc(m.Flow.Nodes, func(n *plan.Node) bool { return n.Pauses.Before || n.Pauses.After }) {
			rows = append(rows, [2]string{"Interrupts:", "true"})
		}
	}
	if m.Mutations != nil {
		rows = append(rows, [2]string{"Mutable:", "&" + m.Names.Mutable})
	}
	return rows
}

// writeRows prints rows. As gofmt does it, those are aligned between which each is on one line.
func writeRows(b *bytes.Buffer, rows [][2]string) {
	for len(rows) > 0 {
		together := slices.IndexFunc(rows, func(r [2]string) bool { return strings.Contains(r[1], "\n") })
		if together < 0 {
			together = len(rows)
		}
		together = max(together, 1)
		width := 0
		for _, r := range rows[:together] {
			width = max(width, len(r[0]))
		}
		for _, r := range rows[:together] {
			fmt.Fprintf(b, "\t%-*s %s,\n", width, r[0], r[1])
		}
		rows = rows[together:]
	}
}

// rowWidth is the width of a table that is on one line.
const rowWidth = 140

// tableRow returns a table: a line for each row, or one line for all where they fit.
func tableRow(name, of string, list []string) [2]string {
	head := fmt.Sprintf("[]%s.%s{", goname.Engine, of)
	name += ":"
	if one := head + strings.Join(list, ", ") + "}"; len(name)+len(one) < rowWidth {
		return [2]string{name, one}
	}
	var b strings.Builder
	b.WriteString(head + "\n")
	for _, row := range list {
		b.WriteString("\t\t" + row + ",\n")
	}
	return [2]string{name, b.String() + "\t}"}
}

// promptRows are the texts that options of a run may replace.
func promptRows(m *plan.Machine) (list []string) {
	for n, p := range m.Prompts() {
		b := new(strings.Builder)
		t := p.Texts
		fmt.Fprintf(b, "{Node: %q", n.Name)
		for _, part := range []struct {
			name string
			plan.PromptPart
		}{{"Instructions", t.Instructions}, {"Message", t.Message}, {"Rest", t.Rest}} {
			if part.Hash == "" {
				continue
			}
			fmt.Fprintf(b, ", %s: %s.PromptPart{Hash: %q", part.name, goname.Engine, part.Hash)
			if len(part.Fields) > 0 {
				fmt.Fprintf(b, ", Fields: %s", namesOf(part.Fields))
			}
			b.WriteString("}")
		}
		if len(t.Shown) > 0 {
			fmt.Fprintf(b, ", Shown: %s", namesOf(t.Shown))
		}
		list = append(list, b.String()+"}")
	}
	return list
}

// namesOf prints a list of the names of fields.
func namesOf(fields []*resolve.Field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = strconv.Quote(f.Name)
	}
	return "[]string{" + strings.Join(names, ", ") + "}"
}

// modelUses prints which nodes ask models, and how.
func modelUses(asks []plan.ModelUse) string {
	var uses []string
	for _, use := range asks {
		var parts []string
		if use.Name != "" {
			parts = append(parts, "Name: "+strconv.Quote(use.Name))
		}
		if use.Light {
			parts = append(parts, "Light: true")
		}
		uses = append(uses, "{"+strings.Join(parts, ", ")+"}")
	}
	return strings.Join(uses, ", ")
}

// budgets prints what models and tools may do in a run.
func budgets(is plan.Budgets) string {
	var parts []string
	add := func(is bool, name, value string) {
		if is {
			parts = append(parts, name+": "+value)
		}
	}
	add(is.Tokens > 0, "Tokens", strconv.Itoa(is.Tokens))
	add(is.Cost > 0, "Cost", strconv.FormatFloat(is.Cost, 'g', -1, 64))
	add(is.ModelCalls > 0, "ModelCalls", strconv.Itoa(is.ModelCalls))
	add(is.ToolCalls > 0, "ToolCalls", strconv.Itoa(is.ToolCalls))
	return strings.Join(parts, ", ")
}

// A numbering is how a table refers to nodes.
type numbering func(*plan.Node) string

// numberedBy is the numbering of a graph that runs may change, or may not.
func numberedBy(mutable bool) numbering {
	return func(n *plan.Node) string {
		if mutable {
			return goname.Engine + ".NodeID(" + n.Const + ")"
		}
		return n.Const
	}
}

// nodeRow is the row of a node. The rows are in the order of the node constants.
func nodeRow(n *plan.Node, mutable bool) string {
	id, b := numberedBy(mutable), new(strings.Builder)
	fmt.Fprintf(b, "{Name: %q, Kind: %q, Line: %d, Col: %d", n.Name, n.Kind.Name, n.Place.Line, n.Place.Col)
	if n.Pauses.Before {
		b.WriteString(", Before: true")
	}
	if n.Pauses.After {
		b.WriteString(", After: true")
	}
	if most := n.Iterations(); most > 0 {
		fmt.Fprintf(b, ", Most: %d", most)
	}
	if n.Visits.Max > 0 {
		fmt.Fprintf(b, ", MaxVisits: %d", n.Visits.Max)
	}
	failureColumns(b, n, id)
	drawingColumns(b, n)
	if mutable && n.Visits.Bound > 0 {
		fmt.Fprintf(b, ", Bound: %d", n.Visits.Bound)
	}
	if mutable && n.Ends() {
		b.WriteString(", Ends: true")
	}
	if mutable && n.Routes.Only != nil {
		fmt.Fprintf(b, ", Only: %s", n.Routes.Only.Const)
	}
	if mutable && n.Chooses() {
		b.WriteString(", Chooses: true")
	}
	return b.String() + "}"
}

// failureColumns prints where a failure of a node leads.
func failureColumns(b *strings.Builder, n *plan.Node, id numbering) {
	if n.Parent != nil {
		fmt.Fprintf(b, ", Parent: %s", id(n.Parent))
	}
	if n.InBranch != "" {
		fmt.Fprintf(b, ", Branch: %q", n.InBranch)
	}
	if n.Failure.Critical {
		b.WriteString(", Critical: true")
	}
	if n.Failure.Skip {
		b.WriteString(", Skips: true")
	}
	for _, of := range [...]struct {
		column string
		edges  []plan.Test
	}{{"OnError", n.Routes.Failed}, {"OnBudget", n.Routes.OverBudget}} {
		if len(of.edges) > 0 {
			var edges []string
			for _, t := range of.edges {
				edges = append(edges, t.Transition.Const)
			}
			fmt.Fprintf(b, ", %s: []%s.TransitionID{%s}", of.column, goname.Engine, strings.Join(edges, ", "))
		}
	}
	if n.Routes.ErrorTo != nil {
		fmt.Fprintf(b, ", ErrorTo: %s", n.Routes.ErrorTo.Const)
	}
}

// elses are the kernel's transitions that end a run at a node.
var elses = map[plan.DefaultKind]string{plan.Terminal: "Terminal", plan.Exhausted: "Exhausted", plan.End: "NoRoute"}

// drawingColumns prints what only diagrams show of a node.
func drawingColumns(b *strings.Builder, n *plan.Node) {
	if n.Drawing.Shape != flowchart.Plain {
		fmt.Fprintf(b, ", Shape: %q", n.Drawing.Shape)
	}
	if n.Drawing.Title != "" {
		fmt.Fprintf(b, ", Title: %q", n.Drawing.Title)
	}
	if each := n.Each(); each != "" {
		fmt.Fprintf(b, ", Each: %q", each)
	}
	if first := n.First(); first != nil {
		fmt.Fprintf(b, ", First: %s", first.Const)
	}
	if transition := elses[n.Drawing.Ending]; transition != "" {
		fmt.Fprintf(b, ", Else: %s.%s", goname.Engine, transition)
	}
}

// transitionRow is the row of a transition. The rows are in the order of the constants.
func transitionRow(w *plan.Transition, id numbering) string {
	b := new(strings.Builder)
	b.WriteString("{")
	if w.From != nil {
		fmt.Fprintf(b, "From: %s, ", id(w.From))
	}
	if w.To != nil {
		fmt.Fprintf(b, "To: %s, ", id(w.To))
	}
	if w.End != "" {
		fmt.Fprintf(b, "Ending: %q, ", w.End)
	}
	fmt.Fprintf(b, "Rule: %s.%s, ", goname.Kernel, ruleNames[w.Rule])
	if w.Text != "" {
		fmt.Fprintf(b, "Text: %q, ", w.Text)
	}
	if w.Label != "" {
		fmt.Fprintf(b, "Label: %q, ", w.Label)
	}
	if w.Case != "" {
		fmt.Fprintf(b, "Case: %q, ", w.Case)
	}
	fmt.Fprintf(b, "Line: %d, Col: %d", w.Place.Line, w.Place.Col)
	if w.Pair != nil {
		fmt.Fprintf(b, ", Pair: %s", w.Pair.Const)
	}
	if w.Max > 0 {
		fmt.Fprintf(b, ", Max: %d", w.Max)
	}
	if w.Shared {
		b.WriteString(", Shared: true")
	}
	if w.Skipped {
		b.WriteString(", Skipped: true")
	}
	return b.String() + "}"
}
