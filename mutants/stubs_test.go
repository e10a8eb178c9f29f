package mutants

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/resolve"
)

// entry is a mutant in the list of its package.
func entry(m numbered, machine *plan.Machine, number int) string {
	proved := bounds.Of(m.graph)
	words, visits := []string{}, map[string]int{}
	for i, n := range proved.Graph.Nodes {
		visits[n.Name] = proved.Visits[i].Most
		words = append(words, n.Name)
	}
	for _, n := range m.spec.Nodes {
		for _, tr := range n.Transitions {
			words = append(words, tr.Key.V)
		}
	}
	return fmt.Sprintf("\t{Name: %q, Words: %#v, Steps: %d, Visits: %#v, ModelCalls: %d, ToolTurns: %d,\n"+
		"\t\tRun: func(ctx context.Context, p *hostile.Player, opts ...graphrt.Option) error {\n"+
		"\t\t\tm, err := New%[7]s(%[8]s)\n\t\t\tif err == nil {\n\t\t\t\tvar in %[7]sInput\n\t\t\t\tp.Fill(&in)\n\t\t\t\t_, err = m.Run(ctx, in, opts...)\n\t\t\t}\n\t\t\treturn err\n\t\t}},\n",
		m.file+" ("+m.base+", "+m.change+")", words, proved.Steps.Most, visits, proved.ModelCalls.Most, proved.ToolTurns.Most,
		machine.GoName, strings.Join(needs(machine, number), ", "))
}

// needs are the arguments of a machine's constructor.
func needs(m *plan.Machine, number int) (args []string) {
	if m.Handled() {
		args = append(args, fmt.Sprintf("handlers%d{p}", number))
	}
	if len(m.Tools) > 0 {
		args = append(args, fmt.Sprintf("tools%d{p}", number))
	}
	if m.Models {
		args = append(args, "p.Model()")
	}
	return args
}

// stubs writes the handlers and the tools of a machine: each gives what its types let it give.
func stubs(m *plan.Machine, number int) string {
	var b strings.Builder
	receiver := fmt.Sprintf("handlers%d", number)
	fmt.Fprintf(&b, "\ntype %s struct{ p *hostile.Player }\n", receiver)
	once := map[string]bool{}
	method := func(name, format string, args ...any) {
		if name != "" && !once[name] {
			once[name] = true
			fmt.Fprintf(&b, "\nfunc (h "+receiver+") "+name+format+"\n", args...)
		}
	}
	for _, n := range m.Nodes {
		if n.HasHandler() {
			handler(&b, m, n, receiver)
		}
		for _, g := range n.Guards {
			method(g.Method, "(context.Context, %s) error { return h.p.Guard() }", n.Out.Go())
		}
		if n.Prompt == nil {
			continue
		}
		for _, p := range n.Prompt.Before {
			method(p.Method, "(_ context.Context, p *pipeline.Prompt) error { return h.p.Prompt(p) }")
		}
		for _, p := range n.Prompt.After {
			method(p.Method, "(_ context.Context, a *pipeline.Answer) error { return h.p.Answer(a) }")
		}
	}
	for _, merge := range m.Merges {
		method(merge.Method, "(have, add %s) %[1]s { return add }", merge.Field.Type.Go())
	}
	tools(&b, m, fmt.Sprintf("tools%d", number))
	return b.String()
}

func handler(b *strings.Builder, m *plan.Machine, n *plan.Node, receiver string) {
	var params, results, filled []string
	if n.Kind != "transform" {
		params = append(params, "_ context.Context")
	}
	readOnly := n.ReadOnly || n.Kind == "guard" || n.Kind == "router"
	switch {
	case n.In != nil:
		params = append(params, "_ "+n.In.GoName)
	case n.TakesState && readOnly:
		params = append(params, "_ "+m.StateType)
	case n.TakesState:
		params = append(params, "state *"+m.StateType)
		filled = append(filled, "state")
	}
	result := func(name, goType string) {
		results = append(results, name+" "+goType)
		filled = append(filled, "&"+name)
	}
	if n.Out != nil {
		result("out", n.Out.Go())
	}
	if n.Goto != nil {
		result("to", n.Goto.GoName)
	}
	if n.Branch != nil {
		result("label", n.Branch.GoName)
	}
	body := "err = h.p.Call(" + strings.Join(filled, ", ") + ")\n\treturn"
	if n.Kind == "guard" {
		body = "return h.p.Guard()"
	}
	fmt.Fprintf(b, "\nfunc (h %s) %s(%s) (%s) {\n\t%s\n}\n", receiver, n.Method, strings.Join(params, ", "), strings.Join(append(results, "err error"), ", "), body)
}

func tools(b *strings.Builder, m *plan.Machine, receiver string) {
	fmt.Fprintf(b, "\ntype %s struct{ p *hostile.Player }\n", receiver)
	for _, t := range m.Tools {
		params := "ctx context.Context"
		if len(t.Args.Fields) > 0 {
			params += ", _ " + t.Args.Go()
		}
		fmt.Fprintf(b, "\nfunc (t %s) %s(%s) (out %s, err error) {\n\terr = t.p.Tool(ctx, &out)\n\treturn\n}\n", receiver, t.Method, params, t.Returns.Go())
	}
}

// imported are the import lines of what the stubs of a machine name.
func imported(m *plan.Machine) (lines []string) {
	add := func(types ...*resolve.Type) {
		for _, t := range types {
			if t == nil {
				continue
			}
			for _, i := range t.Imports() {
				lines = append(lines, fmt.Sprintf("\t%s %q\n", i.Name, i.Path))
			}
		}
	}
	own := func(p plan.Processor) bool { return p.Method != "" }
	for _, n := range m.Nodes {
		add(n.Out)
		if p := n.Prompt; p != nil && (slices.ContainsFunc(p.Before, own) || slices.ContainsFunc(p.After, own)) {
			lines = append(lines, "\t\"github.com/graphgen/graphgen/runtime/pipeline\"\n")
		}
	}
	for _, merge := range m.Merges {
		add(merge.Field.Type)
	}
	for _, t := range m.Tools {
		add(t.Returns)
	}
	return lines
}
