package langgraphgen

import (
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/dialect/draft"
	"github.com/graphgen/graphgen/spec/yamlread"
)

type (
	key          = yamlread.Key
	row[T any]   yamlread.Row[T]
	text         = yamlread.String
	tree         = draft.Tree
	table[T any] = yamlread.Table[T]
)

// A file is a specification as it is written. The documentation of a key is what it becomes in a graph.
type file struct {
	name, entrypoint text
	nodes            []*node
	edges            []*edge
}

type node struct{ name, id text }

type edge struct {
	from, to, condition text
	paths               tree
}

// formAny is the form of a value that is read as it is.
var formAny = &yamlread.Form{Name: "value", Expects: "a list of nodes, or a mapping of labels to nodes", Example: "[rewrite, generate]",
	Doc: "A list of nodes, or a mapping of labels to nodes."}

var fileTable = table[file]{
	Name: "specification", Noun: "a specification",
	Doc: "The file itself.",
	Rows: yamlread.Rows([]row[file]{
		{key{Name: "name", Form: spec.FormName, Doc: "`graph`. Without it the graph has the name of the file."}, func(f *file) any { return &f.name }},
		{key{Name: "entrypoint", Form: spec.FormName, Doc: "`entry`."}, func(f *file) any { return &f.entrypoint }},
		{key{Name: "nodes", Form: spec.FormNodes, Of: "node", Required: true,
			Doc: "Nodes of kind func: each is a method of the handlers. The file has no state; every handler is given all of it."},
			func(f *file) any { return &f.nodes }},
		{key{Name: "edges", Form: spec.FormEdges, Of: "edge", Required: true,
			Doc: "Edges. Several from one node, which run their nodes concurrently, become a node of kind parallel."}, func(f *file) any { return &f.edges }},
	}),
}

var nodeTable = table[node]{
	Name: "node", Noun: "a node",
	Doc: "An entry of `nodes`.",
	Rows: yamlread.Rows([]row[node]{
		{key{Name: "name", Form: spec.FormName, Required: true,
			Doc: "The name of the node. A text that is not a name becomes one: `Node 1` becomes `node_1`."}, func(n *node) any { return &n.name }},
		{key{Name: "id", Form: spec.FormName, Doc: "Left out: the name is used."}, func(n *node) any { return &n.id }},
	}),
}

var edgeTable = table[edge]{
	Name: "edge", Noun: "an edge",
	Doc: "An entry of `edges`.",
	Rows: yamlread.Rows([]row[edge]{
		{key{Name: "from", Form: spec.FormName, Required: true, Doc: "`from`. `__start__` is where the graph begins: its edge is `entry`."},
			func(e *edge) any { return &e.from }},
		{key{Name: "to", Form: spec.FormName, Doc: "`to`; `__end__` is `end`."}, func(e *edge) any { return &e.to }},
		{key{Name: "condition", Form: spec.FormName,
			Doc: "A branch table: the handler of `from` returns a label. The handler of `__start__` is a node of its own."},
			func(e *edge) any { return &e.condition }},
		{key{Name: "paths", Form: formAny, Doc: "`branch`: the labels of the table, which are the names of the nodes if there are none."},
			func(e *edge) any { return &e.paths }},
	}),
}

// own reads values to places of this package.
func own(r *yamlread.Reader, v *tree, k *yamlread.Key, to any) bool {
	switch to := to.(type) {
	case *[]*node:
		*to = yamlread.Items(r, v, k, &nodeTable)
	case *[]*edge:
		*to = yamlread.Items(r, v, k, &edgeTable)
	default:
		return false
	}
	return true
}
