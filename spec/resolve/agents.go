package resolve

import (
	"iter"
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
)

// A Tool is an entry of the tools section: a method of the generated interface.
type Tool struct {
	Spec    *spec.ToolDecl
	GoName  string // the method: Search
	Args    *Type  // a struct, possibly without fields
	Returns *Type  // String by default
	In      *Type  // struct of the state fields that it reads; nil: none
}

// A Block is a part of a prompt that may be left out.
type Block struct {
	Spec   *spec.Block
	Pieces []Piece
}

// User reports whether the block belongs to the user's turn: it has a placeholder. One without is
// the author's text, and belongs to the system prompt.
func (b *Block) User() bool {
	return slices.ContainsFunc(b.Pieces, func(p Piece) bool { return p.Name != "" })
}

// An Assigned is an argument of a fixed tool, or a field of a payload, and the state field that it is taken from.
type Assigned struct {
	Arg, From *Field // nil: unknown
	Spec      spec.Assignment
}

// An Eval is a check of the output of a node.
type Eval struct {
	Spec              *spec.Eval
	GoName            string   // its field in conditions
	Called, NotCalled []string // the known tools
	Shown             []*Field // state fields that the model is shown that judges
}

// Tool returns the tool with the given name, or nil.
func (g *Graph) Tool(name string) *Tool { return g.tools[name] }

// bindTools binds the tools with their types.
func (g *Graph) bindTools() {
	for _, s := range g.Spec.Tools {
		t := &Tool{Spec: s, GoName: goname.Exported(s.Name.V), Returns: basics["string"]}
		prefix := g.GoName + t.GoName
		args := &spec.TypeExpr{Kind: spec.TypeStruct, Pos: s.Name.Pos, Fields: s.Args}
		t.Args = g.own.expr(args, prefix+"Args")
		t.In = g.reading(prefix+"In", s.Reads, s.Name.Pos)
		switch {
		case s.Returns != nil:
			t.Returns = g.own.expr(s.Returns, prefix+"Result")
		case s.Unread:
			t.Returns = &Type{Kind: Unknown} // whatever it was meant to be
		}
		g.Tools = append(g.Tools, t)
		if g.tools[s.Name.V] == nil {
			g.tools[s.Name.V] = t
		}
	}
}

// toolsOf returns the known tools among names, each once.
func (g *Graph) toolsOf(names []spec.String) []*Tool {
	var out []*Tool
	for _, name := range names {
		if t := g.Tool(name.V); t != nil && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// bindAgent binds the settings of a node for models and tools.
func (g *Graph) bindAgent(n *Node) {
	s := n.Spec
	n.Asks = n.Kind.Asks == spec.AsksAlways || n.Kind.Asks == spec.AsksIfInstructed && s.Prompt.Instructions.IsSet()
	g.bindGuards(n)
	if len(s.Evals) > 0 {
		n.Verdicts = &Type{Kind: Struct, GoName: g.GoName + n.GoName + "Evals", Pos: s.Name.Pos}
	}
	for _, e := range s.Evals {
		eval := &Eval{Spec: e, GoName: goname.Exported(e.Name.V), Called: g.callable(n, e.Called), NotCalled: g.callable(n, e.NotCalled),
			Shown: g.pick(e.Reads)}
		n.Evals = append(n.Evals, eval)
		n.Verdicts.Fields = append(n.Verdicts.Fields, &Field{Spec: &spec.Field{Name: e.Name, Doc: e.Doc}, Name: e.Name.V,
			GoName: eval.GoName, Type: basics["bool"]})
	}
	switch {
	case n.Kind.By == spec.ByTool && s.Tool.IsSet():
		n.Fixed = g.Tool(s.Tool.V)
		g.bindArgs(n)
		if n.Fixed != nil {
			for _, f := range n.Fixed.Reads() {
				n.read(f)
			}
		}
	case n.Kind.By == spec.ByTool:
		n.Pending = !s.Unread
	case n.undecided():
		g.bindArgs(n)
	case n.Asks:
		g.bindPrompt(n)
	case n.Kind.By == spec.ByPerson:
		g.bindQuestion(n)
	case n.Kind.Sends:
		g.bindSaying(n)
	case n.Kind.Picks():
		for _, f := range g.pick(s.Reads) {
			n.read(f)
		}
		n.Instructions = g.template(n, s.Prompt.Instructions)
		n.Message = g.template(n, s.Prompt.Message)
	case n.Kind.Each:
		n.Over, n.Item = g.State.Field(s.Over.V), g.State.Field(s.Item.V)
		n.read(n.Over)
	}
	if n.Has(spec.Cacheable) && (n.Asks || n.Fixed != nil) {
		n.In = &Type{Kind: Struct, GoName: g.GoName + n.GoName + "In", Fields: n.Reads} // the key
	}
}

// ModelOf returns the name of the model that a node asks, its own or the graph's; empty: the machine's, or the light one.
func (g *Graph) ModelOf(n *Node) string {
	if own := n.Spec.Prompt.Model.V; own != "" || n.Has(spec.Lightweight) {
		return own
	}
	return g.Spec.Model.V
}

// TemperatureOf returns the temperature of a node's requests, its own or the graph's; not set: the model's.
func (g *Graph) TemperatureOf(n *Node) spec.Value[float64] {
	if own := n.Spec.Prompt.Temperature; own.IsSet() {
		return own
	}
	return g.Spec.Temperature
}

// HasJudge reports whether a model judges what the node did: an eval or a guard has a judge.
func (n *Node) HasJudge() bool {
	return slices.ContainsFunc(n.Spec.Evals, func(e *spec.Eval) bool { return e.Judge.IsSet() }) || n.Gates()
}

// Gates reports whether a guard of the node has a judge.
func (n *Node) Gates() bool {
	return slices.ContainsFunc(n.Spec.Guards, func(g spec.Guard) bool { return g.Judge.IsSet() })
}

// Summarizes reports whether the smaller model makes texts of the node short.
func (n *Node) Summarizes() bool {
	return n.Has(spec.SummarizeOutput) || slices.ContainsFunc(n.Spec.Prompt.Before, summarizesState)
}

func summarizesState(p spec.Processor) bool { return p.Name.V == "state_summarizer" }

// Summaries returns how many texts of one execution of the node the smaller model makes short: values that the node is shown, and its answer.
func (n *Node) Summaries() (shown, answer int) {
	if !n.Asks {
		return 0, 0
	}
	for _, p := range n.Spec.Prompt.Before {
		if summarizesState(p) {
			shown += len(n.Shown()) + len(n.Inherits)
		}
	}
	if n.Has(spec.SummarizeOutput) {
		answer = 1
	}
	return shown, answer
}

// callable returns the names that are tools: of the graph, or injected ones.
func (g *Graph) callable(n *Node, names []spec.String) []string {
	var list []string
	for _, name := range names {
		if g.Tool(name.V) != nil || n.Injects(name.V) {
			list = append(list, name.V)
		}
	}
	return list
}

// Injects reports whether the node names the tool as one injected at run time.
func (n *Node) Injects(tool string) bool {
	return n.Has(spec.InjectTools) && slices.ContainsFunc(n.Spec.Prompt.AllowTools, func(name spec.String) bool { return spec.NamesTool(name.V, tool) })
}

func (g *Graph) bindArgs(n *Node) {
	for _, a := range n.Spec.Args {
		one := Assigned{From: g.State.Field(a.Field.V), Spec: a}
		if n.Fixed != nil {
			one.Arg = n.Fixed.Args.Field(a.Name.V)
		}
		n.Args = append(n.Args, one)
		n.read(one.From)
	}
}

// bindSaying binds the text and the payload of a message.
func (g *Graph) bindSaying(n *Node) {
	n.Instructions = g.template(n, spec.Text{String: n.Spec.Say})
	if len(n.Spec.Payload) == 0 {
		return
	}
	n.Payload = &Type{Kind: Struct, GoName: g.GoName + n.GoName + "Payload", Pos: n.Spec.Payload[0].Name.Pos}
	for _, a := range n.Spec.Payload {
		one := Assigned{From: g.State.Field(a.Field.V), Spec: a}
		if from := one.From; from != nil {
			one.Arg = &Field{Spec: &spec.Field{Name: a.Name, Doc: from.Spec.Doc}, Name: a.Name.V, GoName: goname.Exported(a.Name.V), Type: from.Type}
			n.Payload.Fields = append(n.Payload.Fields, one.Arg)
		}
		n.Args = append(n.Args, one)
		n.read(one.From)
	}
	g.own.types = append(g.own.types, n.Payload)
	g.Types = g.own.types
}

func (g *Graph) bindPrompt(n *Node) {
	p := &n.Spec.Prompt
	n.Tools = g.toolsOf(p.Tools)
	if n.Kind.By == spec.ByModel && (len(p.Tools) > 0 || n.Has(spec.InjectTools)) {
		n.Defers = p.ToolLoop.IsSet() && !p.ToolLoop.Lost && !p.ToolLoop.V
		n.Loops = !n.Defers
	}
	for _, name := range p.Inherits {
		if from := g.nodes[name.V]; from != nil && !slices.Contains(n.Inherits, from) {
			n.Inherits = append(n.Inherits, from)
		}
	}
	for _, f := range g.pick(n.Spec.Reads) {
		n.read(f)
	}
	g.bindHistory(n)
	n.Instructions = g.template(n, p.Instructions)
	n.Message = g.template(n, p.Message)
	for _, b := range p.Blocks {
		n.Blocks = append(n.Blocks, Block{Spec: b, Pieces: g.template(n, b.Text)})
	}
}

// read adds a field that the node reads.
func (n *Node) read(f *Field) {
	if f == nil || n.reading[f] {
		return
	}
	if n.reading == nil {
		n.reading = map[*Field]bool{}
	}
	n.reading[f] = true
	n.Reads = append(n.Reads, f)
}

// Shown returns the fields that a model or a person is shown by name: the fields that the node
// reads without a placeholder.
func (n *Node) Shown() []*Field {
	if !n.Asks && !n.Kind.Picks() && n.Kind.By != spec.ByPerson {
		return nil
	}
	placed := map[*Field]bool{n.History: true}
	for p := range n.Pieces() {
		placed[p.Field] = true
	}
	return slices.DeleteFunc(slices.Clone(n.Reads), func(f *Field) bool { return placed[f] })
}

// Pieces iterates over the pieces of the instructions, then of the message, then of the blocks.
func (n *Node) Pieces() iter.Seq[Piece] {
	return func(yield func(Piece) bool) {
		lists := [][]Piece{n.Instructions, n.Message}
		for _, b := range n.Blocks {
			lists = append(lists, b.Pieces)
		}
		for _, list := range lists {
			for _, p := range list {
				if !yield(p) {
					return
				}
			}
		}
	}
}

// bindAgentData binds the output of a prompt or a tool, and its writes to the state.
func (g *Graph) bindAgentData(n *Node) {
	s := n.Spec
	if n.Has(spec.Cacheable) && len(n.Reads) > 0 {
		n.In = &Type{Kind: Struct, GoName: g.GoName + n.GoName + "In", Fields: n.Reads} // the key
	}
	switch {
	case n.Kind.By == spec.ByTool && n.Fixed != nil:
		n.Out = n.Fixed.Returns
	case n.Kind.By == spec.ByTool && n.Pending:
		g.bindAnswered(n)
		return
	case n.Kind.By == spec.ByTool:
		n.Out = &Type{Kind: Unknown}
	case n.Decides():
		g.bindRecord(n)
		return
	case n.Kind.By != spec.ByModel && n.Kind.By != spec.ByPerson: // a router or a guard
		return
	case s.Output != nil:
		n.Out = g.own.expr(s.Output, g.GoName+n.GoName+"Out")
	case s.Unread || slices.ContainsFunc(s.Writes, func(w spec.String) bool { return blurred(g.State.Field(w.V)) }):
		n.Out = &Type{Kind: Unknown}
	case g.writesText(s.Writes):
		n.Out = basics["string"]
	default:
		n.Out = &Type{Kind: Struct, GoName: g.GoName + n.GoName + "Out", Fields: g.pick(s.Writes), Pos: s.WritesPos}
		g.own.types = append(g.own.types, n.Out) // a model writes it as JSON
		g.Types = g.own.types
	}
	for _, w := range s.Writes {
		to := g.State.Field(w.V)
		if to == nil {
			continue
		}
		write := Write{To: to, Name: w}
		if !n.writesWhole(to, w) {
			write.From = n.Out.Field(w.V)
		}
		n.Writes = append(n.Writes, write)
	}
	g.bindStateWriter(n)
	g.bindRecord(n)
	if n.Appends() {
		n.Writes = append(n.Writes, Write{To: n.History, Turn: true, Name: s.Prompt.History})
	}
}

// bindStateWriter adds the writes of the processor state_writer: fields of the output are written
// to the state fields that its settings name, else to those with the same names.
func (g *Graph) bindStateWriter(n *Node) {
	i := slices.IndexFunc(n.Spec.Prompt.After, func(p spec.Processor) bool { return p.Name.V == StateWriter })
	if i < 0 || n.Out == nil || n.Out.Kind != Struct {
		return
	}
	add := func(to, from *Field, name spec.String) {
		if to != nil && from != nil && Accepts(to, from.Type) && !slices.ContainsFunc(n.Writes, func(w Write) bool { return w.To == to }) {
			n.Writes = append(n.Writes, Write{To: to, From: from, Name: name})
		}
	}
	writer := &n.Spec.Prompt.After[i]
	for _, a := range writer.Fields {
		add(g.State.Field(a.Name.V), n.Out.Field(a.Field.V), a.Name)
	}
	if len(writer.Fields) > 0 || writer.Unread {
		return
	}
	for _, f := range n.Out.Fields {
		add(g.State.Field(f.Name), f, spec.String{V: f.Name, Pos: writer.Name.Pos})
	}
}

// StateWriter is the processor that writes the fields of an output to the state.
const StateWriter = "state_writer"

// blurred reports whether the type of a state field is unknown, because the field does not exist or
// could not be read completely.
func blurred(f *Field) bool {
	if f == nil || f.Spec.Unread || !slices.Contains(spec.Names(spec.Merges), f.Merge) {
		return true
	}
	t := f.Type
	for t.Elem != nil {
		t = t.Elem
	}
	return t.Kind == Unknown
}

// undecided reports whether what a node gives is not known: its kind could not be read, and it has
// settings of a kind with an output, or its values could not be read.
func (n *Node) undecided() bool {
	s := n.Spec
	if n.Kind.Sets {
		return s.Unread
	}
	unsure := s.Unread && !s.Kind.IsSet() || !n.Kind.Known()
	return unsure && (s.Prompt.Instructions.IsSet() || s.Tool.IsSet() || len(s.Set) > 0)
}

// writesText reports whether the output of a prompt is the text of the answer: it is written to
// nothing, or to one field that accepts a text.
func (g *Graph) writesText(writes []spec.String) bool {
	return len(writes) == 0 || len(writes) == 1 && Accepts(g.State.Field(writes[0].V), basics["string"])
}
