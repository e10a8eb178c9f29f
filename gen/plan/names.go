package plan

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/resolve"
)

// Names are the names of what a machine has once.
type Names struct {
	NodeType, StateType, InputType, OutputType, HandlersType, ToolsType string
	ServersVar                                                          string // empty: it declares no servers

	Run, Table, Caller, Mutable, Timeout string // unexported
	New, End                             string // exported: the constructor, the constant of the end
	Thread                               string // the type of a thread; empty: the graph is not durable
	Description                          string // the graph as JSON; empty: it has none
	Workflow, NewWorkflow                string // the graph as a workflow of Temporal, and its constructor; empty: it is none
	Proxy, ToolProxy                     string // its handlers and its tools there
	Continue                             string // the answer to an interrupt; empty: runs, and those of graphs that they run, have none
}

// findNames finds the names of what the machine has once.
func (m *Machine) findNames() {
	n := &m.Names
	n.Run, n.Table, n.Caller, n.Mutable = m.Prefix+"Run", m.Prefix+"Graph", m.Prefix+"Caller", m.Prefix+"Mutable"
	n.Timeout, n.New, n.End = m.Prefix+"Timeout", "New"+m.GoName, m.GoName+"End"
	if m.Threads.Durable {
		n.Thread = m.GoName + "Thread"
	}
	if m.Serves {
		n.Description = m.Prefix + "Description"
	}
	if m.Temporal {
		n.Workflow, n.NewWorkflow = workflowOf(m.GoName), "New"+workflowOf(m.GoName)
		n.Proxy, n.ToolProxy = m.Prefix+"Proxy", m.Prefix+"ToolProxy"
	}
	if m.Humans.Continues {
		n.Continue = "Continue" + m.GoName
	}
	if m.Mutations != nil && m.HandlersMutate() {
		m.nameMutations()
	}
}

// workflowOf returns the name of a machine as a workflow of Temporal.
func workflowOf(machine string) string { return machine + "Temporal" }

// nameMutations names the constructors of the mutations that handlers may ask for.
func (m *Machine) nameMutations() {
	m.Mutations.Make = map[string]string{}
	for _, action := range spec.Actions {
		if m.Mutations.Allows(action.Name) && (action.Name != "retry_with" || m.Mutations.Update != nil) {
			m.Mutations.Make[action.Name] = m.GoName + goname.Exported(action.Name)
		}
	}
	if m.Mutations.Allows("add_node") {
		for _, t := range m.Mutations.Templates {
			t.Shape.Add = m.GoName + "Add" + t.GoName
		}
	}
}

// The fields and methods of the generated run and machine that every graph may have. What a node adds gets another name.
var (
	OfRun = []string{
		"Run", "state", "tentative", "cache", "conversation", "results", "counters", "delta", "forked", "frame", "child", "commitChild", "view",
		"stateCells", "dynamic", "written", "View", "Place", "Cells", "Secrets",
	}
	OfMachine = []string{
		"handlers", "options", "model", "tools", "loop", "run", "merge", "branches", "proceed", "caller", "change", "askDynamic", "writeDynamic",
		"Run", "Stream", "Resume", "Thread", "Threads", "Durable", "Describe",
	}
)

// members are the names of the fields and methods of a generated type. A machine finds them while it is lowered.
type members map[string]bool

func newMembers(own []string) members {
	m := members{}
	for _, name := range own {
		m[name] = true
	}
	return m
}

// free returns a name that no other member has, and takes it. Where another has it, the name ends in a suffix.
func (m members) free(want, suffix string) string {
	for m[want] {
		want += suffix
	}
	m[want] = true
	return want
}

// UnionNames are the names that a union gives the package that declares it.
type UnionNames struct {
	Method                 string // of its variants: what makes them its variants
	Encode, Decode, Schema string // functions
}

// NamesOf returns the names of a union.
func NamesOf(union *resolve.Type) UnionNames {
	name := union.GoName
	return UnionNames{Method: "is" + name, Encode: "Encode" + name, Decode: "Decode" + name, Schema: name + "JSONSchema"}
}

// tableName returns the name of the variable of a codec.
func tableName(t *resolve.Type) string { return goname.Unexported(t.GoName) + "JSON" }

// textName returns the name of the variable with the limits of a string.
func textName(t *resolve.Type, f *resolve.Field) string {
	return goname.Unexported(t.GoName) + f.GoName + "Text"
}
