package golang

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/schema"
	"github.com/graphgen/graphgen/spec/resolve"
)

// prompts prints how a machine calls models, and tools of its own accord: a description, and the
// method that makes a turn, for each node. The tools follow.
func (e *emitter) prompts() {
	for _, n := range e.m.Flow.Nodes {
		switch w := n.Work.(type) {
		case *plan.Prompt:
			e.promptNode(n, w)
			if !n.AsksInPlace() {
				e.print("ask", n)
			}
		case *plan.Pool:
			e.promptNode(n, w.Prompt)
			if w.Prompt.Write != "" {
				e.print("write prompt", n)
			}
		case *plan.Call:
			e.print("tool node", n)
		}
	}
	if e.m.Mutations.Prompts() {
		e.print("dynamic prompts", nil)
	}
	if len(e.m.Models.Placeable) > 0 {
		e.print("place", nil)
	}
	if len(e.m.Models.Tools) > 0 {
		e.callTools()
	}
}

// promptNode prints the description of a node that asks a model.
func (e *emitter) promptNode(n *plan.Node, p *plan.Prompt) {
	e.f.Line()
	fields := e.promptFields(n, p)
	value := pipe("Node").Custom(lines, fields...)
	if len(p.System)+len(p.Ending)+len(p.Message) < nodeWidth && len(p.Tools) == 0 && !n.Mutates {
		line := pipe("Node").Values(fields...)
		if text := fmt.Sprintf("%#v", jen.Var().Id(p.Var).Op("=").Add(line)); len(text) < nodeWidth && !strings.Contains(text, "\n") {
			value = line
		}
	}
	e.f.Var().Id(p.Var).Op("=").Add(value)
}

// nodeWidth is the width of a description that is on one line.
const nodeWidth = 140

// promptFields are the fields of a description: those that are short, and then each other one.
func (e *emitter) promptFields(n *plan.Node, p *plan.Prompt) []jen.Code {
	var out, short []jen.Code
	to := func(list *[]jen.Code) func(is bool, name string, value jen.Code) {
		return func(is bool, name string, value jen.Code) {
			if is {
				*list = append(*list, jen.Id(name).Op(":").Add(value))
			}
		}
	}
	set, long := to(&short), to(&out)
	set(true, "Name", jen.Lit(n.Name))
	set(true, "Version", jen.Lit(p.Texts.Version()))
	set(n.Kind.Chooses || n.Kind.Picks(), "Purpose", jen.Qual(chatPath, "Choose"))
	long(p.System != "", "System", prose(p.System))
	set(p.Texts.Lead > 0, "Lead", jen.Lit(p.Texts.Lead))
	set(p.Texts.Tail > 0, "Tail", jen.Lit(p.Texts.Tail))
	long(p.Ending != "", "After", prose(p.Ending))
	long(p.Message != "", "Message", prose(p.Message))
	long(len(p.Blocks) > 0, "Blocks", blocks(p.Blocks))
	long(len(p.Tools) > 0, "Tools", toolTable(p.Tools, p.Approve))
	long(len(p.Tools) > 0, "Specs", specs(p.Tools))
	answer, schema := e.answerField(n, p)
	long(schema != nil, answer, schema)
	long(p.Choice != "auto", "Choice", toolChoice(p))
	set(p.Loop, "Loop", jen.True())
	set(p.Parallel > 0, "Parallel", jen.Lit(p.Parallel))
	set(p.Tracked, "Tracked", jen.True())
	set(p.Inject, "Inject", jen.True())
	long(len(p.Allow) > 0, "Allow", stringList(p.Allow))
	long(len(p.Deny) > 0, "Deny", stringList(p.Deny))
	long(len(p.Others) > 0, "Approve", stringList(p.Others))
	set(p.Await > 0, "Await", duration(p.Await))
	set(p.Holds(), "Holder", holder())
	set(p.Repair > 0, "Repair", jen.Lit(p.Repair))
	set(p.Model != "", "Model", jen.Lit(p.Model))
	set(p.Light, "Light", jen.True())
	set(p.Temperature != nil, "Temperature", temperature(p))
	set(p.MaxTokens > 0, "MaxTokens", jen.Lit(p.MaxTokens))
	if scope := scopes[p.Scope]; scope != "" {
		set(true, "Scope", pipe(scope))
	}
	if p.History != nil {
		set(true, "Continues", jen.Lit(p.History.Name))
	}
	set(p.Appends, "Appends", jen.True())
	long(p.MaxMessages+p.MaxHistory > 0, "History", historyLimits(p))
	set(p.Apart, "Apart", jen.True())
	for _, flag := range p.Flags {
		set(true, flag, jen.True())
	}
	set(p.Budget > 0, "Budget", jen.Lit(p.Budget))
	set(p.Budget > 0, "Fit", pipe("FitBlocks"))
	set(p.Revisit, "Revisit", jen.True())
	reads := stringList(fieldNames(p.Shown))
	beside := fit(append(short, reads))
	set(len(p.Shown) > 0 && beside, "Reads", reads)
	long(len(p.Shown) > 0 && !beside, "Reads", reads)
	return append([]jen.Code{jen.Custom(jen.Options{Separator: ","}, short...)}, out...)
}

// fit reports whether fields of a description fit on one line.
func fit(fields []jen.Code) bool { return len(fmt.Sprintf("%#v", jen.Values(fields...))) < nodeWidth }

// blocks prints the parts of a prompt that may be left out.
func blocks(list []plan.Block) *jen.Statement {
	return jen.Index().Add(pipe("Block")).CustomFunc(lines, func(g *jen.Group) {
		for _, b := range list {
			g.ValuesFunc(func(g *jen.Group) {
				g.Add(entry("Name", jen.Lit(b.Name)))
				g.Add(entry("Priority", jen.Lit(b.Priority)))
				if b.User {
					g.Add(entry("Message", jen.True()))
				}
				g.Add(entry("Text", prose(b.Text)))
			})
		}
	})
}

func temperature(p *plan.Prompt) *jen.Statement {
	if p.Temperature == nil {
		return nil
	}
	return jen.New(jen.Float64().Call(number(*p.Temperature)))
}

// scopes are the constants of package pipeline for the values of context but the default.
var scopes = map[string]string{"scoped": "Scoped", "ledger": "Ledger", "auto": "Fitted"}

func historyLimits(p *plan.Prompt) *jen.Statement {
	return pipe("Limits").ValuesFunc(func(g *jen.Group) {
		if p.MaxMessages > 0 {
			g.Id("Messages").Op(":").Lit(p.MaxMessages)
		}
		if p.MaxHistory > 0 {
			g.Id("Tokens").Op(":").Lit(p.MaxHistory)
		}
	})
}

func stringList(list []string) *jen.Statement {
	return jen.Index().String().ValuesFunc(func(g *jen.Group) {
		for _, s := range list {
			g.Lit(s)
		}
	})
}

// mostLiterals is how many literals a text has at most: go/printer takes the square of their number.
const mostLiterals = 500

// prose is a text with a line of code for each of its lines, or for several, where there are too many.
func prose(text string) *jen.Statement {
	if !strings.Contains(text, "\n") {
		return jen.Lit(text)
	}
	lines := slices.Collect(strings.Lines(text))
	var s *jen.Statement
	for some := range slices.Chunk(lines, len(lines)/mostLiterals+1) {
		literal := jen.Lit(strings.Join(some, ""))
		if s == nil {
			s = literal
			continue
		}
		s = s.Op("+").Line().Add(literal)
	}
	return s
}

// holder prints what holds calls of tools that wait for answers.
func holder() *jen.Statement { return jen.Op("&").Add(pipe("CallHolder")) }

// answerField is the field of a description for the answer, and what is in it; nil where the answer is text.
func (e *emitter) answerField(n *plan.Node, p *plan.Prompt) (string, *jen.Statement) {
	if n.Mutates {
		return "Change", e.changeSchema(n, p)
	}
	return "Output", e.outputSchema(n, p)
}

// outputSchema is the schema of a node's answer; nil where it is text.
func (e *emitter) outputSchema(n *plan.Node, p *plan.Prompt) *jen.Statement {
	named := func(name string, json *jen.Statement) *jen.Statement {
		return jen.Op("&").Qual(chatPath, "Schema").Values(jen.Id("Name").Op(":").Lit(name), jen.Id("JSON").Op(":").Add(json))
	}
	switch {
	case n.Kind.Chooses:
		return named("route", pipe("RouteSchema").CallFunc(func(g *jen.Group) {
			for _, v := range n.Choices.Goto.Values {
				g.Lit(v.Name)
			}
		}))
	case n.Kind.Judges:
		return named("verdict", pipe("ReviewSchema"))
	case n.Out == nil || n.Out.Kind == resolve.String:
		return nil
	case len(n.Choices.Rejects) > 0:
		return named(p.Answer, jen.Op("`"+string(schema.Routed(n.Out, routesOf(n)))+"`"))
	case n.Out.Kind == resolve.Union:
		return named(p.Answer, jen.Qual(n.Out.Import, plan.NamesOf(n.Out).Schema).Call())
	}
	return named(p.Answer, goType(n.Out).Values().Dot("JSONSchema").Call())
}

// routesOf lists what a model may choose from for route fields of type string.
func routesOf(n *plan.Node) map[string][]string {
	routes := map[string][]string{}
	for _, r := range n.Choices.Rejects {
		routes[r.Field.Name] = r.Offered
	}
	return routes
}

func processor(p plan.Processor) *jen.Statement {
	switch {
	case p.Most > 0:
		return pipe(p.Func).Call(jen.Lit(p.Most))
	case len(p.Keys) > 0:
		return pipe(p.Func).Call(literals(p.Keys)...)
	case p.Func != "":
		return pipe(p.Func)
	}
	return jen.Id("m").Dot("handlers").Dot(p.Method)
}
