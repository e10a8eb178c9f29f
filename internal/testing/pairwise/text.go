package pairwise

import (
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/graphgen/graphgen/spec"
)

// list are the keys, as YAML, in the order of their names.
func (k keys) list() (out []string) {
	for _, key := range slices.Sorted(maps.Keys(k)) {
		out = append(out, key+": "+k[key])
	}
	return out
}

func (k keys) String() string { return "{" + strings.Join(k.list(), ", ") + "}" }

// section is a section of the spec with a line for each key; empty where there are none.
func section(name, mark string, lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	return name + ":" + mark + strings.Join(lines, mark) + "\n"
}

// text is the spec as YAML: it declares what its nodes and edges name, and no more.
func (g *graph) text() string {
	nodes, edges := g.graphNodes()
	top := g.graphKeys()
	all := wordsOf(slices.Concat(nodes.list(), edges, []string{top.String()})...)
	for name, text := range helpers {
		if all.has(name) {
			nodes[name] = text
		}
	}
	for _, c := range []string{"c1", "c2", "c3"} {
		if all.has(c) {
			nodes[c] = g.child
			if g.kind == "map" && g.wrapper == "" {
				nodes[c] = strings.Replace(g.child, "reads: text", "reads: item", 1)
			}
		}
	}
	all = wordsOf(slices.Concat(nodes.list(), edges, []string{top.String()})...)
	if all.has("find") {
		top["tools"] = "{find: " + keys{"args": "{query: string}"}.and(g.find).String() + ", look: }"
		maps.Copy(all, wordsOf(top["tools"]))
	}
	types, state := keys{}, used(g.state, all)
	for before := -1; before < len(types); {
		before = len(types)
		types = used(g.types, wordsOf(slices.Concat(types.list(), state.list(), slices.Collect(maps.Keys(all)))...))
	}
	var given, in, public []string
	for _, name := range slices.Sorted(maps.Keys(state)) {
		if name != "item" && name != "said" {
			given, in = append(given, name), append(in, name+": "+name)
			if !strings.Contains(state[name], "private: true") {
				public = append(public, name)
			}
		}
	}
	top["graph"], top["input"], top["output"] = "p$n", "["+strings.Join(given, ", ")+"]", "["+strings.Join(public, ", ")+"]"
	text := strings.Join(top.list(), "\n") + "\n" + section("types", "\n  ", types.list()) + section("state", "\n  ", state.list()) +
		section("nodes", "\n  ", nodes.list()) + section("edges", "\n  - ", edges)
	return strings.ReplaceAll(text, "$in", "{"+strings.Join(in, ", ")+"}")
}

// graphNodes are x, the nodes around it, and the edges.
func (g *graph) graphNodes() (nodes keys, edges []string) {
	node := g.needs.and(g.node)
	if g.kind != "func" {
		node["kind"] = g.kind
	}
	if len(g.flags) > 0 {
		node["flags"] = "[" + strings.Join(g.flags, ", ") + "]"
	}
	chooses := spec.KindOf(g.kind).Chooses && g.wrapper != ""
	if chooses && g.node["routes"] == "" {
		node["routes"] = "[c3, end]"
	}
	for key, more := range map[string][]string{"reads": g.reads, "writes": g.writes} {
		if len(more) > 0 && len(g.may(keys{key: ""})) > 0 {
			node[key] = "[" + strings.TrimPrefix(strings.Trim(node[key], "[]")+", "+strings.Join(more, ", "), ", ") + "]"
		}
	}
	nodes = keys{"start": "{kind: router, reads: text, routes: [$x, after, other]}", "after": "{reads: text}", "other": "{reads: text}",
		g.name: node.String()}
	if node["inherits"] != "" {
		nodes["other"] = "{reads: text, output: string}"
	}
	switch {
	case g.wrapper != "":
		host := strings.ReplaceAll(wrappers[g.wrapper], "$w", g.wrapper)
		if chooses {
			host = strings.ReplaceAll(host, ": $x", ": [$x, c3]")
		}
		nodes["host"], nodes["start"] = host, strings.Replace(nodes["start"], "$x", "host", 1)
		return nodes, append(slices.Clone(g.edges), "{from: host, to: after}")
	case !g.noWay && node["next"] == "" && node["routes"] == "" && node["on_pass"] == "":
		return nodes, append(slices.Clone(g.edges), "{from: $x, to: after}")
	}
	return nodes, g.edges
}

// graphKeys are the keys of the graph.
func (g *graph) graphKeys() keys {
	top := keys{"entry": "start", "no_match": "end"}
	if g.top["mode"] == "autonomous" {
		delete(top, "entry")
	}
	top = top.and(g.top)
	mutations := g.mutations
	if mutations != nil {
		mutations = keys{"allow": "[add_node, skip_to, retry_with]"}.and(mutations)
		if strings.Contains(mutations["allow"], "add_node") {
			mutations = keys{"kinds": "[prompt]"}.and(mutations)
		}
		if strings.Contains(mutations["allow"], "retry_with") {
			mutations = keys{"update": "[note, count]"}.and(mutations)
		}
	}
	for name, k := range map[string]keys{"limits": g.limits, "mutations": mutations, "mcp": g.mcp} {
		if len(k) > 0 {
			top[name] = k.String()
		}
	}
	return top
}

// used are the entries whose names a text has, as they are written or as Go names.
func used(entries keys, text words) keys {
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
