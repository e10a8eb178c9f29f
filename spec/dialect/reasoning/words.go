package reasoning

import (
	"slices"

	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A nodeType is a type of node of the format.
type nodeType struct {
	name, kind string
	doc        string // what it becomes
}

// types are the types of nodes.
var types = []nodeType{
	{"prompt", "prompt", "A node of kind prompt."},
	{"think", "prompt", brickDoc}, {"observe", "prompt", brickDoc}, {"reflect", "prompt", brickDoc}, {"critique", "prompt", brickDoc},
	{"justify", "prompt", brickDoc}, {"plan", "prompt", brickDoc}, {"synthesize", "prompt", brickDoc}, {"validate", "prompt", brickDoc},
	{"tool", "tool", "A node of kind tool, where an edge with the condition `tool_called` leads to it; elsewhere a handler in Go, with a warning."},
	{"router", "router", "A node of kind router, which asks the model."},
	{"guard", "guard", "A node of kind guard with a handler in Go: a file has no guards."},
	{"parallel", "parallel", "A node of kind parallel, with a branch for each node."},
	{"fan_out", "parallel", "A node of kind parallel. Overrides that are texts become blocks."},
	{"loop", "loop", "A node of kind loop, and a handler that decides whether it is done."},
	{"retry", "retry", "A node of kind retry, with `retry_on: any`."},
	{"human", "human", "A node of kind human."},
	{"transform", "transform", "A node of kind transform with a handler in Go."},
	{"subgraph", "subgraph", "A node of kind subgraph, and a spec of its own."},
	{"autonomous", "autonomous", "A node of kind autonomous."},
	{"code_action", "func", "A handler in Go, with a warning."},
	{"ref", "func", "A handler in Go, with a warning."},
}

const brickDoc = "The template of this name, with `context: full`: its instructions and its answer are from the prelude. With " +
	"instructions, an output_schema, an output_key or transitions of its own, or where an edge looks at its answer: a node of " +
	"kind prompt with the instructions and the typed answer of this type."

// kindOf returns the kind of node that a type becomes. A type that is not of the format is a handler.
func kindOf(typ string) string {
	for _, t := range types {
		if t.name == typ {
			return t.kind
		}
	}
	return "func"
}

// typeNames returns the names of the types that become a kind, of all types for "".
func typeNames(kind string) []string {
	var names []string
	for _, t := range types {
		if kind == "" || t.kind == kind {
			names = append(names, t.name)
		}
	}
	return names
}

// A flagUse is what becomes of a flag.
type flagUse uint8

const (
	kept      flagUse = iota // the same flag
	ofModels                 // the same flag, on a node that asks a model
	elsewhere                // a key of the node or of the graph
	dropped                  // nothing
)

// A flag is a flag of the format.
type flag struct {
	name string
	as   flagUse
	doc  string
}

// flags are the flags of nodes.
var flags = []flag{
	{"entry", elsewhere, "`entry` of the graph, where the file has none."},
	{"terminal", elsewhere, "The flag `terminal`; edges that leave the node are left out, with a note."},
	{"inject_tools", elsewhere, "The flag `inject_tools`."},
	{"critical", kept, same}, {"skip_on_error", kept, same}, {"retryable", kept, same}, {"requires_human", kept, same}, {"parallel_safe", kept, same},
	{"cacheable", kept, same}, {"isolated_context", kept, same},
	{"no_history", ofModels, same}, {"lightweight", ofModels, same}, {"summarize_output", ofModels, same},
	{"observable", ofModels, same}, {"verbose", ofModels, same},
	{"readonly", dropped, "Left out: a node writes what its `writes` name."},
	{"stateful", dropped, "Left out, likewise."},
	{"validate_output", dropped, "Left out: an answer has to fit its type."},
}

const same = "The same flag."

func flagOf(name string) *flag {
	i := slices.IndexFunc(flags, func(f flag) bool { return f.name == name })
	if i < 0 {
		return nil
	}
	return &flags[i]
}

// listings are the tables of types and flags for the reference.
func listings() []draft.Words {
	t, f := draft.Words{Title: "types of nodes"}, draft.Words{Title: "flags"}
	for _, row := range types {
		t.Rows = append(t.Rows, yamlread.Word{Name: row.name, Doc: row.doc})
	}
	for _, row := range flags {
		f.Rows = append(f.Rows, yamlread.Word{Name: row.name, Doc: row.doc})
	}
	return []draft.Words{t, f}
}
