package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/gen/golang"
	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// pkg is the name of the package of the scenarios.
const pkg = "scenarios"

// testName is the name of its test file.
const testName = "scenarios_test.go"

// emit returns the files of the package that runs the scenarios of some graphs: the machines as
// they ship, the types that they share, and a test file with scripted handlers.
func emit(machines, shared []*plan.Machine, l linked) ([]golang.File, error) {
	var files []golang.File
	for _, m := range slices.Concat(machines, shared) {
		made, err := golang.Emit(m)
		if err != nil {
			return nil, err
		}
		files = append(files, made...)
	}
	return append(files, golang.File{Name: testName, Content: []byte(testFile(machines, l))}), nil
}

// linked has the import paths of packages that are linked with the scenarios; an empty one is not.
type linked struct{ probe, driver, queue string }

// testFile returns the test that runs the plan. It is deleted after the run. Its names have
// underscores, which no name of a generated machine has.
func testFile(machines []*plan.Machine, l linked) string {
	c := cast{driven: l.driver != ""}
	for _, m := range machines {
		c.enlist(m, "", "")
	}
	var imports []resolve.Import
	for _, one := range c.list {
		_, named := words(one.m)
		imports = slices.Concat(imports, named, signatures(one.m), agentImports(one.m))
		if one.path != "" {
			imports = append(imports, resolve.Import{Path: one.path, Name: strings.TrimSuffix(one.qualifier, ".")})
		}
	}
	probes := ""
	if l.probe != "" {
		imports = append(imports, resolve.Import{Path: l.probe, Name: "probe_"})
		probes = ", probe_.Probe"
	}
	if l.driver != "" {
		imports = append(imports, resolve.Import{Path: l.driver, Name: "driver_"})
	}
	if l.queue != "" && slices.ContainsFunc(machines, func(m *plan.Machine) bool { return m.Threads.Durable }) {
		imports = append(imports, resolve.Import{Path: l.queue, Name: "queue_"})
	}
	var b strings.Builder
	b.WriteString(`package ` + pkg + `

import (
	"context"
	"testing"

	` + goname.Mutation + ` "github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/scenario/harness"
` + importLines(imports) + `)

const _ = harness.Protocol1

var _ context.Context

var _ ` + goname.Mutation + `.Change

func Test_(t *testing.T) {
	harness.Main(t, map[string]func(*harness.Script) error{
`)
	for i, m := range machines {
		fmt.Fprintf(&b, "\t\t%q: run_%d,\n", m.Stem, i)
	}
	b.WriteString("\t}" + probes + ")\n}\n")
	for i, m := range machines {
		fmt.Fprintf(&b, "\nfunc run_%d(s *harness.Script) error {\n", i)
		one := c.enlist(m, "", "")
		if known := one.words(); len(known) > 0 {
			fmt.Fprintf(&b, "\ts.Knows(%s)\n", strings.Join(known, ", "))
		}
		queued := l.queue != "" && m.Threads.Durable
		if queued {
			b.WriteString("\tvar q *queue_.Queue\n\tif s.Queued() {\n\t\tvar err error\n\t\tif q, err = queue_.Open(); err != nil {\n" +
				"\t\t\treturn err\n\t\t}\n\t\ts.InQueue(q)\n\t}\n")
		}
		fmt.Fprintf(&b, "\tm, err := make_%d(s)\n", one.number)
		if l.driver != "" {
			fmt.Fprintf(&b, "\tif s.OnEngine() {\n\t\tg, problem := engine_%d(s)\n\t\tm, err = g.Machine(), problem\n", one.number)
			b.WriteString("\t\ts.Use(driver_.Engine(g))\n\t}\n")
		}
		b.WriteString("\tif err == nil {\n")
		writeHumans(&b, m)
		if m.Threads.Durable {
			b.WriteString("\t\tharness.Threads(s, m.Thread)\n\t\tharness.Relayed(s, m.Durable().Relay)\n")
		}
		if queued {
			b.WriteString("\t\tif s.Queued() {\n\t\t\tqueue_.Work(q, harness.Called(s, m))\n\t\t}\n")
		}
		fmt.Fprintf(&b, "\t\tharness.Run[%s](s, m.Run, m.Stream)\n\t}\n\treturn err\n}\n", m.Names.StateType)
	}
	for _, one := range c.list {
		one.write(&b)
	}
	return b.String()
}

// writeHandlers writes the methods of a graph's handlers. The qualifier is the qualifier of its package.
func writeHandlers(b *strings.Builder, m *plan.Machine, receiver, qualifier string) {
	guards := map[string]bool{}
	for _, n := range m.Flow.Nodes {
		if h, is := n.Work.(*plan.Handler); is {
			writeHandler(b, m, n, h, receiver, qualifier)
		}
		for _, g := range n.Checks.Guards {
			if g.Judge == "" && !guards[g.Method] {
				guards[g.Method] = true
				params, given := "_ "+n.Out.Go(), "nil"
				if g.In != nil {
					params, given = "in "+g.In.Go()+", "+params, "&in"
				}
				fmt.Fprintf(b, "\nfunc (h %s) %s(ctx context.Context, %s) error { return h.Script.Guard(ctx, %q, %s) }\n",
					receiver, g.Method, params, g.Name, given)
			}
		}
	}
	for _, merge := range m.Types.Merges {
		fmt.Fprintf(b, "\nfunc (h %s) %s(have, add %s) %[3]s { return harness.Merge(h.Script, %[4]q, %[5]q, have, add) }\n",
			receiver, merge.Method, merge.Field.Type.Go(), m.Name, merge.Field.Name)
	}
}

// writeHandler writes the method of a node. It passes its arguments and results to the script.
func writeHandler(b *strings.Builder, m *plan.Machine, n *plan.Node, h *plan.Handler, receiver, qualifier string) {
	var params, results, call []string
	add := func(list *[]string, name, goType, field, value string) {
		*list = append(*list, name+" "+goType)
		call = append(call, field+": "+value)
	}
	if !n.Kind.Pure {
		add(&params, "ctx", "context.Context", "Context", "ctx")
	}
	switch {
	case n.In != nil:
		add(&params, "in", n.In.Go(), "In", "&in")
	case h.Snapshots():
		add(&params, "in", "*"+m.Types.State.Go(), "In", "in")
		if n.Out == nil {
			call = append(call, "Out: in")
		}
	case h.TakesState:
		add(&params, "in", m.Types.State.Go(), "In", "&in")
	}
	if n.Out != nil {
		add(&results, "out", n.Out.Go(), "Out", "&out")
	}
	if n.Choices.Goto != nil {
		add(&results, "to", qualifier+n.Choices.Goto.GoName, "Goto", "&to")
	}
	if n.Choices.Branch != nil {
		add(&results, "label", qualifier+n.Choices.Branch.GoName, "Branch", "&label")
	}
	if n.Mutates {
		changes := "&harness.Changes{To: &changes}"
		if m.Mutations.Update != nil {
			changes = "&harness.Changes{To: &changes, Update: new(" + m.Mutations.Update.GoName + ")}"
		}
		add(&results, "changes", "[]"+goname.Mutation+".Change", "Changes", changes)
	}
	names := make([]string, len(results))
	for i, r := range results {
		names[i], _, _ = strings.Cut(r, " ")
	}
	results = append(results, "err error")
	call = append([]string{"Graph: " + strconv.Quote(m.Name), "Node: " + strconv.Quote(n.Name)}, call...)
	fmt.Fprintf(b, "\nfunc (h %s) %s(%s) (%s) {\n", receiver, n.GoName, strings.Join(params, ", "), strings.Join(results, ", "))
	fmt.Fprintf(b, "\terr = h.Script.Execute(harness.Call{%s})\n\treturn %s\n}\n",
		strings.Join(call, ", "), strings.Join(append(names, "err"), ", "))
}
