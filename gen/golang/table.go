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
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// ruleNames are the kernel's constants for plan's rules.
var ruleNames = map[spec.Rule]string{
	spec.RuleEntry: "RuleEntry", spec.RuleToolLoop: "RuleToolLoop", spec.RuleRoute: "RuleRoute", spec.RuleGoto: "RuleGoto", spec.RuleEdge: "RuleEdge",
	spec.RuleTransition: "RuleTransition", spec.RuleNext: "RuleNext", spec.RuleError: "RuleError", spec.RuleGuardFail: "RuleGuardFail",
	spec.RuleBranch: "RuleBranch", spec.RuleHuman: "RuleHuman",
}

// stepOutcomes are the kernel's constants for on_max_steps, but for the default.
var stepOutcomes = map[string]string{"last": "MaxStepsLast", "flag": "MaxStepsFlag"}

// timeout prints the limit of a run as a constant: a table that is text cannot say what
// it imports.
func (e *emitter) timeout() {
	if e.m.Timeout == 0 {
		return
	}
	e.f.Line()
	e.f.Comment(e.m.Names.Timeout + " is the longest a run may take.")
	e.f.Const().Id(e.m.Names.Timeout).Op("=").Add(duration(e.m.Timeout))
}

// table prints the static description of the graph: names, bounds and places in the
// spec. It is written as text, formatted as gofmt does: a graph of thousands of nodes
// has more lines of table than of code, and formatting them would take most of the time.
func table(b *bytes.Buffer, m *plan.Machine) {
	switch len(m.Transitions) {
	case 1:
	case 2:
		fmt.Fprintf(b, "\n// %s is the transition between nodes in %s. 0 enters the graph.\n", m.Transitions[1].Const, m.Names.Table)
		fmt.Fprintf(b, "const %s %s.TransitionID = 1\n", m.Transitions[1].Const, goname.Engine)
	default:
		fmt.Fprintf(b, "\n// The transitions between nodes, as %s numbers them. 0 enters the graph.\nconst (\n", m.Names.Table)
		for i, w := range m.Transitions[1:] {
			if i == 0 {
				fmt.Fprintf(b, "\t%s %s.TransitionID = iota + 1\n", w.Const, goname.Engine)
				continue
			}
			fmt.Fprintf(b, "\t%s\n", w.Const)
		}
		b.WriteString(")\n")
	}
	fmt.Fprintf(b, "\n// %s describes the graph to the kernel: names, bounds, and places in the spec.\n", m.Names.Table)
	fmt.Fprintf(b, "var %s = %s.Graph{\n", m.Names.Table, goname.Engine)
	fmt.Fprintf(b, "\tName: %q, File: %q, MaxSteps: %d,\n", m.Name, m.File, m.MaxSteps)
	boundRows(b, m)
	fmt.Fprintf(b, "\tNodes: []%s.NodeInfo{\n\t\t{Name: \"end\"},\n", goname.Engine)
	for _, n := range m.Nodes {
		nodeRow(b, n, m.Mutations != nil)
	}
	fmt.Fprintf(b, "\t},\n\tTransitions: []%s.TransitionInfo{\n", goname.Engine)
	for _, w := range m.Transitions {
		transitionRow(b, w)
	}
	b.WriteString("\t},\n")
	promptRows(b, m)
	b.WriteString("}\n")
	mutableTable(b, m)
}

// boundRows prints what bounds a run besides its steps, aligned as gofmt does it.
func boundRows(b *bytes.Buffer, m *plan.Machine) {
	var rows [][2]string
	if m.Durable {
		rows = append(rows, [2]string{"Shape:", strconv.Quote(m.Shape)})
	}
	if outcome, ok := stepOutcomes[m.OnMaxSteps]; ok {
		rows = append(rows, [2]string{"OnMaxSteps:", goname.Engine + "." + outcome})
	}
	if m.Timeout > 0 {
		rows = append(rows, [2]string{"Timeout:", goname.Engine + ".TimeLimit(" + m.Names.Timeout + ")"})
	}
	if m.Budgets != (plan.Budgets{}) {
		rows = append(rows, [2]string{"Budgets:", goname.Kernel + ".Budgets{" + budgets(m.Budgets) + "}"})
	}
	if len(m.Asks) > 0 {
		rows = append(rows, [2]string{"Models:", "[]" + goname.Engine + ".ModelUse{" + modelUses(m.Asks) + "}"})
	}
	if len(m.NamedModels) > 0 {
		rows = append(rows, [2]string{"Named:", "[]string{" + strings.Join(quoted(m.NamedModels), ", ") + "}"})
	}
	if len(m.Servers) > 0 {
		rows = append(rows, [2]string{"Servers:", m.ServersVar})
	}
	if m.OnError != nil {
		rows = append(rows, [2]string{"OnError:", m.OnError.Const})
	}
	if m.Interrupts {
		rows = append(rows, [2]string{"Interruptible:", "true"})
		if slices.ContainsFunc(m.Nodes, func(n *plan.Node) bool { return n.Before || n.After }) {
			rows = append(rows, [2]string{"Interrupts:", "true"})
		}
	}
	if m.Mutations != nil {
		rows = append(rows, [2]string{"Mutable:", "&" + m.Names.Mutable})
	}
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	for _, r := range rows {
		fmt.Fprintf(b, "\t%-*s %s,\n", width, r[0], r[1])
	}
}

// promptRows prints the texts that options of a run may replace.
func promptRows(b *bytes.Buffer, m *plan.Machine) {
	open := false
	for _, n := range m.Nodes {
		if n.Prompt == nil {
			continue
		}
		if !open {
			open = true
			fmt.Fprintf(b, "\tPrompts: []%s.PromptInfo{\n", goname.Engine)
		}
		t := n.Prompt.Texts
		fmt.Fprintf(b, "\t\t{Node: %q", n.Name)
		for _, part := range []struct {
			name string
			plan.PromptPart
		}{{"Instructions", t.Instructions}, {"Message", t.Message}, {"Rest", t.Rest}} {
			fmt.Fprintf(b, ", %s: %s.PromptPart{Hash: %q", part.name, goname.Engine, part.Hash)
			if len(part.Fields) > 0 {
				fmt.Fprintf(b, ", Fields: %s", namesOf(part.Fields))
			}
			b.WriteString("}")
		}
		if len(t.Shown) > 0 {
			fmt.Fprintf(b, ", Shown: %s", namesOf(t.Shown))
		}
		b.WriteString("},\n")
	}
	if open {
		b.WriteString("\t},\n")
	}
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

// nodeRow prints the row of a node. The rows are in the order of the node constants.
func nodeRow(b *bytes.Buffer, n *plan.Node, mutable bool) {
	fmt.Fprintf(b, "\t\t{Name: %q, Kind: %q, Line: %d, Col: %d", n.Name, n.Kind.Name, n.Place.Line, n.Place.Col)
	if n.Before {
		b.WriteString(", Before: true")
	}
	if n.After {
		b.WriteString(", After: true")
	}
	if most := n.Iterations(); most > 0 {
		fmt.Fprintf(b, ", Most: %d", most)
	}
	if n.MaxVisits > 0 {
		fmt.Fprintf(b, ", MaxVisits: %d", n.MaxVisits)
	}
	failureColumns(b, n)
	drawingColumns(b, n)
	if mutable && n.Bound > 0 {
		fmt.Fprintf(b, ", Bound: %d", n.Bound)
	}
	if mutable && n.Ends() {
		b.WriteString(", Ends: true")
	}
	if mutable && n.Only != nil {
		fmt.Fprintf(b, ", Only: %s", n.Only.Const)
	}
	if mutable && n.Chooses() {
		b.WriteString(", Chooses: true")
	}
	b.WriteString("},\n")
}

// failureColumns prints where a failure of a node leads.
func failureColumns(b *bytes.Buffer, n *plan.Node) {
	if n.Parent != nil {
		fmt.Fprintf(b, ", Parent: %s.NodeID(%s)", goname.Engine, n.Parent.Const)
	}
	if n.InBranch != "" {
		fmt.Fprintf(b, ", Branch: %q", n.InBranch)
	}
	if n.Critical {
		b.WriteString(", Critical: true")
	}
	if n.Skip {
		b.WriteString(", Skips: true")
	}
	if len(n.Failed) > 0 {
		var edges []string
		for _, t := range n.Failed {
			edges = append(edges, t.Transition.Const)
		}
		fmt.Fprintf(b, ", OnError: []%s.TransitionID{%s}", goname.Engine, strings.Join(edges, ", "))
	}
	if n.ErrorTo != nil {
		fmt.Fprintf(b, ", ErrorTo: %s", n.ErrorTo.Const)
	}
}

// elses are the kernel's transitions that end a run at a node.
var elses = map[plan.DefaultKind]string{plan.Terminal: "Terminal", plan.Exhausted: "Exhausted", plan.End: "NoRoute"}

// drawingColumns prints what only diagrams show of a node.
func drawingColumns(b *bytes.Buffer, n *plan.Node) {
	if n.Drawn != flowchart.Plain {
		fmt.Fprintf(b, ", Shape: %q", n.Drawn)
	}
	if n.Title != "" {
		fmt.Fprintf(b, ", Title: %q", n.Title)
	}
	if each := n.Each(); each != "" {
		fmt.Fprintf(b, ", Each: %q", each)
	}
	if first := n.First(); first != nil {
		fmt.Fprintf(b, ", First: %s", first.Const)
	}
	if transition := elses[n.Ending]; transition != "" {
		fmt.Fprintf(b, ", Else: %s.%s", goname.Engine, transition)
	}
}

// transitionRow prints the row of a transition. The rows are in the order of the constants.
func transitionRow(b *bytes.Buffer, w *plan.Transition) {
	b.WriteString("\t\t{")
	if w.From != nil {
		fmt.Fprintf(b, "From: %s.NodeID(%s), ", goname.Engine, w.From.Const)
	}
	if w.To != nil {
		fmt.Fprintf(b, "To: %s.NodeID(%s), ", goname.Engine, w.To.Const)
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
	b.WriteString("},\n")
}
