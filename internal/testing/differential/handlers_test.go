package differential

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/goname"
)

// handlers writes the scripted handlers of a graph: each takes the next entry of its
// script and does what that says.
func handlers(s *shapes) string {
	var b strings.Builder
	t := strings.ToLower(s.goName)
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("type %s struct{ *scriptdriver.Player }\n", t)
	for _, n := range s.nodes {
		if n.handled() {
			s.handler(line, t, n)
		}
		s.guards(line, t, n)
	}
	for _, tool := range s.Tools {
		if !tool.Client.V {
			s.tool(line, t, tool)
		}
	}
	for _, f := range s.state.fields {
		if f.merge == "custom" {
			line("func (h *%s) Merge%s(have, add %s) %s { return 3*have + add }\n", t, f.goName, f.golang(), f.golang())
		}
	}
	return b.String()
}

// runner writes the function that makes a run of a graph's machine.
func runner(s *shapes, m *plan.Machine) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	given := parts(m, "&"+strings.ToLower(s.goName)+"{p}")
	line("func run%s(p *scriptdriver.Player) {\n\tvar in %[1]sInput", s.goName)
	option := "graphgen.Option"
	if s.Durable.V {
		option = "thread.Option"
	}
	line("\tmade := func(in ...%s) *%s {", option, s.goName)
	if s.runsInner() {
		line("\t\tinner, _ := New%s(%s)", s.inner.goName,
			strings.Join(parts(plan.Lower(cfg.Of(s.inner.Graph), m.Package), "&"+strings.ToLower(s.inner.goName)+"{p}"), ", "))
		given = append(given, "inner")
	}
	line("\t\tm, _ := New%s(%s)\n\t\treturn m\n\t}", s.goName, strings.Join(append(given, "in..."), ", "))
	line("\tp.Input(%s)", strings.Join(pairs("&in", s.pick(s.Input)), ", "))
	output := pairs("out", s.pick(s.Output))
	if s.Limits.OnMaxSteps.V == "flag" {
		output = append(output, `"flag", out.MaxStepsReached`)
	}
	line("\ttype call func(context.Context, ...graphgen.CallOption) (%sOutput, error)", s.goName)
	line("\tof := func(do call) scriptdriver.Call {\n\t\treturn func(ctx context.Context, to *scriptdriver.Ended, opts ...graphgen.CallOption) {")
	line("\t\t\tvar s %sState\n\t\t\tout, err := do(ctx, append(opts, graphgen.WithFinalState(&s))...)", s.goName)
	line("\t\t\tto.Returned(%s, scriptdriver.Dump(%s), err, s, out)\n\t\t}\n\t}",
		dump("s", s.state.fields), strings.Join(output, ", "))
	calls := func(call string) string {
		return "of(func(ctx context.Context, opts ...graphgen.CallOption) (" + s.goName + "Output, error) { return " + call + " })"
	}
	line("\tm := made()\n\tstart := %s", calls("m.Run(ctx, in, scriptdriver.Running(opts)...)"))
	line("\tif p.Streams() {\n\t\tstart = %s\n\t}", calls("scriptdriver.Events(p, m.Stream(ctx, in, scriptdriver.Running(opts)...))"))
	if s.Durable.V {
		line("\tif threads, durable := p.Threads(); durable {\n\t\tstart = %s\n\t}", calls("scriptdriver.InThread(p, "+
			"func(t string) ("+s.goName+"Output, error) { return made(threads).Thread(t).Start(ctx, in, scriptdriver.Running(opts)...) },"+
			"func(t string) ("+s.goName+"Output, error) { return made(threads).Thread(t).Recover(ctx, opts...) })"))
	}
	if !m.Pauses() {
		line("\tp.Play(start, nil, nil)\n}")
		return b.String()
	}
	line("\tmethods := func(m *%s) *scriptdriver.Methods {", s.goName)
	resume := fmt.Sprintf("func(at *graphgen.Pause, a graphgen.Answer[%s]) scriptdriver.Call {\n\t\t\treturn %%s\n\t\t}", s.goName)
	streamed := "scriptdriver.Events(p, graphgen.NewStream(ctx, func(ctx context.Context, events graphgen.Option) (" + s.goName +
		"Output, error) { return m.Resume(ctx, at, a, scriptdriver.Resuming(append(opts, events))...) }))"
	line("\t\tresume := "+resume, calls("m.Resume(ctx, at, a, scriptdriver.Resuming(opts)...)"))
	line("\t\tevents := "+resume, calls(streamed))
	line("\t\treturn scriptdriver.MethodsOf(resume, events, map[string]func(scriptdriver.Entry) graphgen.Answer[%s]{", s.goName)
	for _, a := range s.answers(m) {
		line("\t\t\t%q: func(e scriptdriver.Entry) graphgen.Answer[%s] {\n%s\t\t\t\treturn %s(%s)\n\t\t\t},", a.to, s.goName, a.made, a.function, a.value)
	}
	line("\t\t})\n\t}\n\tp.Play(start, methods(m), methods(made()))\n}")
	return b.String()
}

// A typedAnswer is a function that makes answers to requests.
type typedAnswer struct {
	to       string // as scriptdriver.Methods has it
	function string
	made     string // the code that makes the value of an entry
	value    string
}

// answers lists the functions of a machine that make answers.
func (s *shapes) answers(m *plan.Machine) (list []typedAnswer) {
	if m.Humans.Continues {
		list = append(list, typedAnswer{function: "Continue" + s.goName})
	}
	node := func(of *shapes, path, function string, replies bool) {
		a := typedAnswer{to: path, function: function, value: "e.Decision()"}
		if replies {
			out := of.node(path[strings.LastIndex(path, "/")+1:]).out
			a.made = "\t\t\t\tvar v " + out.golang() + "\n\t\t\t\te.Fill(" + strings.Join(outPairs("&v", out), ", ") + ")\n"
			a.value = "v"
		}
		list = append(list, a)
	}
	tool := func(of *shapes, within string, t *plan.Tool) {
		a := typedAnswer{to: within + ":" + t.Name, function: t.Answer, value: "e.Returned()"}
		if t.Client != nil {
			a.function = t.Client.Answer
		} else {
			args := of.goName + goname.Exported(t.Name) + "Args"
			a.value = fmt.Sprintf("scriptdriver.Approval(e, %q, func(q string) %s { return %[2]s{Query: q} })", t.Name, args)
		}
		list = append(list, a)
	}
	for _, n := range m.Flow.Nodes {
		if h := n.Asked(); h != nil {
			node(s, n.Name, h.Answer, h.Reply != "")
		}
	}
	for _, h := range m.Humans.NestedHumans {
		node(s.inner, h.Path, h.Answer, h.Out != nil)
	}
	for _, t := range append(slices.Clone(m.Humans.Held), m.Clients()...) {
		tool(s, "", t)
	}
	for _, t := range m.Humans.NestedCalls {
		tool(s.inner, t.Path, t.Tool)
	}
	return list
}

func (s *shapes) handler(line func(string, ...any), t string, n *nodeShape) {
	var params []string
	ctx, given := "ctx", `""`
	if n.kind == "transform" {
		ctx = "nil"
	} else {
		params = append(params, "ctx context.Context")
	}
	switch {
	case n.reads:
		params = append(params, "in "+s.goName+n.goName+"In")
		given = dump("in", n.in)
	case n.takesState && n.byValue:
		params = append(params, "s "+s.goName+"State")
		given = dump("s", s.state.fields)
	case n.takesState:
		params = append(params, "s *"+s.goName+"State")
		given = dump("s", s.state.fields)
	}
	results, values := []string{}, []string{}
	if n.out != nil {
		results, values = append(results, "out "+n.out.golang()), append(values, "out")
	}
	choice := func(kind, name string, of []string) {
		if len(of) > 0 {
			typ := s.goName + n.goName + kind
			results, values = append(results, strings.ToLower(kind)+"_ "+typ), append(values, typ+"(e."+name+")")
		}
	}
	choice("Goto", "Goto", n.choices)
	choice("Branch", "Label", n.labels)
	if n.Mutates.V {
		results, values = append(results, "mutations []mutation.Change"), append(values, "e.Mutations("+s.update()+")")
	}
	line("func (h *%s) %s(%s) (%s) {", t, n.goName, strings.Join(params, ", "), strings.Join(append(results, "err error"), ", "))
	line("\te := h.Next(%s, %q, %s, %s)", ctx, n.Name.V, s.elements(n), given)
	if n.takesState && !n.byValue {
		line("\te.Change(%s)", strings.Join(pairs("&s", s.state.fields), ", "))
	}
	if n.out != nil {
		line("\te.Fill(%s)", strings.Join(outPairs("&out", n.out), ", "))
	}
	line("\treturn %s\n}\n", strings.Join(append(values, "e.Err()"), ", "))
}

// update is the Go function that makes an update of the state.
func (s *shapes) update() string {
	if len(s.Mutations.Update) == 0 {
		return "func(func(...any)) any { return nil }"
	}
	typ := s.goName + "Update"
	return "func(fill func(...any)) any { var u " + typ + "; fill(" + strings.Join(pairs("&u", s.pick(s.Mutations.Update)), ", ") + "); return u }"
}

// elements is the Go expression that tells for which elements a handler runs.
func (s *shapes) elements(n *nodeShape) string {
	from := "s"
	if n.reads {
		from = "in"
	}
	parts := []string{`""`}
	for _, f := range n.items {
		parts = append(parts, `"@"`, "scriptdriver.Text("+from+"."+f.goName+")")
	}
	return strings.Join(parts, "+")
}

// parts are what a machine is made with: the player is its handlers, tools and model.
func parts(m *plan.Machine, player string) []string {
	var out []string
	if m.Handled() {
		out = append(out, player)
	}
	if len(m.Models.Tools) > 0 {
		out = append(out, player)
	}
	if m.Models.Asked {
		out = append(out, "p")
	}
	return out
}

// tool writes a tool: its one argument, if it has any, says what it does.
func (s *shapes) tool(line func(string, ...any), t string, tool *spec.ToolDecl) {
	name := goname.Exported(tool.Name.V)
	args, query := "", `""`
	if len(tool.Args) > 0 {
		args, query = ", args "+s.goName+name+"Args", "args."+goname.Exported(tool.Args[0].Name.V)
	}
	in, given := "", `""`
	if len(tool.Reads) > 0 {
		in, given = ", in "+s.goName+name+"In", dump("in", s.pick(tool.Reads))
	}
	line("func (h *%s) %s(ctx context.Context%s%s) (string, error) { return h.Tool(ctx, %q, %s, %s) }\n", t, name, in, args, tool.Name.V, query, given)
}

func (s *shapes) guards(line func(string, ...any), t string, n *nodeShape) {
	for _, g := range n.Guards {
		if g.Judge.IsSet() {
			continue
		}
		in, given := "", ""
		if name := goname.Exported(g.Name.V); len(g.Reads) > 0 {
			in, given = "in "+s.goName+name+"In, ", dump("in", s.pick(g.Reads))+"+"
		}
		line("func (h *%s) %s(ctx context.Context, %sout %s) error {", t, goname.Exported(g.Name.V), in, n.out.golang())
		line("\treturn h.Next(ctx, %q, \"\", %sscriptdriver.Dump(%s)).Err()\n}\n", g.Name.V, given, strings.Join(outPairs("out", n.out), ", "))
	}
}

// pairs lists the arguments of a Fill or a Dump: names, and the fields of a value or, with &, pointers to them.
func pairs(of string, fields []field) []string {
	var out []string
	for _, f := range fields {
		out = append(out, fmt.Sprintf("%q, %s.%s", f.name, of, f.goName))
	}
	return out
}

func outPairs(name string, out *shape) []string {
	if out.base == "struct" {
		return pairs(name, out.fields)
	}
	return []string{`"", ` + name}
}

func dump(of string, fields []field) string {
	return "scriptdriver.Dump(" + strings.Join(pairs(of, fields), ", ") + ")"
}
