package check

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
)

// promptPasses judge what models are sent.
var promptPasses = []Pass{
	{Code: "GG190", run: noInstructions},
	{Code: "GG191", run: placeholders},
	{Code: "GG192", run: promptOutputs},
	{Code: "GG193", run: asksNothing},
	{Code: "GG194", run: idleFlags},
	{Code: "GG195", run: defeatedSettings},
	{Code: "GG196", run: inherited},
	{Code: "GG198", run: idleBudgets},
	{Code: "GG199", run: emptyWhens},
}

// modelNodes lists the nodes that ask a model, and could be read as a whole.
func (c *context) modelNodes() []*resolve.Node {
	return slices.DeleteFunc(slices.Clone(c.graph.All()), func(n *resolve.Node) bool { return !n.Asks || n.Spec.Unread })
}

func noInstructions(c *context) {
	for _, n := range c.modelNodes() {
		text, message := n.Spec.Prompt.Instructions, n.Spec.Prompt.Message
		switch {
		case n.Kind.Picks(): // GG226 judges its goal
		case !text.IsSet() && !message.IsSet():
			c.report(n.Spec.Name.Pos, "prompt "+quote(n.Spec.Name.V)+" has no instructions",
				"state what the model should do, as in "+diag.Set("instructions", "Write the draft."))
		case text.IsSet() && isEmpty(text.String):
			c.report(text.Pos, "the instructions of node "+quote(n.Spec.Name.V)+" are empty", "state what the model should do")
		case message.IsSet() && isEmpty(message.String):
			c.report(message.Pos, "the message of node "+quote(n.Spec.Name.V)+" is empty", "write what the model is sent, or "+diag.Remove("remove it"))
		}
	}
}

// isEmpty reports whether a text that could be read has nothing but spaces.
func isEmpty(text spec.String) bool { return strings.TrimSpace(text.V) == "" && !text.Lost }

func placeholders(c *context) {
	suggester := &suggester{names: fieldNames(c.graph.State, nil)}
	for _, n := range c.graph.All() {
		for _, m := range n.Malformed {
			c.report(m.Pos, m.Message, m.Help)
		}
		reads := map[string]bool{}
		for _, f := range n.Spec.Reads {
			reads[f.V] = true                                        // empty for one that could not be read
			reads[""] = reads[""] || c.graph.State.Field(f.V) == nil // it may be this field, misspelt
		}
		for p := range n.Pieces() {
			switch {
			case p.Name == "" || c.spec.Unread && len(c.spec.State) == 0:
			case p.Field == nil:
				c.report(p.Pos, "the placeholder names no field of the state: "+quote(p.Name),
					suggester.suggest(p.Name, true, addFieldAs(p.Name, "string")+", or write {{{{ for the braces themselves"))
			case p.Field.Type.HoldsMedia(): // a mistake by itself
			case n.Spec.ReadsPos.IsSet() && !reads[p.Name] && !reads[""]:
				c.report(p.Pos, "the placeholder names "+quote(p.Name)+", which is not among the reads of node "+quote(n.Spec.Name.V),
					"add it to reads, or leave reads out: what placeholders name is read",
					diag.Related{Pos: n.Spec.ReadsPos, Message: "the reads are here"})
			}
		}
	}
}

func promptOutputs(c *context) {
	for _, n := range c.modelNodes() {
		if n.Out == nil || unknown(n.Out) || n.Out.HoldsMedia() {
			continue
		}
		title := "the output of prompt " + quote(n.Spec.Name.V)
		found := c.schemaless(n.Out)
		switch out := n.Spec.Output; {
		case out == nil:
			for _, w := range n.Writes {
				if w.Turn {
					continue
				}
				if found := c.schemaless(w.To.Type); found != nil && n.Out.Kind == resolve.Struct {
					c.report(w.Name.Pos, "prompt "+quote(n.Spec.Name.V)+" writes "+quote(w.To.Name)+", which"+within(found, w.To.Type),
						"let a func write the field, from fields that the model fills")
				}
			}
		case found != nil:
			c.report(out.Pos, title+within(found, n.Out), "declare a type with the fields that the model should fill")
		case n.Out.Kind == resolve.Optional && modelGives(n.Out.Elem):
			c.report(out.Pos, title+" is "+article(n.Out.String())+", but a model always answers", "write "+n.Out.Elem.String())
		case !modelGives(n.Out):
			c.report(out.Pos, title+" is "+article(n.Out.String())+": a model gives a struct, a union or a string",
				"put it into a struct, as in "+diag.Set("output", "{answer: "+quoteBrackets(n.Out.String())+"}"))
		}
	}
}

// modelGives reports whether a model's answer can be of a type.
func modelGives(t *resolve.Type) bool {
	return t.Kind == resolve.Struct || t.Kind == resolve.Union || t.Kind == resolve.String
}

// quoteBrackets puts a type text into quotes where YAML needs them.
func quoteBrackets(text string) string {
	if strings.ContainsAny(text, "[]?") {
		return quote(text)
	}
	return text
}

func asksNothing(c *context) {
	for _, n := range c.graph.All() {
		if n.Kind.Asks != spec.AsksIfInstructed || n.Asks || n.Spec.Unread {
			continue
		}
		var keys []placed
		for _, k := range n.Spec.Settings() {
			if slices.Contains(k.Key.Kinds, n.Kind.Name) && ofModels(k.Key) {
				keys = append(keys, placed{k.Key.Name, k.Pos})
			}
		}
		if len(n.Spec.Prompt.Blocks) > 0 {
			keys = append(keys, placed{"blocks", n.Spec.Prompt.Blocks[0].Name.Pos})
		}
		for _, k := range keys {
			c.report(k.pos, k.key+" of node "+quote(n.Spec.Name.V)+" has no effect: its handler decides, and no model is asked",
				"add instructions, or "+diag.Remove("remove it"))
		}
	}
}

// ofModels reports whether a key is for nodes that ask a model, and for none with a handler.
func ofModels(k spec.Key) bool {
	asks := func(kind string) bool { return spec.KindOf(kind).Asks == spec.AsksAlways }
	returns := func(kind string) bool { return spec.KindOf(kind).Returns }
	return slices.ContainsFunc(k.Kinds, asks) && !slices.ContainsFunc(k.Kinds, returns)
}

func defeatedSettings(c *context) {
	for _, n := range c.modelNodes() {
		for _, d := range c.overrides(n) {
			if d.pos.IsSet() {
				c.report(d.pos, d.key+" of node "+quote(n.Spec.Name.V)+" has no effect: "+d.why, d.help, d.related...)
			}
		}
		visits, name := c.maxVisits(n), quote(n.Spec.Name.V)
		if n.Loops && visits.IsSet() && !visits.Lost && visits.V == 1 {
			c.report(visits.Pos, "node "+name+" may be visited once: after a turn that calls a tool, the model needs another visit to answer",
				"allow as many visits as the tool loop needs turns")
		}
	}
}

// An override is a setting that has no effect because of another.
type override struct {
	placed
	why, help string
	related   []diag.Related
}

func (c *context) overrides(n *resolve.Node) []override {
	var list []override
	p := &n.Spec.Prompt
	when := func(is bool, key string, pos spec.Pos, why, help string, other spec.Pos, says string) {
		if !is {
			return
		}
		d := override{placed: placed{key, pos}, why: why, help: help}
		if other.IsSet() {
			d.related = []diag.Related{{Pos: other, Message: says}}
		}
		list = append(list, d)
	}
	light, isLight := n.Spec.Flag(spec.Lightweight)
	when(isLight, "model", p.Model.Pos, "lightweight asks the smaller model", "keep one of the two", light.Name.Pos, "the flag is here")
	for _, flag := range []spec.FlagID{spec.NoHistory, spec.IsolatedContext} {
		f, ok := n.Spec.Flag(flag)
		why := flag.String() + " shows none of the messages before"
		isolated := ok
		ok = ok && !p.History.IsSet() // else the messages are the conversation's
		when(ok, "max_messages", p.MaxMessages.Pos, why, "keep one of the two", f.Name.Pos, "the flag is here")
		when(ok, "max_history", p.MaxHistory.Pos, why, "keep one of the two", f.Name.Pos, "the flag is here")
		when(ok, "context", p.Context.Pos, why, "keep one of the two", f.Name.Pos, "the flag is here")
		when(isolated && flag == spec.IsolatedContext && len(p.Inherits) > 0, "inherits", first(p.Inherits),
			"isolated_context shows what the node reads and nothing else", "keep one of the two", f.Name.Pos, "the flag is here")
	}
	alone := p.Context.V == "scoped"
	for _, bound := range []placed{{"max_messages", p.MaxMessages.Pos}, {"max_history", p.MaxHistory.Pos}} {
		when(alone, bound.key, bound.pos, c.says(diag.Set("context", "scoped"))+" shows none of the messages before", "keep one of the two", p.Context.Pos,
			"the context is here")
	}
	text := n.Kind.By == spec.ByModel && n.Out != nil && n.Out.Kind == resolve.String
	when(len(p.Blocks) == 0, "token_budget", p.TokenBudget.Pos, "there are no blocks to leave out", "add blocks, or "+diag.Remove("remove it"), spec.Pos{}, "")
	when(text && p.Repair.V != 0, "repair", p.Repair.Pos, "any text is an answer that fits",
		"give the node an output with fields, or "+diag.Remove("remove it"), spec.Pos{}, "")
	when(p.RevisitFeedback.V && c.maxVisits(n).V == 1, "revisit_feedback", p.RevisitFeedback.Pos, "the node may be visited once",
		"keep one of the two", c.maxVisits(n).Pos, "max_visits is here")
	most := c.spec.Limits.MaxTokens
	when(most.V > 0 && p.MaxTokens.V > most.V, "max_tokens", p.MaxTokens.Pos, "the run's is smaller, and cuts it short",
		"make it smaller, or the run's larger", most.Pos, "the run's is here")
	return list
}

func inherited(c *context) {
	suggester := &suggester{names: append(c.workers(), spec.End)}
	for _, n := range c.modelNodes() {
		for _, name := range n.Spec.Prompt.Inherits {
			from := c.graph.Node(name.V)
			title := "node " + quote(n.Spec.Name.V)
			switch {
			case !written(name):
			case from == nil:
				c.reportUnknown(name, title+" inherits from no node: "+quote(name.V), suggester.suggest(name.V, false, "name one of the nodes"))
			case from == n:
				c.report(name.Pos, title+" inherits from itself", "set revisit_feedback: later visits are then shown the output of the one before")
			case from.Parent != nil && n.Parent == nil && from.Parent.Bodiless(): // it may be what that should run
			case from.Parent != nil && !n.ChildOf(from.Parent):
				c.inheritsWithin(n, from, name.Pos)
			case from.Parent != nil && !from.Parent.Kind.Picks() && !sameRegion(n, from):
				c.report(name.Pos,
					title+" inherits from "+quote(name.V)+", which another branch of "+quote(from.Parent.Spec.Name.V)+" runs at the same time",
					"let a node after "+quote(from.Parent.Spec.Name.V)+" read what it writes")
			case from.Out == nil && from.Kind.Known() && !from.Spec.Unread:
				c.report(name.Pos, title+" inherits from "+quote(name.V)+", which has no output to show",
					"give that node an output, or "+diag.Remove("remove it"))
			}
		}
	}
}

// inheritsWithin reports a node that inherits from one that another runs: what that leaves
// are its writes, and the output of a loop or a retry.
func (c *context) inheritsWithin(n, from *resolve.Node, pos spec.Pos) {
	help := "read what it writes to the state"
	if parent := from.Parent; parent.Body == from {
		help = "name " + quote(parent.Spec.Name.V) + ", whose output it is"
	}
	c.report(pos,
		"node "+quote(n.Spec.Name.V)+" inherits from "+quote(from.Spec.Name.V)+", whose output is gone when "+
			quote(from.Parent.Spec.Name.V)+" has run it: only its writes remain", help)
}

// sameRegion reports whether a node is in the region of another, however deep.
func sameRegion(n, other *resolve.Node) bool {
	for ; n != nil; n = n.Parent {
		if n.Region == other.Region {
			return true
		}
	}
	return false
}

func idleBudgets(c *context) {
	asks, calls := spends(c.graph, map[*resolve.Graph]bool{})
	unsure := c.spec.Unread || c.spec.Mutations != nil && c.spec.Mutations.Unread
	for _, n := range c.graph.All() {
		unsure = unsure || n.Spec.Unread || !n.Kind.Known() || n.Kind.By == spec.ByGraph && n.Sub == nil
	}
	for _, e := range c.spec.Edges {
		unsure = unsure || e.Unread
	}
	if unsure {
		return
	}
	l := &c.spec.Limits
	for _, s := range []placed{{"max_tokens", l.MaxTokens.Pos}, {"max_cost", l.MaxCost.Pos}, {"max_model_calls", l.MaxModelCalls.Pos},
		{"revisit_feedback", c.spec.RevisitFeedback.Pos}} {
		if s.pos.IsSet() && !asks {
			c.report(s.pos, s.key+" has no effect: the graph asks no model", diag.Remove("remove it"))
		}
	}
	if l.MaxToolCalls.IsSet() && !calls {
		c.report(l.MaxToolCalls.Pos, "max_tool_calls has no effect: the graph calls no tools", diag.Remove("remove it"))
	}
	c.idleDefault("model", c.spec.Model.Pos, func(p *spec.Prompt) bool { return p.Model.IsSet() })
	c.idleDefault("temperature", c.spec.Temperature.Pos, func(p *spec.Prompt) bool { return p.Temperature.IsSet() })
}

// idleDefault reports a setting of a graph for its models that no request has. own reports whether a node has its own.
func (c *context) idleDefault(key string, pos spec.Pos, own func(*spec.Prompt) bool) {
	if !pos.IsSet() {
		return
	}
	falls := c.graph.Mutations.AddsPrompts() || slices.ContainsFunc(c.spec.Edges, func(e *spec.Edge) bool { return e.When.IsSet() })
	why := "the graph asks no model"
	for _, n := range c.graph.All() {
		p := &n.Spec.Prompt
		asks := n.Asks || n.Kind.Picks()
		falls = falls || asks && (!own(p) || n.Summarizes()) || n.HasJudge()
		if asks {
			why = "each node that asks a model has its own"
		}
	}
	if !falls {
		c.report(pos, key+" of the graph has no effect: "+why, diag.Remove("remove it"))
	}
}

// spends reports whether a graph uses models and tools, itself or by graphs that it runs.
func spends(g *resolve.Graph, seen map[*resolve.Graph]bool) (asks, calls bool) {
	if seen[g] {
		return false, false
	}
	seen[g] = true
	if m := g.Mutations; m.AddsPrompts() {
		asks, calls = true, len(m.Spec.Tools) > 0
	}
	for _, n := range g.All() {
		asks = asks || n.Asks || n.Kind.Picks() || n.HasJudge()
		calls = calls || n.Loops || n.Defers || n.Kind.By == spec.ByTool
		if n.Sub != nil {
			asksInside, callsInside := spends(n.Sub, seen)
			asks, calls = asks || asksInside, calls || callsInside
		}
	}
	return asks || slices.ContainsFunc(g.Spec.Edges, func(e *spec.Edge) bool { return e.When.IsSet() }), calls
}

func emptyWhens(c *context) {
	for _, e := range c.spec.Edges {
		if e.When.IsSet() && !e.When.Lost && strings.TrimSpace(e.When.V) == "" {
			c.report(e.When.Pos, "the condition in natural language is empty",
				"state when the edge is to be taken, as in "+diag.Set("when", "the answer is complete"))
		}
	}
}

// agentLimits judges the limits on model and tool calls.
func (c *context) agentLimits(count func(v spec.Value[int], what string, low, high int), positive func(v spec.Value[time.Duration], what string)) {
	l := &c.spec.Limits
	count(l.MaxTokens, "the run's max_tokens", 1, maxCount)
	count(l.MaxModelCalls, "max_model_calls", 1, maxCount)
	count(l.MaxToolCalls, "max_tool_calls", 1, maxCount)
	if cost := l.MaxCost; cost.IsSet() && !cost.Lost && cost.V <= 0 {
		c.report(cost.Pos, "max_cost is out of range: "+strconv.FormatFloat(cost.V, 'g', -1, 64), "use more than 0, as in 0.5")
	}
	for _, t := range c.spec.Tools {
		positive(t.Timeout, "the tool's timeout")
		count(t.MaxResult, "max_result", 1, maxCount)
		if t.Timeout.V > l.Timeout.V && l.Timeout.V > 0 {
			c.report(t.Timeout.Pos, "the timeout of tool "+quote(t.Name.V)+" is longer than the run's, which cuts it short",
				"make it shorter, or the run's longer",
				diag.Related{Pos: l.Timeout.Pos, Message: "the run's timeout is here"})
		}
	}
	for _, n := range c.spec.Nodes {
		p := &n.Prompt
		count(p.TokenBudget, "token_budget", 1, maxCount)
		count(p.MaxMessages, "max_messages", 1, maxCount)
		count(p.MaxHistory, "max_history", 1, maxCount)
		count(p.MaxTokens, "max_tokens", 1, maxCount)
		count(p.MaxParallel, "max_parallel", 1, maxCount)
		count(p.Repair, "repair", 0, 100)
		for _, b := range p.Blocks {
			count(b.Priority, "priority", -maxCount, maxCount)
		}
		c.temperature(p.Temperature)
	}
	c.temperature(c.spec.Temperature)
}

func (c *context) temperature(t spec.Value[float64]) {
	if t.IsSet() && !t.Lost && (t.V < 0 || t.V > 2) {
		c.report(t.Pos, "temperature is out of range: "+strconv.FormatFloat(t.V, 'g', -1, 64), "use 0 to 2")
	}
}

// repeatedOfPrompt reports what a prompt lists twice.
func (c *context) repeatedOfPrompt(n *resolve.Node) {
	p := &n.Spec.Prompt
	blocks := make([]spec.String, len(p.Blocks))
	for i, b := range p.Blocks {
		blocks[i] = b.Name
	}
	c.repeated(n, "tool", p.Tools)
	c.repeated(n, "allowed tool", p.AllowTools)
	c.repeated(n, "denied tool", p.DenyTools)
	c.repeated(n, "inherited node", p.Inherits)
	c.repeated(n, "processor before", spec.ProcessorNames(p.Before))
	c.repeated(n, "processor after", spec.ProcessorNames(p.After))
	c.repeated(n, "block", blocks)
	for _, e := range n.Spec.Evals {
		c.repeatedIn(" in eval "+quote(e.Name.V), n, "tool", e.Called)
		c.repeatedIn(" in eval "+quote(e.Name.V), n, "tool", e.NotCalled)
	}
}
