// Package workflow imports workflow files with conditions in natural language: nodes with instructions and skills,
// edges with when and max_iterations.
package workflow

import (
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// Dialect is the format.
var Dialect = draft.Dialect{
	Name:     "workflow",
	Doc:      "Workflow YAML with `when` edges and skills, as of spec.sweny.ai, version 1.",
	Mappings: mappings(),
	Read:     read,
}

func mappings() []yamlread.Mapping {
	return []yamlread.Mapping{
		fileTable.Mapping(), nodeTable.Mapping(), edgeTable.Mapping(), inputTable.Mapping(), skillTable.Mapping(), evaluatorTable.Mapping(),
	}
}

// The bounds that the format's own program has.
const (
	defaultSteps = 200 // nodes of a run
	defaultTurns = 20  // calls of a model in one execution of a node
)

// The bounds that the language has where a spec has none.
const (
	languageSteps  = 50
	languageVisits = 25
)

// An importer makes a draft of a workflow.
type importer struct {
	*draft.File
	file   file
	d      *draft.Draft
	names  *draft.Namer // of nodes
	fields *draft.Namer // of the state
	tools  *draft.Namer

	edges []*edge // that are carried over
	turns map[string]int
}

// read makes a draft of a file.
func read(f *draft.File) []*draft.Draft {
	im := &importer{File: f, d: &draft.Draft{Skeleton: true}, turns: map[string]int{}}
	if !draft.Parse(f, "a workflow", mappings, &fileTable, &im.file, own) || f.Failed() {
		return nil
	}
	im.names = draft.NewNamer(f, "node")
	im.fields = draft.NewNamer(f, "field")
	im.tools = draft.NewNamer(f, "tool")
	im.head()
	im.inputs()
	var ids []text
	for _, n := range im.file.nodes {
		ids = append(ids, n.name)
	}
	im.names.All(ids)
	if !im.names.Has(im.file.entry.V) {
		im.names.Unknown(im.file.entry, "the entry is one of the nodes")
	}
	im.d.Head.Set("entry", draft.Text(im.names.Known(im.file.entry.V), im.file.entry.Pos))
	im.readEdges()
	for _, n := range im.file.nodes {
		im.node(n)
	}
	im.deny()
	im.writeEdges()
	im.fanOut()
	im.reads()
	im.limits()
	im.outputs()
	im.d.Prune()
	return []*draft.Draft{im.d}
}

// head writes the keys of the graph itself.
func (im *importer) head() {
	f := &im.file
	im.d.Name = text{V: draft.NewNamer(im.File, "graph").Name(f.id), Pos: f.id.Pos}
	doc := strings.TrimSpace(f.name.V)
	if description := strings.TrimSpace(f.description.V); description != "" {
		doc = strings.TrimSuffix(doc, ".") + ". " + description
	}
	im.d.Head.Set("doc", draft.Text(draft.Tidy(doc), f.name.Pos))
	if f.verify.Pos.IsSet() {
		im.Error("GG365", f.verify.Pos, "the key verify belongs to an earlier version of the format",
			"write eval for conditions after a node, and requires for those before it")
	}
	if f.judgeModel.IsSet() {
		im.Note("GG357", f.judgeModel.Pos, "judge_model is left out: the model that judges is an option of the machine, WithJudge", "")
	}
	if f.judgeBudget.Pos.IsSet() {
		im.Warn("GG357", f.judgeBudget.Pos, "judge_budget is left out: budgets hold for all models of a run", "write limits: {max_model_calls: N}")
	}
	if f.workflowType.Pos.IsSet() {
		im.Note("GG357", f.workflowType.Pos, "workflow_type is left out: it has no effect on runs", "")
	}
	if f.shown.Pos.IsSet() {
		im.Note("GG357", f.shown.Pos, "keys for catalogs are left out", "")
	}
}

// inputs makes state fields of the inputs.
func (im *importer) inputs() {
	if len(im.file.inputs) == 0 {
		im.input(&draft.Field{Name: im.fields.Free("input"), Pos: im.file.id.Pos, Type: "any", Comment: "The workflow declares no inputs, so it accepts any."})
		im.d.Given.Set("input", draft.Map(draft.Pos{}, "topic", "a topic"))
		return
	}
	for _, in := range im.file.inputs {
		im.declared(in)
	}
}

func (im *importer) input(f *draft.Field) {
	im.d.State = append(im.d.State, f)
	im.d.Input = append(im.d.Input, f.Name)
}

// inputTypes are the types of inputs.
var inputTypes = map[string]string{"string": "string", "number": "float", "boolean": "bool", "string[]": "[]string"}

// declared makes a state field of an input that is declared.
func (im *importer) declared(in *input) {
	name := draft.FieldName(in.name.V)
	if name != in.name.V {
		im.Note("GG360", in.name.Pos, "the input "+strconv.Quote(in.name.V)+" is called "+name+" in the graph", "")
	}
	f := &draft.Field{Name: im.fields.Free(name), Pos: in.name.Pos, Type: inputTypes[in.typ.V]}
	if f.Type == "" {
		im.Error("GG355", in.typ.Pos, "the type of an input is string, number, boolean or string[], not "+yamlread.Quote(in.typ.V), "")
		return
	}
	if in.enum.Kind == yamlread.List {
		im.enum(in, f)
	}
	switch {
	case in.value.Kind == yamlread.Unreadable || in.value.Kind == yamlread.Null:
		if !in.required.V {
			f.Type = "?" + f.Type
		}
	case !in.value.IsScalar():
		f.Type = "?" + f.Type
		im.Warn("GG357", in.value.Pos, "the default of input "+yamlread.Quote(in.name.V)+" is left out: a list has none",
			"the field is optional: give the list in the call")
	case in.required.V:
		im.Error("GG355", in.value.Pos, "the input "+yamlread.Quote(in.name.V)+" is required and has a default", "remove one of them")
	default:
		f.Keys.Set("default", in.value)
	}
	if doc := draft.Tidy(in.description.V); doc != "" {
		f.Keys.Put(text{V: "doc", Pos: in.description.Pos}, draft.Text(doc, in.description.Pos))
	}
	im.input(f)
}

// enum gives a field the values of an input.
func (im *importer) enum(in *input, f *draft.Field) {
	for _, v := range in.enum.Items {
		if in.typ.V != "string" || v.Kind != yamlread.Text || goname.Exported(v.Text) == "" {
			im.Warn("GG357", v.Pos, "the values of input "+yamlread.Quote(in.name.V)+" are left out: an enum has names", "check the value in a node")
			return
		}
	}
	if len(in.enum.Items) > 0 {
		f.Type = im.d.Declare(draft.TypeName(in.name.V), in.enum.Pos, draft.Map(in.enum.Pos, "enum", in.enum))
	}
}

// mostReads is how many answers of nodes before them the nodes of a graph read together. Beyond, they see the messages
// of the run: a list of all for each node would grow with the square of the nodes.
const mostReads = 5000

// reads gives every node the input and the answers of the nodes that may have run before it.
func (im *importer) reads() {
	before := map[string][]*draft.Node{}
	count := mostReads + 1
	if len(im.d.Nodes) <= mostReads/10 { // else it is not worth to find them
		before, count = im.d.Before(), 0
	}
	for _, list := range before {
		count += len(list)
	}
	if count > mostReads {
		im.Note("GG358", im.file.id.Pos, "the graph is large: its nodes are shown the messages before them, and not each answer by itself", "")
	}
	for _, n := range im.d.Nodes {
		if len(n.Regions) > 0 {
			continue
		}
		n.Reads = slices.Clone(im.d.Input)
		if count > mostReads {
			n.Keys = slices.DeleteFunc(n.Keys, func(e draft.Entry) bool { return e.Key.V == "context" })
			continue
		}
		for _, b := range before[n.Name.V] {
			for _, w := range b.Writes {
				if !slices.Contains(n.Reads, w) {
					n.Reads = append(n.Reads, w)
				}
			}
		}
	}
}

// outputs makes the answers of the last nodes the output.
func (im *importer) outputs() {
	for _, n := range im.d.Ends() {
		im.d.Output = append(im.d.Output, n.Writes...)
	}
}

// limits bounds the graph as the format's own program does.
func (im *importer) limits() {
	times := im.executions()
	steps := 0
	for _, n := range im.d.Nodes {
		most := times[n.Name.V]
		if turns := im.turns[n.Name.V]; turns > 0 {
			most *= turns
			if most != languageVisits {
				n.Keys.Set("max_visits", draft.Plain(strconv.Itoa(max(most, 2)), n.Name.Pos))
			}
		}
		steps += most
	}
	if !im.cyclic(times) && len(im.turns) == 0 && steps <= languageSteps {
		return // every run makes fewer
	}
	pos := im.file.id.Pos
	im.d.Head.Set("limits", draft.Map(pos, "max_steps", draft.Plain(strconv.Itoa(max(defaultSteps, steps)), pos)))
	im.Note("GG359", pos,
		"the graph is bounded by the limits that the format's program has: "+strconv.Itoa(defaultSteps)+" nodes of a run and "+
			strconv.Itoa(defaultTurns)+" turns of a node", "every round of tool calls is a step and a visit here; graphgen check -bounds has the worst case")
}

func (im *importer) cyclic(times map[string]int) bool {
	for _, n := range times {
		if n > 1 {
			return true
		}
	}
	return false
}
