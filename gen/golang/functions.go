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

		// text of authors
		"comment": comment, "lined": lined, "text": said, "lit": func(value any) *jen.Statement { return jen.Lit(value) }, "literals": literals,

		// names
		"place": place, "fieldsOf": fieldsOf, "choiceConstants": choiceConstants, "choiceNames": choiceNames, "constant": constant,
		"constants": constants, "enumerate": enumerate, "fieldNames": fieldNames, "namesOf": plan.NamesOf, "nodeConstants": e.nodeConstants,
		"nodeID":    func(name string) *jen.Statement { return e.nodeID(jen.Id(name)) },
		"nodeNames": nodeNames, "used": used, "valueNames": valueNames,

		// types and values of them
		"adapter": func(m plan.Method) bool { return m == plan.Adapter }, "counted": counted, "enumNumber": func(t *resolve.Type) *jen.Statement { return enumNumber(jen.Id("v"), t) },
		"generated": func(m plan.Method) bool { return m == plan.Generated }, "flagName": func() string { return plan.FlagName }, "gotype": goType, "handed": handed, "hasMethods": hasMethods,
		"isText":    func(t *resolve.Type) bool { return t.Kind == resolve.String },
		"isUnion":   func(t *resolve.Type) bool { return t.Kind == resolve.Union },
		"marshaler": func(value string, t *resolve.Type) (*jen.Statement, error) { return at(value, t, marshaler) }, "nameOf": nameOf,
		"reader":      func(t *resolve.Type) *jen.Statement { return reader(t, limits{}) },
		"schema":      func(t *resolve.Type) *jen.Statement { return backquoted(schema.Of(t)) },
		"unmarshaler": func(pointer string, t *resolve.Type) (*jen.Statement, error) { return at(pointer, t, unmarshaler) },
		"writer":      func(t *resolve.Type) *jen.Statement { return writer(t, limits{}) }, "zero": zero,

		// the machine
		"counters":    func() int { return len(e.m.Flow.Transitions) + len(e.m.Flow.Nodes) + 1 },
		"description": func() *jen.Statement { return backquoted(view.Of(e.m).JSON()) },
		"given":       given, "guards": func() []guardMethod { return guardsOf(e.m) },
		"handlers": func() iter.Seq2[*plan.Node, *plan.Handler] { return plan.Works[*plan.Handler](e.m) },
		"humans":   func() iter.Seq2[*plan.Node, *plan.Human] { return plan.Works[*plan.Human](e.m) }, "initialState": e.initialState,
		"partBits": func() int { return plan.PartBits }, "parts": e.parts,
		"pools":      func() iter.Seq2[*plan.Node, *plan.Pool] { return plan.Works[*plan.Pool](e.m) },
		"processors": func() []processorMethod { return processorsOf(e.m) }, "subgraphs": e.subgraphs, "what": what,

		// nodes, and what they run
		"atOnce": atOnce, "attempt": statements(e.attempt), "call": e.call, "cases": statements(e.cases), "clipped": e.clipped, "clipper": e.clipper,
		"follow": statements(follow), "conditionCall": conditionCall, "directed": e.directed, "entryPick": entryPick, "gives": gives,
		"handling": func(n *plan.Node, h *plan.Handler) *jen.Statement { return e.handling(n, h, jen.Id("ctx")) }, "input": e.input,
		"isTerminal": func(p *plan.Pool, r *plan.Region) bool { return slices.Contains(p.Terminal, r) }, "join": statements(e.join),
		"last": func(nodes []*plan.Node) *plan.Node { return nodes[len(nodes)-1] }, "mergeField": statements(e.mergeField), "openRefusals": openRefusals,
		"ownState": e.ownState, "passed": passed,
		"policy": policy, "policyOf": policyOf, "resultTypes": resultTypes, "results": resultsOf,
		"waits": waits,

		// prompts and tools
		"argument": argument, "callerValue": e.callerValue, "keyed": e.keyed, "lacking": lacking,
		"one": func(t *plan.Tool) []*plan.Tool { return []*plan.Tool{t} }, "placed": statements(placed), "processor": processor,
		"returned": func(t *resolve.Type) *jen.Statement { return backquoted(schema.Returned(t)) }, "specs": specs, "toolMethod": e.toolMethod,
		"toolTable": toolTable, "verdicts": statements(e.verdicts), "waiting": func() []*plan.Tool { return slices.Concat(e.m.Humans.Held, e.m.Clients()) },

		// mutations, threads, versions, workflows
		"apart": e.apart, "cachedCell": e.cachedCell, "cell": cell, "distant": e.distantMethods, "listing": listing,
		"migrationMethods": migrationMethods, "update": statements(e.update), "version": func(name string) *jen.Statement { return jen.Qual(versionsPath, name) },
		"workflowAnswers": e.workflowAnswers, "workflowParts": e.workflowParts, "writeOut": statements(e.writeOut),
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

// at is what a function makes of a variable of a type.
func at(variable string, t *resolve.Type, as func(*jen.Statement, *resolve.Type) *jen.Statement) (*jen.Statement, error) {
	value, err := place(variable)
	if err != nil {
		return nil, err
	}
	return as(value, t), nil
}

// statements makes a function that prints statements one that returns them.
func statements[T any](print func(*jen.Group, T)) func(T) *jen.Statement {
	return func(of T) *jen.Statement {
		return jen.CustomFunc(jen.Options{Separator: "\n"}, func(g *jen.Group) { print(g, of) })
	}
}

// backquoted is a text of ours as a literal without escapes.
func backquoted(text []byte) *jen.Statement { return jen.Op("`" + string(text) + "`") }
