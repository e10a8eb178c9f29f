package mutants

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"github.com/graphgen/graphgen/spec/bounds"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A unit is a machine that is written, with what plays its handlers and tools.
type unit struct {
	*plan.Machine
	number int
	title  string         // of what is played; empty: only other machines run it
	graph  *resolve.Graph // of what is played
}

// lowered are the machines of mutants that share a package.
func lowered(mutants []numbered, pkg string) (units []unit) {
	for i, m := range mutants {
		m.spec.File = m.file + ".graph.yaml"
		units = append(units, unit{plan.Lower(cfg.Of(m.spec), pkg), i, m.title(), m.graph})
	}
	return units
}

func (m numbered) title() string { return m.file + " (" + m.name + ", " + m.change + ")" }

// writeFolder writes the packages of a mutant that uses other files.
func writeFolder(t *testing.T, module *tempmodule.Module, folder string, m numbered) {
	t.Helper()
	again := load(t, m.base, folder)
	packages := map[string][]unit{}
	for i, s := range usedBy(again.spec) {
		dir := filepath.Join(folder, filepath.Dir(s.File))
		u := unit{Machine: plan.Lower(cfg.Of(s), filepath.Base(dir)), number: i}
		if i == 0 {
			u.title, u.graph = m.title(), again.graph
		}
		packages[dir] = append(packages[dir], u)
	}
	for dir, units := range packages {
		writePackage(t, module, dir, units)
	}
}

// writePackage writes the machines of a package, their stubs, and what is proved of them.
func writePackage(t *testing.T, module *tempmodule.Module, dir string, units []unit) {
	t.Helper()
	var code, list strings.Builder
	imports := []string{"\t\"context\"\n", "\t\"github.com/graphgen/graphgen/internal/testing/faultinject\"\n",
		"\t\"github.com/graphgen/graphgen\"\n",
		"\t\"github.com/graphgen/graphgen/mutation\"\n"}
	for _, u := range units {
		files, err := golang.Emit(u.Machine)
		if err != nil {
			t.Fatalf("%s: %v", u.title, err)
		}
		for _, f := range files {
			module.Write(dir+"/"+f.Name, string(f.Content))
		}
		if u.TypesOnly() {
			continue
		}
		code.WriteString(stubs(u.Machine, u.number))
		code.WriteString(maker(u))
		if u.title != "" {
			list.WriteString(entry(u))
		}
		imports = append(imports, imported(u.Machine)...)
	}
	if code.Len() == 0 {
		return
	}
	slices.Sort(imports)
	module.Write(dir+"/stubs.go", "package "+filepath.Base(dir)+"\n\nimport (\n"+strings.Join(slices.Compact(imports), "")+")\n\n"+
		"// Machines are those of this package that are played.\nvar Machines = []faultinject.Machine{\n"+list.String()+"}\n\n"+
		"var _ context.Context\nvar _ graphgen.Option\nvar _ mutation.Change\n"+code.String())
}

// entry is a machine in the list of those that are played.
func entry(u unit) string {
	proved := bounds.Of(cfg.Build(u.graph))
	words, visits := []string{}, map[string]int{}
	for _, n := range proved.Graph.Running {
		visits[n.Name()] = proved.Visits[n.Index].Most
		words = append(words, n.Name())
	}
	for _, n := range u.graph.Spec.Nodes {
		for _, tr := range n.Transitions {
			words = append(words, tr.Key.V)
		}
	}
	most := -1
	if u.Mutations != nil {
		most = u.Mutations.Max
	}
	return fmt.Sprintf("\t{Name: %q, Words: %#v, Steps: %d, AllSteps: %d, Visits: %#v, ModelCalls: %d, ToolTurns: %d, Mutations: %d, Constant: %t,\n"+
		"\t\tWithin: map[string]faultinject.Within{%s}, Table: &%sGraph,\n"+
		"\t\tRun: func(ctx context.Context, p *faultinject.Player, opts ...graphgen.RunOption) error {\n"+
		"\t\t\tm, err := Hostile%[12]s(p)\n\t\t\tif err != nil {\n\t\t\t\treturn err\n\t\t\t}\n"+
		"\t\t\tvar in %[12]sInput\n\t\t\tp.Fill(&in)\n\t\t\tp.Keep(%[14]s)\n\t\t\t_, err = m.Run(ctx, in, opts...)\n\t\t\treturn %[13]s\n\t\t}},\n",
		u.title, words, proved.Steps.Most, allSteps(u.graph, proved), visits, proved.ModelCalls.Most, proved.ToolTurns.Most, most,
		constant(u.graph, map[*resolve.Graph]bool{}), within(u.Machine), u.Prefix, u.GoName, people(u.Machine), kept(u.graph))
}

// constant reports whether the system prompts of a graph, and of those that it runs, are the author's text alone.
func constant(g *resolve.Graph, seen map[*resolve.Graph]bool) bool {
	if seen[g] {
		return true
	}
	seen[g] = true
	if g.Mutations != nil && len(g.Mutations.Spec.Kinds) > 0 {
		return false // models write the instructions of added prompts
	}
	for _, n := range g.All() {
		if n.Sub != nil && !constant(n.Sub, seen) || slices.ContainsFunc(n.Instructions, func(p resolve.Piece) bool { return p.Field != nil }) {
			return false
		}
	}
	return true
}

// kept lists the private fields of a graph's input, as arguments of a call.
func kept(g *resolve.Graph) string {
	var fields []string
	for _, f := range g.Input.Fields {
		if f.Private() {
			fields = append(fields, "&in."+f.GoName)
		}
	}
	return strings.Join(fields, ", ")
}

// plenty is a number of steps that no test waits for.
const plenty = 1 << 20

// allSteps returns the most steps of a run of a graph and of its child runs, at most plenty.
func allSteps(g *resolve.Graph, proved *bounds.Bounds) int {
	steps, own, depth := proved.Steps.Most, 0, 0
	add := func(n *resolve.Node, visits int) {
		runs := visits * cfg.Executions(n)
		switch {
		case n.Sub == nil:
		case n.Itself():
			own, depth = own+runs, max(depth, n.Spec.MaxDepth.V)
		default:
			steps = min(steps+runs*allSteps(n.Sub, bounds.Of(cfg.Build(n.Sub))), plenty)
		}
	}
	for _, n := range proved.Graph.Running {
		add(n.Spec, proved.Visits[n.Index].Most)
	}
	for _, t := range g.Templates {
		for _, n := range append(t.Children(), t) {
			add(n, proved.Steps.Most)
		}
	}
	all := min(steps, plenty)
	for range depth {
		all = min(steps+own*all, plenty)
	}
	return all
}

// within lists the nodes that others run.
func within(m *plan.Machine) string {
	var list []string
	for n, w := range plan.Works[plan.Runner](m) {
		_, branches := w.(*plan.Fork)
		for branch, region := range w.Runs().Regions {
			if !branches {
				branch = 0
			}
			for _, child := range region.Nodes {
				list = append(list, fmt.Sprintf("%q: {Host: %q, Branch: %d}", child.Name, n.Name, branch))
			}
		}
	}
	return strings.Join(list, ", ")
}

// people is the error that a machine's run ends with once people have answered.
func people(m *plan.Machine) string {
	if !m.Pauses() {
		return "err"
	}
	var list strings.Builder
	add := func(to, answer, function string) {
		fmt.Fprintf(&list, "\t\t\t\t%q: func(ctx context.Context, p *faultinject.Player, at *faultinject.Asked) error {\n"+
			"\t\t\t\t\tvar answer %s\n\t\t\t\t\tp.Fill(&answer)\n\t\t\t\t\t_, err := m.Resume(ctx, at.Pause, %s(answer).For(at.ID), p.Watching()...)\n"+
			"\t\t\t\t\treturn err\n\t\t\t\t},\n", to, answer, function)
	}
	for _, n := range m.Flow.Nodes {
		switch asked := n.Asked(); {
		case asked == nil:
		case asked.Reply != "":
			add(n.Name, n.Out.Go(), asked.Answer)
		default:
			add(n.Name, "graphgen.Decision", asked.Answer)
		}
	}
	for _, h := range m.Humans.NestedHumans {
		if h.Out == nil {
			add(h.Path, "graphgen.Decision", h.Answer)
		}
	}
	for _, t := range m.Humans.Held {
		add("tool "+t.Name, "graphgen.Approval["+t.Args.Go()+"]", t.Answer)
	}
	for _, t := range m.Clients() {
		add("tool "+t.Name, "graphgen.Returned["+t.Returns.Go()+"]", t.Client.Answer)
	}
	return "p.People(ctx, err, map[string]faultinject.Resume{\n" + list.String() + "\t\t\t}, func(ctx context.Context, p " +
		"*faultinject.Player, at *faultinject.Asked) error {\n" +
		"\t\t\t\t_, err := m.Resume(ctx, at.Pause, graphgen.AnswerJSON[" + m.GoName + "](at.ID, p.JSON(at)), p.Watching()...)\n" +
		"\t\t\t\treturn err\n\t\t\t})"
}

// maker writes the function that makes a machine, with those that it runs.
func maker(u unit) string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"\n// Hostile%[1]s makes the machine of hostile handlers, tools and models.\nfunc Hostile%[1]s(p *faultinject.Player) (*%[1]s, error) {\n", u.GoName)
	var args []string
	if u.Handled() {
		args = append(args, fmt.Sprintf("handlers%d{p}", u.number))
	}
	if len(u.Methods()) > 0 {
		args = append(args, fmt.Sprintf("tools%d{p}", u.number))
	}
	if u.Models.Asked {
		args = append(args, "p.Model()")
	}
	for i, o := range u.Children.Others {
		made := strings.TrimSuffix(o.Type.Go(), o.Type.GoName) + "Hostile" + o.Type.GoName
		fmt.Fprintf(&b, "\to%d, err := %s(p)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n", i, made)
		args = append(args, fmt.Sprintf("o%d", i))
	}
	fmt.Fprintf(&b, "\treturn New%s(%s)\n}\n", u.GoName, strings.Join(args, ", "))
	return b.String()
}

// stubs writes the handlers and the tools of a machine: each gives what its types let it give.
func stubs(m *plan.Machine, number int) string {
	var b strings.Builder
	receiver := fmt.Sprintf("handlers%d", number)
	fmt.Fprintf(&b, "\ntype %s struct{ p *faultinject.Player }\n", receiver)
	once := map[string]bool{}
	method := func(name, format string, args ...any) {
		if name != "" && !once[name] {
			once[name] = true
			fmt.Fprintf(&b, "\nfunc (h "+receiver+") "+name+format+"\n", args...)
		}
	}
	for _, n := range m.Flow.Nodes {
		if h, is := n.Work.(*plan.Handler); is {
			handler(&b, m, n, h, receiver)
		}
		for _, g := range n.Checks.Guards {
			in := ""
			if g.In != nil {
				in = g.In.GoName + ", "
			}
			method(g.Method, "(context.Context, %s%s) error { return h.p.Guard() }", in, n.Out.Go())
		}
		asks := n.Prompt()
		if asks == nil {
			continue
		}
		for _, p := range asks.Before {
			method(p.Method, "(_ context.Context, p *pipeline.Prompt) error { return h.p.Prompt(p) }")
		}
		for _, p := range asks.After {
			method(p.Method, "(_ context.Context, a *pipeline.Answer) error { return h.p.Answer(a) }")
		}
	}
	for _, merge := range m.Types.Merges {
		method(merge.Method, "(have, add %s) %[1]s { return add }", merge.Field.Type.Go())
	}
	tools(&b, m, fmt.Sprintf("tools%d", number))
	return b.String()
}

func handler(b *strings.Builder, m *plan.Machine, n *plan.Node, h *plan.Handler, receiver string) {
	var params, results, filled []string
	ctx := "context.Background()"
	if !n.Kind.Pure {
		params, ctx = append(params, "ctx context.Context"), "ctx"
	}
	switch {
	case n.In != nil:
		params = append(params, "_ "+n.In.GoName)
	case h.Snapshots():
		params = append(params, "state *"+m.Names.StateType)
		filled = append(filled, "state")
	case h.TakesState:
		params = append(params, "_ "+m.Names.StateType)
	}
	result := func(name, goType string) {
		results = append(results, name+" "+goType)
		filled = append(filled, "&"+name)
	}
	if n.Out != nil {
		result("out", n.Out.Go())
	}
	if n.Choices.Goto != nil {
		result("to", n.Choices.Goto.GoName)
	}
	if n.Choices.Branch != nil {
		result("label", n.Choices.Branch.GoName)
	}
	body := "err = h.p.Call(" + strings.Join(append([]string{ctx}, filled...), ", ") + ")\n\treturn"
	if n.Mutates {
		results = append(results, "changes []mutation.Change")
		body = "changes = h.p.Changes(" + update(m) + ")\n\t" + body
	}
	if n.Kind.Judges {
		body = "return h.p.Guard()"
	}
	fmt.Fprintf(b, "\nfunc (h %s) %s(%s) (%s) {\n\t%s\n}\n", receiver, n.GoName, strings.Join(params, ", "),
		strings.Join(append(results, "err error"), ", "), body)
}

// update is what a handler may ask to set, as the argument of a call.
func update(m *plan.Machine) string {
	if m.Mutations.Update == nil {
		return "nil"
	}
	return "&" + m.Mutations.Update.GoName + "{}"
}

func tools(b *strings.Builder, m *plan.Machine, receiver string) {
	fmt.Fprintf(b, "\ntype %s struct{ p *faultinject.Player }\n", receiver)
	for _, t := range m.Methods() {
		params := "ctx context.Context"
		if t.In != nil {
			params += ", _ " + t.In.GoName
		}
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
	for _, n := range m.Flow.Nodes {
		if _, person := n.Work.(*plan.Human); person || n.HasHandler() || len(n.Checks.Guards) > 0 {
			add(n.Out)
		}
		if p := n.Prompt(); p != nil && (slices.ContainsFunc(p.Before, own) || slices.ContainsFunc(p.After, own)) {
			lines = append(lines, "\t\"github.com/graphgen/graphgen/runtime/pipeline\"\n")
		}
	}
	for _, merge := range m.Types.Merges {
		add(merge.Field.Type)
	}
	for _, t := range m.Models.Tools {
		add(t.Returns)
	}
	for _, o := range m.Children.Others {
		add(o.Type)
	}
	return lines
}
