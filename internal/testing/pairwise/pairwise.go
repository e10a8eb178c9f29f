// Package pairwise makes graph specs that combine the features of the language: a node of every kind
// with every key, flag, edge, condition, limit and wrapper, two and three of them at a time.
//
// The features are the rows of package spec's tables. A row whose values cannot be
// made up of its form alone has them in the tables of values.go.
package pairwise

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

// An Option is one thing that a spec may have: a value of a key, a flag, an edge.
type Option struct {
	Name  string
	group string // options of one group exclude one another; empty: of none
	apply func(*graph)
}

// Row is what the option is one value of.
func (o Option) Row() string { return cmp.Or(o.group, o.Name) }

// Excludes reports whether no spec can have both options.
func (o Option) Excludes(p Option) bool { return o.group != "" && o.group == p.group }

// A Case is a kind of node and the options that its spec has.
type Case struct {
	Kind    string
	Options []Option
}

// String names the case.
func (c Case) String() string {
	names := []string{c.Kind}
	for _, o := range c.Options {
		names = append(names, o.Name)
	}
	return strings.Join(names, " | ")
}

// Spec returns the text of the case's spec. The graph is called p and the number; so that several
// graphs can share a Go package, the names of its types end in the number.
func (c Case) Spec(number int) string {
	g := newGraph(c.Kind)
	for _, o := range c.Options {
		o.apply(g)
	}
	text := strings.ReplaceAll(g.text(), "$x", g.name)
	return strings.ReplaceAll(text, "$n", fmt.Sprint(number))
}

// Accepted reads a spec, and returns what is wrong with it. Every file of a prompt has the same text.
func Accepted(file, text string) (*spec.Graph, []diag.Diagnostic) {
	g, found := spec.Load(file, []byte(text))
	if g != nil && !diag.HasErrors(found) {
		link.Texts(g, func(string) ([]byte, error) { return []byte("Say {{text}}.\r\n"), nil })
		found = append(found, check.Run(cfg.Of(g))...)
	}
	return g, slices.DeleteFunc(found, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
}

// Options are all that a spec with a node of a kind may have.
func Options(kind string) []Option {
	var out []Option
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			if m.Name == "node" && k.Name != "kind" && (k.Kinds == nil || slices.Contains(k.Kinds, kind)) || m.Name != "node" {
				out = append(out, optionsOf(m, k)...)
			}
		}
	}
	return append(out, freeOptions()...)
}

// Durable are the options of a kind that make its graph durable: the first does no more, the others have secret fields and transactions.
func Durable(kind string) []Option {
	return slices.DeleteFunc(Options(kind), func(o Option) bool {
		return o.Name != "graph.durable=true" && !strings.Contains(o.Name, "secret: true") && !strings.Contains(o.Name,
			"transaction=true") && !strings.Contains(o.Name, "transaction: true")
	})
}

// A graph is a spec in the making. Its node x is of the kind that is combined with other things.
type graph struct {
	name     string // of x
	kind     string
	node     keys
	first    keys // defaults of x, which options may replace
	flags    []string
	reads    []string
	writes   []string
	edges    []string
	top      keys
	sections map[string]keys // limits, mutations, the tool
	state    map[string]string
	types    map[string]string
	child    string // a node that others run
	wrapper  string
	noWay    bool // no edge is added that is always taken
}

// keys are the keys of a mapping with their values.
type keys map[string]string

func (k keys) String() string {
	var list []string
	for _, key := range slices.Sorted(maps.Keys(k)) {
		list = append(list, key+": "+k[key])
	}
	return "{" + strings.Join(list, ", ") + "}"
}

func newGraph(kind string) *graph {
	return &graph{
		name: "x", kind: kind, node: keys{}, first: maps.Clone(baselines[kind]), top: keys{},
		sections: map[string]keys{}, state: maps.Clone(stateFields), types: maps.Clone(declared), child: "{reads: text}",
	}
}

// set gives x a key, and what the key needs unless another option sets it.
func (g *graph) set(key string, v value) {
	g.node[key] = v.text
	g.need(v.with)
}

// need gives x default keys, as far as its kind has them. Options may set others.
func (g *graph) need(with keys) {
	for key, text := range with {
		if g.may(key) {
			g.first[key] = text
		}
	}
}

// may reports whether a node of x's kind may have a key.
func (g *graph) may(key string) bool {
	kinds, ok := nodeKeys()[key]
	return ok && (kinds == nil || slices.Contains(kinds, g.kind))
}

// nodeKeys are the kinds of node that have a key; nil is all of them.
var nodeKeys = sync.OnceValue(func() map[string][]string {
	out := map[string][]string{}
	for _, m := range spec.Reference() {
		if m.Name != "node" {
			continue
		}
		for _, k := range m.Keys {
			out[k.Name] = k.Kinds
		}
	}
	return out
})

// has gives the state a field. One that is secret is sealed in threads alone.
func (g *graph) has(name, text string) {
	if g.state[name] = text; strings.Contains(text, "secret: true") {
		g.top["durable"] = "true"
	}
}

// output gives x an output, if its kind may have one.
func (g *graph) output(text string) {
	if g.may("output") {
		g.node["output"] = text
	}
}

func (g *graph) section(name string) keys {
	if g.sections[name] == nil {
		g.sections[name] = keys{}
	}
	return g.sections[name]
}

// text is the spec as YAML.
func (g *graph) text() string {
	node := maps.Clone(g.first)
	maps.Copy(node, g.node)
	if g.kind != "func" {
		node["kind"] = g.kind
	}
	if len(g.flags) > 0 {
		node["flags"] = "[" + strings.Join(g.flags, ", ") + "]"
	}
	inRegion := spec.KindOf(g.kind).Chooses && g.wrapper != ""
	if inRegion && g.node["routes"] == "" {
		node["routes"] = "[c3, end]"
	}
	if g.may("reads") {
		join(node, "reads", g.reads)
	}
	if g.may("writes") {
		join(node, "writes", g.writes)
	}
	nodes := []string{"start: {kind: router, reads: text, routes: [$to, after, other]}", "x: " + node.String(), "after: {reads: text}", "other: {reads: text}"}
	nodes[1] = g.name + nodes[1][1:]
	if node["inherits"] != "" {
		nodes[3] = "other: {reads: text, output: string}"
	}
	edges, to := slices.Clone(g.edges), g.name
	if g.wrapper != "" {
		host := strings.ReplaceAll(wrappers[g.wrapper], "$w", g.wrapper)
		if inRegion {
			host = strings.ReplaceAll(host, ": $x", ": [$x, c3]")
		}
		nodes = append(nodes, "host: "+host)
		to = "host"
		edges = append(edges, "{from: host, to: after}")
	} else if !g.noWay && node["next"] == "" && node["routes"] == "" && node["on_pass"] == "" {
		edges = append(edges, "{from: $x, to: after}")
	}
	nodes[0] = strings.ReplaceAll(nodes[0], "$to", to)
	for _, c := range []string{"c1", "c2", "c3"} {
		if wordsOf(nodes...).has(c) {
			child := g.child
			if g.kind == "map" && g.wrapper == "" {
				child = strings.Replace(child, "reads: text", "reads: item", 1)
			}
			nodes = append(nodes, c+": "+child)
		}
	}
	for name, text := range helpers {
		if all := slices.Concat(nodes, edges, []string{g.section("mutations").String()}); wordsOf(all...).has(name) {
			nodes = append(nodes, name+": "+text)
		}
	}
	slices.Sort(nodes[4:])
	body := "nodes:\n  " + strings.Join(nodes, "\n  ") + "\n"
	if len(edges) > 0 {
		body += "edges:\n  - " + strings.Join(edges, "\n  - ") + "\n"
	}
	return g.whole(body)
}

// join puts more names into a key's list.
func join(node keys, key string, more []string) {
	if len(more) > 0 {
		names := strings.Trim(node[key], "[]")
		node[key] = "[" + strings.TrimPrefix(names+", "+strings.Join(more, ", "), ", ") + "]"
	}
}

// whole is the spec with its nodes and edges: it declares what they name, and no more.
func (g *graph) whole(body string) string {
	top := maps.Clone(g.top)
	for name, k := range g.sections {
		if name != "find" && len(k) > 0 {
			top[name] = k.String()
		}
	}
	if top["mode"] != "autonomous" && top["entry"] == "" {
		top["entry"] = "start"
	}
	if top["no_match"] == "" {
		top["no_match"] = "end"
	}
	all := wordsOf(body, top.String())
	tools := ""
	if all.has("find") {
		tool := keys{"args": "{query: string}"}
		maps.Copy(tool, g.sections["find"])
		tools = "tools: {find: " + tool.String() + ", look: }\n"
		maps.Copy(all, wordsOf(tools))
	}
	types, state := keys{}, keys{}
	for before := -1; before < len(types)+len(state); {
		before = len(types) + len(state)
		text := wordsOf(slices.Concat(slices.Collect(maps.Values(types)), slices.Collect(maps.Values(state)))...)
		maps.Copy(text, all)
		types, state = used(g.types, text), used(g.state, all)
	}
	b := "graph: p$n\n"
	for _, key := range slices.Sorted(maps.Keys(top)) {
		b += key + ": " + top[key] + "\n"
	}
	if len(types) > 0 {
		b += "types:\n"
		for _, name := range slices.Sorted(maps.Keys(types)) {
			b += "  " + name + ": " + types[name] + "\n"
		}
	}
	var given []string
	b += "state:\n"
	for _, name := range slices.Sorted(maps.Keys(state)) {
		b += "  " + name + ": " + state[name] + "\n"
		if name != "item" && name != "said" {
			given = append(given, name)
		}
	}
	public := slices.DeleteFunc(slices.Clone(given), func(name string) bool { return strings.Contains(state[name], "private: true") })
	b += "input: [" + strings.Join(given, ", ") + "]\noutput: [" + strings.Join(public, ", ") + "]\n"
	var in []string
	for _, name := range given {
		in = append(in, name+": "+name)
	}
	return strings.ReplaceAll(b+tools+body, "$in", "{"+strings.Join(in, ", ")+"}")
}

// used are the entries whose names a text has, as they are written or as Go names.
func used(entries map[string]string, text words) keys {
	out := keys{}
	for name, entry := range entries {
		if text.has(name) || text.has(strings.ToUpper(name[:1])+name[1:]) {
			out[name] = entry
		}
	}
	return out
}

// words are the words of a text. One that ends in the number of its spec ends there, whatever
// follows, as in a constant.
type words map[string]bool

func (w words) has(name string) bool { return w[strings.ReplaceAll(name, "$n", "__n")] }

func wordsOf(texts ...string) words {
	w := words{}
	for _, text := range texts {
		text = strings.ReplaceAll(text, "$n", "__n ")
		for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
			w[word] = true
		}
	}
	return w
}
