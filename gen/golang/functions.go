package golang

import (
	"fmt"
	"iter"
	"slices"
	"text/template"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/gen/schema"
	"github.com/graphgen/graphgen/gen/view"
	"github.com/graphgen/graphgen/spec/resolve"
)

// functions are what text templates call, besides methods of the plan.
func (e *emitter) functions() template.FuncMap {
	return template.FuncMap{
		"m": func() *plan.Machine { return e.m }, "hole": e.hole, "qual": imported,

		// texts of authors
		"comment": comment, "lined": lined, "text": said, "literals": literals,
		"lit": func(value any) *jen.Statement { return jen.Lit(value) },

		// names
		"choiceConstants": choiceConstants, "choiceNames": choiceNames, "constant": constant, "enumerate": enumerate, "fieldNames": fieldNames,
		"fieldsOf": fieldsOf, "namesOf": plan.NamesOf, "nodeConstants": e.nodeConstants, "nodeNames": nodeNames, "place": place, "used": used,
		"valueNames": valueNames,
		"flagName":   func() string { return plan.FlagName },
		"nodeID":     func(name string) (*jen.Statement, error) { return of(name, e.nodeID) },
		"version":    func(name string) (*jen.Statement, error) { return imported("ggversions", name) },

		// types, and values of them
		"constants": constants, "counted": counted, "gotype": goType, "handed": handed, "nameOf": nameOf, "zero": zero,
		"adapter":     func(m plan.Method) bool { return m == plan.Adapter },
		"generated":   func(m plan.Method) bool { return m == plan.Generated },
		"isText":      func(t *resolve.Type) bool { return t.Kind == resolve.String },
		"isUnion":     func(t *resolve.Type) bool { return t.Kind == resolve.Union },
		"enumNumber":  func(t *resolve.Type) *jen.Statement { return enumNumber(jen.Id("v"), t) },
		"marshaler":   func(value string, t *resolve.Type) (*jen.Statement, error) { return at(value, t, marshaler) },
		"unmarshaler": func(pointer string, t *resolve.Type) (*jen.Statement, error) { return at(pointer, t, unmarshaler) },
		"reader":      func(t *resolve.Type) *jen.Statement { return reader(t, limits{}) },
		"writer":      func(t *resolve.Type) *jen.Statement { return writer(t, limits{}) },
		"schema":      func(t *resolve.Type) *jen.Statement { return backquoted(schema.Of(t)) },
		"returned":    func(t *resolve.Type) *jen.Statement { return backquoted(schema.Returned(t)) },

		// the machine
		"given": given, "initialState": e.initialState, "keyed": e.keyed, "parts": e.parts, "subgraphs": e.subgraphs, "what": what,
		"counters":    func() int { return len(e.m.Flow.Transitions) + len(e.m.Flow.Nodes) + 1 },
		"description": func() *jen.Statement { return backquoted(view.Of(e.m).JSON()) },
		"guards":      func() []guardMethod { return guardsOf(e.m) },
		"processors":  func() []processorMethod { return processorsOf(e.m) },
		"handlers":    func() iter.Seq2[*plan.Node, *plan.Handler] { return plan.Works[*plan.Handler](e.m) },
		"humans":      func() iter.Seq2[*plan.Node, *plan.Human] { return plan.Works[*plan.Human](e.m) },
		"pools":       func() iter.Seq2[*plan.Node, *plan.Pool] { return plan.Works[*plan.Pool](e.m) },
		"partBits":    func() int { return plan.PartBits },

		// nodes, and what they run
		"atOnce": atOnce, "attempt": statements(e.attempt), "call": e.call, "cases": statements(e.cases), "clipped": e.clipped, "clipper": e.clipper,
		"conditionCall": conditionCall, "directed": e.directed, "entryPick": entryPick, "follow": statements(follow), "gives": gives, "input": e.input,
		"join": statements(e.join), "mergeField": statements(e.mergeField), "openRefusals": openRefusals, "ownState": e.ownState, "passed": passed,
		"policy": policy, "policyOf": policyOf, "resultTypes": resultTypes, "results": resultsOf, "waits": waits,
		"handling":   func(n *plan.Node, h *plan.Handler) *jen.Statement { return e.handling(n, h, jen.Id("ctx")) },
		"isTerminal": func(p *plan.Pool, r *plan.Region) bool { return slices.Contains(p.Terminal, r) },
		"last":       func(nodes []*plan.Node) *plan.Node { return nodes[len(nodes)-1] },

		// prompts and tools
		"argument": argument, "callerValue": e.callerValue, "lacking": lacking, "placed": statements(placed), "processor": processor, "specs": specs,
		"toolMethod": e.toolMethod, "toolTable": toolTable, "verdicts": statements(e.verdicts),
		"one":     func(t *plan.Tool) []*plan.Tool { return []*plan.Tool{t} },
		"waiting": func() []*plan.Tool { return slices.Concat(e.m.Humans.Held, e.m.Clients()) },

		// mutations, threads, versions, workflows
		"apart": e.apart, "cachedCell": e.cachedCell, "cell": cell, "distant": e.distantMethods, "listing": listing, "migrationMethods": migrationMethods,
		"update": statements(e.update), "workflowAnswers": e.workflowAnswers, "workflowGiven": e.workflowGiven,
		"workflowParts": e.workflowParts, "writeOut": statements(e.writeOut),
	}
}

// imported is a name of a package that text templates may name.
func imported(pkg, name string) (*jen.Statement, error) {
	path, ok := importPaths[pkg]
	if !ok || !isName(name) {
		return nil, fmt.Errorf("no name of a package: %s.%s", pkg, name)
	}
	return jen.Qual(path, name), nil
}

// of applies a function to a name.
func of(name string, as func(*jen.Statement) *jen.Statement) (*jen.Statement, error) {
	value, err := place(name)
	if err != nil {
		return nil, err
	}
	return as(value), nil
}

// at applies a function to a variable of a type.
func at(variable string, t *resolve.Type, as func(*jen.Statement, *resolve.Type) *jen.Statement) (*jen.Statement, error) {
	value, err := place(variable)
	if err != nil {
		return nil, err
	}
	return as(value, t), nil
}

// statements turns a function that prints statements into one that returns them.
func statements[T any](print func(*jen.Group, T)) func(T) *jen.Statement {
	return func(of T) *jen.Statement {
		return jen.CustomFunc(jen.Options{Separator: "\n"}, func(g *jen.Group) { print(g, of) })
	}
}

// backquoted is JSON as a raw string: packages schema and view write no backtick.
func backquoted(text []byte) *jen.Statement { return jen.Op("`" + string(text) + "`") }
