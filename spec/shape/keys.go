package shape

import (
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/resolve"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// language is the language of lock files. It has one code for all that is wrong with their form.
var language = yamlread.Language{
	File:  "a lock file",
	Begin: "graphgen release writes lock files",
	Large: "a graph with so many releases needs another name",
	Next:  "a lock file is one document",
	Deep:  "graphgen release writes lock files",
	Codes: yamlread.Codes{Unknown: "GG337", Missing: "GG337", Wrong: "GG337", Unfit: "GG337", Valueless: "GG337"},
	Own:   own,
	Mappings: func() []yamlread.Mapping {
		return []yamlread.Mapping{
			lockTable.Mapping(), releaseTable.Mapping(), nodeTable.Mapping(), commandsTable.Mapping(), nodeCommandsTable.Mapping(),
		}
	},
}

type (
	key          = yamlread.Key
	row[T any]   yamlread.Row[T]
	table[T any] = yamlread.Table[T]
)

var (
	formReleases = &yamlread.Form{Name: "releases", Expects: "a list of releases", Example: "[{release: 1}]"}
	formCommands = &yamlread.Form{Name: "workflows", Expects: "a mapping", Example: "{begins: \"af\"}"}
	formNodes    = &yamlread.Form{Name: "nodes", Expects: "a mapping of node names to nodes", Example: "{draft: {kind: func}}"}
)

var lockTable = table[Lock]{
	Name: "lock file", Noun: "a lock file",
	Rows: yamlread.Rows([]row[Lock]{
		{key{Name: "graph", Form: spec.FormName, Required: true}, func(l *Lock) any { return &l.Graph }},
		{key{Name: "releases", Form: formReleases, Required: true}, func(l *Lock) any { return &l.Releases }},
	}),
}

var releaseTable = table[Release]{
	Name: "release", Noun: "a release",
	Rows: yamlread.Rows([]row[Release]{
		{key{Name: "release", Form: spec.FormInt, Required: true}, func(r *Release) any { return &r.Number }},
		{key{Name: "shape", Form: spec.FormName, Required: true}, func(r *Release) any { return &r.Hash }},
		{key{Name: "note", Form: spec.FormText}, func(r *Release) any { return &r.Note }},
		{key{Name: "types", Form: spec.FormTypes}, func(r *Release) any { return &r.Types }},
		{key{Name: "state", Form: spec.FormFields, Required: true}, func(r *Release) any { return &r.State }},
		{key{Name: "nodes", Form: formNodes, Required: true}, func(r *Release) any { return &r.nodes }},
		{key{Name: "workflows", Form: formCommands}, func(r *Release) any { return &r.commands }},
	}),
	Unread: func(r *Release) *bool { return &r.unread },
	Pos:    func(r *Release) *spec.Pos { return &r.pos },
}

var nodeTable = table[released]{
	Name: "node of a release", Noun: "a node of a release",
	Rows: yamlread.Rows([]row[released]{
		{key{Name: "kind", Form: spec.FormName, Required: true}, func(n *released) any { return &n.kind }},
		{key{Name: "in", Form: spec.FormName}, func(n *released) any { return &n.parent }},
		{key{Name: "branch", Form: spec.FormName}, func(n *released) any { return &n.branch }},
		{key{Name: "waits", Form: spec.FormWords, Words: Waits}, func(n *released) any { return &n.waits }},
		{key{Name: "output", Form: spec.FormType}, func(n *released) any { return &n.output }},
		{key{Name: "keeps", Form: spec.FormNameList}, func(n *released) any { return &n.keeps }},
		{key{Name: "graph", Form: spec.FormName}, func(n *released) any { return &n.graph }},
		{key{Name: "shape", Form: spec.FormName}, func(n *released) any { return &n.shape }},
		{key{Name: "renamed_from", Form: spec.FormName}, func(n *released) any { return &n.was }},
	}),
	Unread: func(n *released) *bool { return &n.unread },
}

// commanded are the commands of a graph as a lock file has them.
type commanded struct {
	begins                                       spec.String
	input                                        []spec.String
	steps, visits, tokens, modelCalls, toolCalls spec.Value[int]
	nodes                                        []*nodeCommanded
	unread                                       bool
}

type nodeCommanded struct {
	name, runs, leaves, more spec.String
	unread                   bool
}

var commandsTable = table[commanded]{
	Name: "workflows of a release", Noun: "what workflows of a release depend on",
	Rows: yamlread.Rows([]row[commanded]{
		{key{Name: "begins", Form: spec.FormName, Required: true}, func(c *commanded) any { return &c.begins }},
		{key{Name: "input", Form: spec.FormNameList}, func(c *commanded) any { return &c.input }},
		{key{Name: "max_steps", Form: spec.FormInt}, func(c *commanded) any { return &c.steps }},
		{key{Name: "max_visits", Form: spec.FormInt}, func(c *commanded) any { return &c.visits }},
		{key{Name: "max_tokens", Form: spec.FormInt}, func(c *commanded) any { return &c.tokens }},
		{key{Name: "max_model_calls", Form: spec.FormInt}, func(c *commanded) any { return &c.modelCalls }},
		{key{Name: "max_tool_calls", Form: spec.FormInt}, func(c *commanded) any { return &c.toolCalls }},
		{key{Name: "nodes", Form: formNodes, Required: true}, func(c *commanded) any { return &c.nodes }},
	}),
	Unread: func(c *commanded) *bool { return &c.unread },
}

var nodeCommandsTable = table[nodeCommanded]{
	Name: "node of the workflows of a release", Noun: "a node of the workflows of a release",
	Rows: yamlread.Rows([]row[nodeCommanded]{
		{key{Name: "runs", Form: spec.FormName, Required: true}, func(n *nodeCommanded) any { return &n.runs }},
		{key{Name: "leaves", Form: spec.FormName, Required: true}, func(n *nodeCommanded) any { return &n.leaves }},
		{key{Name: "more", Form: spec.FormName}, func(n *nodeCommanded) any { return &n.more }},
	}),
	Unread: func(n *nodeCommanded) *bool { return &n.unread },
}

// own reads the places of lock files, and the places of types and fields as specs do.
func own(r *yamlread.Reader, v *yamlread.Tree, k *yamlread.Key, to any) bool {
	switch to := to.(type) {
	case *[]*Release:
		*to = yamlread.Items(r, v, k, &releaseTable)
	case *[]*released:
		*to = yamlread.Entries(r, v, k, &nodeTable, func(n *released) *spec.String { return &n.name })
	case **commanded:
		*to = new(commanded)
		yamlread.Read(r, v, &commandsTable, *to)
	case *[]*nodeCommanded:
		*to = yamlread.Entries(r, v, k, &nodeCommandsTable, func(n *nodeCommanded) *spec.String { return &n.name })
	default:
		return spec.Own(r, v, k, to)
	}
	return true
}

// Rules returns the rules of lock files.
func Rules() []diag.Rule {
	const last = "    nodes: {}\n"
	lock := string((*Lock)(nil).Append(&Shape{Graph: "g", State: &resolve.Type{Kind: resolve.Struct}}, ""))
	return []diag.Rule{
		{
			Code: "GG337", Name: "lock-form",
			Doc:  "A lock file has a key or a value that graphgen release does not write.",
			Bad:  lock + "    edges: {}\n",
			Good: lock,
		},
		{
			Code: "GG338", Name: "lock-edited",
			Doc: "A lock file is not as graphgen release has written it: the hash of a release is not the hash of its shape, a " +
				"release is missing, or the file is of another graph. Without the shape that was released, its threads cannot be judged.",
			Bad:  strings.TrimSuffix(lock, last) + "    nodes:\n      a: {kind: func}\n",
			Good: lock,
		},
	}
}
