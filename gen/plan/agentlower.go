package plan

import (
	"slices"
	"strings"

	"github.com/graphgen/graphgen/internal/prompttext"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// lowerTools plans the tools that the spec declares.
func (l *lowering) lowerTools() {
	held := l.g.Held()
	for _, t := range l.g.Tools {
		tool := &Tool{
			Name: t.Spec.Name.V, Doc: t.Spec.Doc.V, Method: t.GoName, Args: t.Args, Returns: t.Returns,
			Pure: t.Spec.Pure.V, Timeout: t.Spec.Timeout.V, MaxResult: t.Spec.MaxResult.V, Approve: t.Spec.Approve.V,
			In: t.In, Keyed: t.Keyed(),
		}
		if t.In != nil {
			tool.Field, l.m.Models.ToolReads = "of"+t.GoName, true
		}
		l.tools[t] = tool
		l.m.Models.Tools = append(l.m.Models.Tools, tool)
		if slices.Contains(held, t) {
			tool.Answer = "Approve" + l.g.GoName + tool.Method
			l.m.Humans.Held = append(l.m.Humans.Held, tool)
		}
		if t.Spec.Client.V {
			tool.Client = &Client{Answer: "Return" + l.g.GoName + tool.Method}
		}
	}
}

func (l *lowering) toolsOf(tools []*resolve.Tool) []*Tool {
	var out []*Tool
	for _, t := range tools {
		out = append(out, l.tools[t])
	}
	return out
}

// lowerAgents plans what nodes ask of models and of tools.
func (l *lowering) lowerAgents() {
	for _, n := range l.g.All() {
		node := l.nodes[n]
		for i := range n.Evals {
			node.Checks.Evals = append(node.Checks.Evals, l.lowerEval(n, i))
		}
		node.Checks.Verdicts = n.Verdicts
		node.Pauses.Before, node.Pauses.After = l.g.InterruptedAt(n)
		node.Pauses.Open = l.m.Humans.Interrupts
		node.Pauses.Holds = l.g.HoldsCalls(n)
		if n.Gated() {
			node.Pauses.Gate = l.lowerGate(n)
		}
		switch w := node.Work.(type) {
		case *Prompt:
			l.lowerPrompt(w, n, node)
		case *Pool:
			w.Prompt = &Prompt{}
			l.lowerPrompt(w.Prompt, n, node)
			if w.Prompt.Written() {
				w.Prompt.Write = l.run.free("prompt"+n.GoName, "Node")
			}
		case *Call:
			l.lowerCall(w, n)
		case *Human:
			l.lowerHuman(w, n, node)
		case *Saying:
			l.lowerSaying(w, n)
		}
	}
	l.findNoted()
	l.findPlaceable()
}

// promptFlags lists the fields of pipeline.Prompt that flags of a node set.
func promptFlags(n *resolve.Node) (fields []string) {
	for id, flag := range spec.Flags {
		if flag.Prompts && n.Has(spec.FlagID(id)) {
			fields = append(fields, goname.Exported(flag.Name))
		}
	}
	return fields
}

// lowerPrompt plans how a node asks its model.
func (l *lowering) lowerPrompt(p *Prompt, n *resolve.Node, node *Node) {
	s := &n.Spec.Prompt
	*p = Prompt{
		ToolLoop: p.ToolLoop, Called: p.Called,
		Var: l.name(l.m.Prefix + n.GoName + "Prompt"), Field: l.run.free(goname.Unexported(n.Spec.Name.V), "Node"), Ask: l.machine.free("ask"+n.GoName, "Node"),
		Shown: n.Shown(), Tools: l.toolsOf(n.Tools), Loop: n.Loops, Tracked: tracked(n), Parallel: s.MaxParallel.V,
		Repair: spec.DefaultRepair, Inject: n.Has(spec.InjectTools), Allow: texts(s.AllowTools), Deny: texts(s.DenyTools),
		Model: l.g.ModelOf(n), Light: n.Has(spec.Lightweight), MaxTokens: s.MaxTokens.V,
		Scope: s.Context.V, MaxMessages: s.MaxMessages.V, MaxHistory: s.MaxHistory.V, Apart: n.Has(spec.NoHistory),
		Budget: s.TokenBudget.V, Revisit: l.g.Spec.RevisitFeedback.V && n.Kind.By == spec.ByModel,
		Before: processors(s.Before, beforeFuncs), After: processors(s.After, afterFuncs),
	}
	if s.RevisitFeedback.IsSet() {
		p.Revisit = s.RevisitFeedback.V
	}
	if s.Repair.IsSet() {
		p.Repair = s.Repair.V
	}
	if t := l.g.TemperatureOf(n); t.IsSet() {
		p.Temperature = &t.V
	}
	p.History, p.Appends = n.History, n.Appends()
	if p.History == nil && (p.Apart || n.Has(spec.IsolatedContext)) {
		p.Scope = "scoped"
	}
	p.Flags = promptFlags(n)
	for _, t := range n.Tools {
		if l.g.Approves(n, t.Spec.Name.V) {
			p.Approve = append(p.Approve, t.Spec.Name.V)
		}
	}
	for _, name := range s.Approve {
		if l.g.Tool(name.V) == nil {
			p.Others = append(p.Others, name.V)
		}
	}
	p.Await = s.ApproveTimeout.V
	p.Choice, p.Named = "auto", ""
	switch choice := s.ToolChoice.V; choice {
	case "", "auto":
	case "none", "required":
		p.Choice = choice
	default:
		p.Choice, p.Named = "named", choice
	}
	for _, from := range n.Inherits {
		p.Inherits = append(p.Inherits, from.Spec.Name.V)
	}
	l.lowerTexts(n, node, p)
	if n.Has(spec.SummarizeOutput) {
		p.After = append(p.After, Processor{Name: spec.SummarizeOutput.String(), Func: "SummarizeOutput"})
	}
	p.Required = required(p)
	if n.Kind.By == spec.ByModel && node.Out != nil && node.Out.Kind != resolve.String {
		p.Answer = node.Out.GoName[:min(len(node.Out.GoName), longestName)]
	}
}

// lowerTexts plans the system prompt, and the message of the user's turn. A text without
// placeholders is the same in every run.
func (l *lowering) lowerTexts(n *resolve.Node, node *Node, p *Prompt) {
	s := &n.Spec.Prompt
	var system template
	who := perspective(s)
	system.text(who)
	system.add(n.Instructions)
	p.Ending = ending(n, node, l)
	p.Texts = lowerParts(n, len(who), 0)
	if !slices.ContainsFunc(n.Blocks, func(b resolve.Block) bool { return !b.User() }) {
		system.trimEnd()
		system.text(p.Ending)
		p.Texts.Tail = len(p.Ending)
		p.Ending = ""
	}
	p.System = system.source()
	var message template
	message.add(n.Message)
	message.trimEnd()
	p.Message = message.source()
	for _, b := range n.Blocks {
		var pieces template
		pieces.add(b.Pieces)
		pieces.trimEnd()
		p.Blocks = append(p.Blocks, Block{Name: b.Spec.Name.V, Priority: b.Spec.Priority.V, User: b.User(), Text: pieces.source()})
	}
}

// A template is the pieces of a text, of which no two neighbours are texts.
type template []Piece

func (t *template) text(text string) {
	if last := len(*t) - 1; last >= 0 && (*t)[last].Field == nil {
		(*t)[last].Text += text
	} else if text != "" {
		*t = append(*t, Piece{Text: text})
	}
}

func (t *template) add(pieces []resolve.Piece) {
	for _, piece := range pieces {
		if piece.Field != nil {
			*t = append(*t, Piece{Field: piece.Field})
			continue
		}
		t.text(piece.Text)
	}
}

// trimEnd drops the line breaks at the end.
func (t template) trimEnd() {
	if last := len(t) - 1; last >= 0 && t[last].Field == nil {
		t[last].Text = strings.TrimRight(t[last].Text, " \t\n")
	}
}

// source returns the text with its placeholders.
func (t template) source() string {
	var b strings.Builder
	for _, piece := range t {
		if piece.Field != nil {
			b.WriteString(prompttext.Placeholder(piece.Field.Name))
		} else {
			b.WriteString(prompttext.Escape(piece.Text))
		}
	}
	return b.String()
}

// longestName is how many letters of a schema's name providers take.
const longestName = 64

// required are the fields that must hold something, which the prompt does not show as reads,
// or not if they hold nothing.
func required(p *Prompt) []*resolve.Field {
	if !slices.ContainsFunc(p.Before, func(b Processor) bool { return b.Func == "InputValidator" }) {
		return nil
	}
	var out []*resolve.Field
	add := func(f *resolve.Field) {
		if f != nil && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	for _, f := range p.Shown {
		if f.Type.Kind == resolve.Optional {
			add(f)
		}
	}
	for _, f := range slices.Concat(p.Texts.Instructions.Fields, p.Texts.Message.Fields, p.Texts.Rest.Fields) {
		if slices.Contains(mayLack, f.Type.Kind) {
			add(f)
		}
	}
	return out
}

// mayLack are the kinds of types with a value that holds nothing.
var mayLack = []resolve.Kind{resolve.Optional, resolve.String, resolve.List, resolve.Map, resolve.Bytes}

// strategies are the texts that describe to a model how to proceed.
var strategies = map[string]string{
	"chain_of_thought": "Think step by step, and give your reasons before the answer.",
	"step_back":        "First name the principle behind the question. Then answer from it.",
	"self_critique":    "Make a draft, say what is wrong with it, and then give the mended answer.",
	"plan_and_execute": "First make a plan of the steps it takes. Then carry them out one by one.",
}

// ending returns the text after the instructions: the strategy, and where the answer leads.
func ending(n *resolve.Node, node *Node, l *lowering) string {
	var b strings.Builder
	if s := strategies[n.Spec.Prompt.Strategy.V]; s != "" {
		b.WriteString("\n\n" + s)
	}
	for _, c := range l.flow.Node(n).Choices {
		if c.Rule == cfg.ByRoute {
			b.WriteString("\n\nThe field " + c.Field.Name + " of the answer names what comes next:" + offers(c))
		}
	}
	if n.Kind.Picks() {
		b.WriteString("\n\nThe work is done in steps. The answer names the next:")
		for _, r := range n.Regions {
			b.WriteString("\n- " + r.Name.V + reason(resolve.Target{Node: r.Last()}))
		}
		if len(n.Spec.Terminal) == 0 {
			b.WriteString("\n- end: nothing more is to be done")
		}
	}
	if n.Kind.Chooses {
		b.WriteString("\n\nThe answer names what comes next:")
		for _, c := range l.flow.Node(n).Choices {
			if c.Rule == cfg.ByGoto {
				b.WriteString(offers(c))
			}
		}
	}
	return b.String()
}

// offers lists what a model may choose, with what each is for.
func offers(c *cfg.Choice) string {
	list := ""
	for _, t := range c.Members {
		if !t.Alias {
			list += "\n- " + t.Cond.Text + reason(t.Target())
		}
	}
	return list
}

// reason returns what a target is for.
func reason(t resolve.Target) string {
	switch {
	case t.End:
		return ": nothing more is to be done"
	case t.Node != nil && t.Node.Spec.Doc.IsSet():
		return ": " + t.Node.Spec.Doc.V
	}
	return ""
}

// tracked reports whether conditions ask which tools a node has called.
func tracked(n *resolve.Node) bool {
	return slices.ContainsFunc(n.Evals, func(e *resolve.Eval) bool { return len(e.Called)+len(e.NotCalled) > 0 })
}

// beforeFuncs and afterFuncs are the processors of package pipeline.
var (
	beforeFuncs = map[string]string{"context_enricher": "ContextEnricher", "state_summarizer": "StateSummarizer", "input_validator": "InputValidator"}
	afterFuncs  = map[string]string{"json_extractor": "JSONExtractor", "confidence_scorer": "ConfidenceScorer", "output_truncator": "OutputTruncator"}
)

// setFuncs are the functions that return a processor with settings.
var setFuncs = map[string]string{"state_summarizer": "SummarizeOver", "json_extractor": "KeepMembers", "output_truncator": "TruncateAfter"}

func processors(list []spec.Processor, funcs map[string]string) []Processor {
	var out []Processor
	for i := range list {
		s := &list[i]
		name := s.Name.V
		if name == resolve.StateWriter {
			continue // its writes are the node's
		}
		p := Processor{Name: name, Func: funcs[name], Most: s.MaxLength.V, Keys: texts(s.Keys)}
		if !s.Plain() {
			p.Func = setFuncs[name]
		}
		if p.Func == "" {
			p.Method = goname.Exported(name)
		}
		out = append(out, p)
	}
	return out
}

func texts(list []spec.String) []string {
	var out []string
	for _, s := range list {
		out = append(out, s.V)
	}
	return out
}

// lowerCall plans what a tool node calls.
func (l *lowering) lowerCall(c *Call, n *resolve.Node) {
	*c = Call{Var: l.name(l.m.Prefix + n.GoName + "Call"), Method: l.machine.free("call"+n.GoName, "Node"), Parallel: n.Spec.Prompt.MaxParallel.V}
	if n.Fixed == nil {
		return
	}
	c.Tool = l.tools[n.Fixed]
	for _, a := range n.Args {
		c.Args = append(c.Args, Argument{To: a.Arg, From: a.From})
	}
}

func (l *lowering) lowerEval(n *resolve.Node, i int) *Eval {
	e := n.Evals[i]
	eval := &Eval{Name: e.Spec.Name.V, GoName: e.GoName, Called: e.Called, NotCalled: e.NotCalled, Judge: e.Spec.Judge.V, Shown: e.Shown}
	if len(e.Shown) > 0 {
		eval.ShownVar = "shown" + e.GoName
	}
	if e.Spec.If.IsSet() {
		eval.Cond = l.condition(n, l.name(l.m.Prefix+n.GoName+"Eval"+e.GoName), "is the eval "+e.Spec.Name.V+" of node "+n.Spec.Name.V+".",
			l.flow.Node(n).Evals[i])
	}
	return eval
}

// findNoted finds the nodes whose outputs are kept as results: all where the model judges
// edges, else those that prompts inherit.
func (l *lowering) findNoted() {
	judged := slices.ContainsFunc(l.m.Flow.Nodes, func(n *Node) bool {
		return slices.ContainsFunc(n.Routes.Tests, func(t Test) bool { return t.Kind == When })
	})
	models := &l.m.Models
	models.Judges, models.Conversations = judged, l.m.Mutations.Prompts()
	models.Asked = judged || models.Conversations
	for _, n := range l.m.Flow.Nodes {
		switch n.Work.(type) {
		case *Prompt, *Pool:
			models.Asked, models.Conversations = true, true
		case *Call:
			models.Conversations = true
		}
		models.Asked = models.Asked || n.judged() || n.gates()
	}
	noted := l.g.Noted()
	for from, n := range l.nodes {
		n.Kept.Result = noted[from]
		models.Results = models.Results || n.Kept.Result
	}
	models.Results = models.Results || judged
	if l.m.Limits.Budgets.Cost > 0 {
		l.findAsks()
	}
	if t := l.g.Spec.Temperature; t.IsSet() {
		l.m.Models.Temperature = &t.V
	}
	l.m.Models.Model = l.g.Spec.Model.V
	l.findNamed(l.g, map[*resolve.Graph]bool{})
}

// findNamed finds the names of models in a graph and in those that it runs: an option of a run reaches its child runs.
func (l *lowering) findNamed(g *resolve.Graph, seen map[*resolve.Graph]bool) {
	if seen[g] {
		return
	}
	seen[g] = true
	add := func(name string) {
		if name != "" && !slices.Contains(l.m.Models.Named, name) {
			l.m.Models.Named = append(l.m.Models.Named, name)
		}
	}
	add(g.Spec.Model.V)
	for _, n := range g.All() {
		add(n.Spec.Prompt.Model.V)
		if n.Sub != nil {
			l.findNamed(n.Sub, seen)
		}
	}
}

// judged reports whether a model judges one of the evals of the node.
func (n *Node) judged() bool {
	return slices.ContainsFunc(n.Checks.Evals, func(e *Eval) bool { return e.Judge != "" })
}

// findAsks finds which nodes ask models, and how.
func (l *lowering) findAsks() {
	add := func(is bool, use ModelUse) {
		if is && !slices.Contains(l.m.Models.Uses, use) {
			l.m.Models.Uses = append(l.m.Models.Uses, use)
		}
	}
	for _, n := range l.m.Flow.Nodes {
		if p := n.Prompt(); p != nil {
			add(true, ModelUse{p.Model, p.Light})
			light := func(f Processor) bool { return f.Func == "SummarizeOutput" || f.Name == "state_summarizer" }
			add(slices.ContainsFunc(p.Before, light) || slices.ContainsFunc(p.After, light), ModelUse{Light: true})
		}
		add(n.judged() || n.gates(), ModelUse{})
	}
	add(l.m.Models.Judges || l.m.Mutations.Prompts(), ModelUse{})
}
