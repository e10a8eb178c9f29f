package check

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// tablePasses judge the labels of branch tables: what gives them, and whether there is one for
// every value.
var tablePasses = []Pass{
	{Code: "GG270", run: labelless},
	{Code: "GG271", run: branchFields},
	{Code: "GG272", run: branchValues},
	{Code: "GG273", run: branchGaps},
}

// tables lists the branch tables of known nodes that could be read as a whole.
func (c *context) tables() []*resolve.Edge {
	return slices.DeleteFunc(slices.Clone(c.graph.Edges), func(e *resolve.Edge) bool {
		return !e.Table() || e.From == nil || e.From.Spec.Unread || e.Spec.Unread || !e.From.Kind.Known()
	})
}

func labelless(c *context) {
	for _, e := range c.tables() {
		n := e.From
		label, meant := c.meantBy(e)
		switch {
		case meant:
			c.report(label.Name.Pos, "by is a label here, which leads to "+quote(label.To.V)+"; the key by is next to the table",
				"write "+diag.Item("{from: "+n.Spec.Name.V+", by: "+label.To.V+", branch: {…}}"))
		case e.Labelled() && !n.Kind.Returns && !mayBeEnum(n.Out):
			c.report(e.Spec.BranchPos, n.Kind.Name+" "+quote(n.Spec.Name.V)+" cannot branch by label: "+whyLabelless(n.Kind), c.branchHelp(e))
		}
	}
}

// mayBeEnum reports whether the type of an output that a table could look at is not known.
func mayBeEnum(out *resolve.Type) bool {
	return out != nil && (unknown(out.Base()) || out.Kind == resolve.Struct && len(out.Fields) == 1 && unknown(out.Fields[0].Type.Base()))
}

// meantBy returns the label that was meant as the key by, as in branch: {by: class}.
func (c *context) meantBy(e *resolve.Edge) (spec.Label, bool) {
	for i, l := range e.Spec.Branch {
		if l.Name.V == "by" && e.Labelled() && e.From != nil && !e.Branch[i].Known() && e.From.Out.Field(l.To.V) != nil {
			return l, true
		}
	}
	return spec.Label{}, false
}

// isMeantBy reports whether a label was meant as the key by.
func (c *context) isMeantBy(e *resolve.Edge, i int) bool {
	label, ok := c.meantBy(e)
	return ok && label == e.Spec.Branch[i]
}

// whyLabelless returns why nodes of a kind return no label.
func whyLabelless(k *spec.Kind) string {
	switch {
	case k.Judges:
		return "it passes or rejects, and returns no label"
	case k.Chooses:
		return "it chooses among its routes, and returns no label"
	}
	return workers[k.By] + ", and no handler"
}

// workers are what does the work of a node instead of a handler.
var workers = map[spec.By]string{
	spec.ByModel:  "a model answers it",
	spec.ByPerson: "a person answers it",
	spec.ByTool:   "it calls a tool",
	spec.ByNodes:  "it runs other nodes",
	spec.ByGraph:  "it runs another graph",

	spec.ByMachine: "the machine does its work",
}

// branchHelp returns how the node of a table can branch.
func (c *context) branchHelp(e *resolve.Edge) string {
	n := e.From
	switch {
	case n.Kind.Judges:
		return "state where it leads with on_pass and on_fail"
	case n.Kind.Chooses:
		return "name the targets under routes, and remove the table"
	case n.Decides():
		return "a yes takes its edges or next, a no takes on_deny; or give it an enum, as in " + diag.Set("output", enumOf(e)) + ", and add " +
			diag.Set("by", "out")
	}
	if fields := enumFields(n.Out); len(fields) > 0 {
		for i, f := range fields {
			fields[i] = diag.Set("by", f)
		}
		return "branch by what its output holds: add " + strings.Join(fields, ", or ")
	}
	switch {
	case n.Kind.By == spec.ByPerson:
		return "give it an enum, as in " + diag.Set("output", enumOf(e)) + ", and add " + diag.Set("by", "out")
	case n.Kind.By == spec.ByModel && (n.Out == nil || n.Out.Kind != resolve.Struct):
		return "give it an output with an enum, as in " + diag.Set("output", "{class: "+enumOf(e)+"}") + ", and add " + diag.Set("by", "class")
	case n.Out != nil && n.Out.Kind == resolve.Struct:
		return "give its output an enum, as in " + diag.Declare("class", enumOf(e)) + ", and add " + diag.Set("by", "class")
	case n.Out != nil && n.Out.Kind != resolve.Unknown:
		return "write edges with conditions on what it gives, with " + diag.Key("if") + " and out"
	case n.Kind.By == spec.ByTool:
		return "branch at the prompt after it, or write edges with conditions on the state"
	case n.Kind.By == spec.ByMachine:
		return "write edges with conditions on the state, as in " + diag.Set("if", "state.Class == …")
	case !n.Kind.Returns:
		return "write edges with conditions on what it has written to the state, as in " + diag.Set("if", "state.Class == …")
	}
	return "give it an output with an enum, as in " + diag.Set("output", "{class: "+enumOf(e)+"}")
}

// enumOf is an enum with the labels of a table.
func enumOf(e *resolve.Edge) string {
	labels := make([]string, len(e.Spec.Branch))
	for i, l := range e.Spec.Branch {
		labels[i] = l.Name.V
	}
	if len(labels) == 0 {
		return "{enum: [yes, no]}"
	}
	if len(labels) > diag.MostListed {
		labels = append(labels[:diag.MostListed], "…")
	}
	return "{enum: [" + strings.Join(labels, ", ") + "]}"
}

// enumFields lists the fields of an output that a table can name.
func enumFields(out *resolve.Type) []string {
	isEnum := func(t *resolve.Type) bool { return t.Base().Kind == resolve.Enum }
	switch {
	case out == nil:
		return nil
	case isEnum(out):
		return []string{spec.OutputName}
	case out.Kind == resolve.Struct:
		return fieldNames(out, isEnum)
	}
	return nil
}

func branchFields(c *context) {
	for _, e := range c.tables() {
		by, out := e.Spec.By, e.From.Out
		if !written(by) || e.Enum() != nil || out != nil && unknown(out) {
			continue
		}
		title := "the output of node " + quote(e.From.Spec.Name.V)
		fields := enumFields(out)
		switch {
		case out == nil:
			c.report(by.Pos, "node "+quote(e.From.Spec.Name.V)+" has no output whose "+quote(by.V)+" a table could look at", c.branchHelp(e))
		case e.By != nil && unknown(e.By.Type.Base()):
		case e.By != nil:
			c.report(by.Pos, "field "+quote(by.V)+" of "+title+" is "+article(e.By.Type.String())+": a branch table looks at an enum", noEnumHelp(e))
		case out.Kind == resolve.Struct && len(fields) == 0:
			c.report(by.Pos, title+" has no field "+quote(by.V), c.branchHelp(e))
		case out.Kind == resolve.Struct || len(fields) > 0:
			c.report(by.Pos, title+" has no field "+quote(by.V), byHelp(by.V, fields))
		default:
			c.report(by.Pos, title+" is "+article(out.String())+", which has no enum that a table could look at", c.branchHelp(e))
		}
	}
}

// byHelp returns help for the field of a table, from the fields that it can name.
func byHelp(by string, fields []string) string {
	if bare, ok := strings.CutPrefix(by, spec.OutputName+"."); ok && slices.Contains(fields, bare) {
		return "write " + diag.Set("by", bare)
	}
	otherwise := "write " + diag.Set("by", fields[0])
	if len(fields) > 1 {
		otherwise = listed("a table can look at", fields)
	}
	return didYouMean(by, fields, otherwise)
}

// noEnumHelp returns help for a table whose field is not an enum.
func noEnumHelp(e *resolve.Edge) string {
	f := e.By
	switch f.Type.Base().Kind {
	case resolve.String:
		return "make it an enum, as in " + diag.Declare(f.Name, enumOf(e)) + ", or use edges with " + diag.Key("if")
	case resolve.Bool:
		return "use an edge with " + diag.Set("if", "out."+f.GoName) + ", and one without a condition"
	}
	return "use edges with " + diag.Key("if") + ", as in " + diag.Set("if", "out."+f.GoName+" …")
}

// strangeLabels lists the labels of a table that are no values of its enum.
func strangeLabels(e *resolve.Edge) []spec.String {
	t := e.Enum()
	if t == nil {
		return nil
	}
	var strange []spec.String
	for _, l := range e.Spec.Branch {
		if written(l.Name) && t.Value(l.Name.V) == nil {
			strange = append(strange, l.Name)
		}
	}
	return strange
}

func branchValues(c *context) {
	for _, e := range c.tables() {
		for _, name := range strangeLabels(e) {
			values := e.Enum().ValueNames()
			c.report(name.Pos, quote(name.V)+" is not a value of "+enumTitle(e), didYouMean(name.V, values, listed("its values are", values)))
		}
	}
}

// enumTitle returns the field of a table, as messages name it.
func enumTitle(e *resolve.Edge) string {
	if e.By.GoName == "" {
		return "the output of node " + quote(e.From.Spec.Name.V)
	}
	return "field " + quote(e.By.Name) + " of the output of node " + quote(e.From.Spec.Name.V)
}

// tableGapCode is the code of gaps that the no_match of the graph does not fill.
const tableGapCode = "GG273"

// partial reports whether an edge is a branch table that has no label for a case of its enum.
func partial(e *resolve.Edge) bool {
	return e.Enum() != nil && (e.By.Type.Kind == resolve.Optional || len(e.Uncovered()) > 0)
}

// tableGap returns the gap that a branch table leaves, from the gap of all transitions of its node.
func tableGap(e *resolve.Edge, all *gap) *gap {
	at := e.Spec.By.Pos
	if !at.IsSet() {
		at = e.Spec.BranchPos
	}
	values := e.Uncovered()
	if len(all.values) > 0 { // other edges have conditions for the rest
		values = slices.DeleteFunc(values, func(v string) bool { return !slices.Contains(all.values, v) })
	}
	if len(values) > 0 {
		return missingValues(e, values)
	}
	return &gap{
		code: tableGapCode, pos: at,
		message: enumTitle(e) + " may be absent, and no transition is stated for that", help: "make it required, " + orByDefault,
	}
}

const orByDefault = "or give the node a default: an edge without a condition, or next"

func missingValues(e *resolve.Edge, values []string) *gap {
	return &gap{
		code: tableGapCode, pos: e.Spec.BranchPos,
		message: "the branch table of node " + quote(e.From.Spec.Name.V) + " does not cover every value of " + quote(e.By.Name) +
			": " + listed("missing", quoteAll(values)),
		help: "add a label for each, " + orByDefault,
	}
}

// branchGaps reports the tables that do not cover every case. Where labels are misspelt, it
// reports the values that none of them resembles.
func branchGaps(c *context) {
	gapsWith(tableGapCode)(c)
	for _, e := range c.tables() {
		strange, values := strangeLabels(e), e.Uncovered()
		if len(strange) == 0 || e.From.Spec.NoMatch.IsSet() || slices.ContainsFunc(c.cfg.Node(e.From).Success(), (*cfg.Transition).Certain) {
			continue
		}
		for _, label := range strange {
			near, ok := diag.Suggest(label.V, values)
			values = slices.DeleteFunc(values, func(v string) bool { return v == near || !ok })
		}
		if len(values) > 0 {
			g := missingValues(e, values)
			c.report(g.pos, g.message, g.help)
		}
	}
}

// mistaken reports whether it is not known where a branch table leads: it has no labels, its
// node returns none, or its field or a label is unknown.
func mistaken(e *resolve.Edge) bool {
	switch {
	case !e.Table():
		return false
	case e.Labelled():
		return len(e.Branch) == 0 || e.From.Kind.Known() && !e.From.Kind.Returns
	}
	return len(e.Branch) == 0 || e.Enum() == nil || len(strangeLabels(e)) > 0
}
