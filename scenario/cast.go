package scenario

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A cast is the machines that need handlers: the tested ones, and the machines of their subgraph nodes.
type cast struct {
	list   []*actor
	driven bool // they run on another engine too
}

// An actor is a machine with its names in the package of the scenarios.
type actor struct {
	m         *plan.Machine
	qualifier string // package name with a dot; empty: the package of the scenarios
	path      string // of that package
	number    int
	others    []*actor // in the order of its constructor
	driven    bool
}

// enlist adds a machine and those that it runs. Machines of other packages use the types of their
// packages.
func (c *cast) enlist(m *plan.Machine, path, qualifier string) *actor {
	for _, have := range c.list {
		if have.m.File == m.File && have.m.Name == m.Name && have.path == path {
			return have
		}
	}
	one := &actor{m: m, path: path, number: len(c.list), driven: c.driven}
	if path != "" {
		one.qualifier = qualifier + "."
		qualify(m, path, qualifier)
	}
	c.list = append(c.list, one)
	for _, o := range m.Children.Others {
		inPath, inName := o.Type.Import, o.Type.Qualifier
		if inPath == "" {
			inPath, inName = path, qualifier
		}
		one.others = append(one.others, c.enlist(lower(o.Spec), inPath, inName))
	}
	return one
}

// all returns the actor and those that it runs, at any depth.
func (m *actor) all() []*actor {
	list := []*actor{m}
	for _, o := range m.others {
		for _, inner := range o.all() {
			if !slices.Contains(list, inner) {
				list = append(list, inner)
			}
		}
	}
	return list
}

// words returns the constants that the harness needs of the types of the machines.
func (m *actor) words() (args []string) {
	for _, one := range m.all() {
		known, _ := words(one.m)
		for _, arg := range known {
			if !slices.Contains(args, arg) {
				args = append(args, arg)
			}
		}
	}
	return args
}

// write writes the handlers and tools of a machine, and its constructor.
func (m *actor) write(b *strings.Builder) {
	handlers, tools := fmt.Sprint("handlers_", m.number), fmt.Sprint("tools_", m.number)
	fmt.Fprintf(b, "\ntype %s struct{ *harness.Script }\n\ntype %s struct{ *harness.Script }\n", handlers, tools)
	m.constructor(b, handlers, tools, "make", m.m.GoName, m.m.Names.New)
	if m.driven {
		m.constructor(b, handlers, tools, "engine", m.m.Names.Workflow, m.m.Names.NewWorkflow)
	}
	writeHandlers(b, m.m, handlers, m.qualifier)
	writeProcessors(b, m.m, handlers)
	writeTools(b, m.m, tools)
}

// constructor writes the function that makes the machine, or the machine on another engine.
func (m *actor) constructor(b *strings.Builder, handlers, tools, function, typ, name string) {
	fmt.Fprintf(b, "\nfunc %s_%d(s *harness.Script) (*%s%s, error) {\n", function, m.number, m.qualifier, typ)
	var args []string
	if m.m.Handled() {
		args = append(args, handlers+"{s}")
	}
	if len(m.m.Methods()) > 0 {
		args = append(args, tools+"{s}")
	}
	if m.m.Models.Asked {
		args = append(args, "s.Model()")
	}
	for i, o := range m.others {
		fmt.Fprintf(b, "\to%d, err := %s_%d(s)\n\tif err != nil {\n\t\treturn nil, err\n\t}\n", i, function, o.number)
		args = append(args, fmt.Sprint("o", i))
	}
	switch {
	case name != m.m.Names.New:
		args = append(args, "driver_.Options(s.Light(), s.Boxes(), s.ToChildren())...")
	case m.m.Threads.Durable:
		args = append(args, "s.Kept()...")
	}
	fmt.Fprintf(b, "\treturn %s%s(%s)\n}\n", m.qualifier, name, strings.Join(args, ", "))
}

// qualify qualifies the types of a machine with its package.
func qualify(m *plan.Machine, path, qualifier string) {
	seen := map[*resolve.Type]bool{}
	var walk func(t *resolve.Type)
	walk = func(t *resolve.Type) {
		if t == nil || seen[t] {
			return
		}
		seen[t] = true
		switch t.Kind {
		case resolve.Struct, resolve.Enum, resolve.Union:
			if t.Import == "" {
				t.Import, t.Qualifier = path, qualifier
			}
		}
		walk(t.Elem)
		for _, f := range t.Fields {
			walk(f.Type)
		}
		for _, v := range t.Variants {
			walk(v.Type)
		}
	}
	for _, t := range slices.Concat(m.Types.Declared, []*resolve.Type{m.Types.State, m.Types.Input, m.Types.Output}) {
		walk(t)
	}
	for _, n := range m.Flow.Nodes {
		walk(n.In)
		walk(n.Out)
	}
	for _, t := range m.Models.Tools {
		walk(t.Args)
		walk(t.Returns)
	}
}
