package pairwise

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/graphgen/graphgen/spec"
)

// keys are the keys of a mapping with their values.
type keys map[string]string

// and returns the keys of both; keys of more replace others.
func (k keys) and(more keys) keys {
	out := keys{}
	maps.Copy(out, k)
	maps.Copy(out, more)
	return out
}

// An effect is what an option adds to a spec. Its node x is of the kind that is combined with other things.
type effect struct {
	name           string // of x
	node           keys   // of x
	needs          keys   // of x as far as its kind has them, if no option sets them
	flags          []string
	reads, writes  []string
	edges          []string
	top            keys // of the graph
	limits         keys
	mutations      keys // nil: x may change nothing
	mcp            keys // servers
	find           keys // of the tool find
	state, types   keys // what is declared where it is named
	child, wrapper string
	noWay          bool // no edge is added that is always taken
}

// replace replaces texts in an effect of the table of places.
func (e effect) replace(pairs ...string) effect {
	r := strings.NewReplacer(pairs...).Replace
	for _, part := range []*keys{&e.node, &e.needs, &e.top, &e.limits, &e.mutations, &e.mcp, &e.find, &e.types} {
		if *part != nil {
			out := keys{}
			for key, text := range *part {
				out[r(key)] = r(text)
			}
			*part = out
		}
	}
	for _, list := range []*[]string{&e.flags, &e.edges} {
		*list = slices.Clone(*list)
		for i, text := range *list {
			(*list)[i] = r(text)
		}
	}
	return e
}

// texts are the parts of an effect that other effects depend on.
func (e effect) texts() string {
	all := slices.Concat(e.edges, slices.Collect(maps.Values(e.node)), slices.Collect(maps.Values(e.state)))
	return strings.Join(append(all, e.child), "\n")
}

var (
	kv      = keys{"$k": "$v"}
	report  = keys{"output": "Report$n"}
	calling = keys{"tools": "[find]", "tool_loop": "false"}
	caught  = []string{"{from: $x, to: calls, on: tool_call}"}
	changes = keys{"mutates": "true"}
)

// places are where a value v of a key k is in a spec, and what it needs there. They are of a mapping, of a row of it, or of
// one value of a row; the last of these that is there is used.
var places = map[string]effect{
	"graph":                    {top: kv},
	"limits":                   {limits: kv},
	"mutations":                {mutations: kv, needs: changes},
	"node":                     {node: kv},
	"node.tool_loop=false":     {node: kv, edges: caught},
	"node.until=out.Score > 1": {node: kv, child: "{reads: text, output: Report$n}"},
	"node.body={entry: c1}": {node: kv, edges: []string{"{from: c1, to: c2, if: state.Count > 1}", "{from: c1, to: c3, on: error}",
		"{from: c1, to: c3}", "{sequential: [c2, c3]}"}},
	"node.no_match":         {node: kv, noWay: true},
	"node.mutates":          {node: kv, mutations: keys{}},
	"node.transaction=true": {node: kv, top: keys{"durable": "true"}},
	"tool":                  {find: kv, needs: keys{"tools": "[find]"}},
	"requires_human":        {flags: []string{"{requires_human: {$k: $v}}"}},
	"retryable":             {flags: []string{"{retryable: {$k: $v}}"}},
	"mcp server":            {flags: []string{"inject_tools"}, mcp: keys{"files": "{command: [files], $k: $v}"}},
	"mcp server.command":    {flags: []string{"inject_tools"}, mcp: keys{"files": "{command: $v}"}},
	"mcp server.url":        {flags: []string{"inject_tools"}, mcp: keys{"files": "{url: $v}"}},
	"mcp server.bearer":     {flags: []string{"inject_tools"}, mcp: keys{"files": "{url: https://mcp.example.com, bearer: $v}"}},
	"state_summarizer":      {needs: keys{"before": "[{state_summarizer: {$k: $v}}]"}},
	"json_extractor":        {needs: keys{"after": "[{json_extractor: {$k: $v}}]"}},
	"output_truncator":      {needs: keys{"after": "[{output_truncator: {$k: $v}}]"}},
	"state_writer":          {needs: keys{"after": "[{state_writer: {$k: $v}}]", "output": "{note: string, sum: int}"}},
	"edge":                  {edges: []string{"{from: $x, to: other, if: state.Count > 1, $k: $v}"}},
	"edge.on":               {edges: []string{"{from: $x, to: other, on: $v}"}},
	"edge.on=guard_fail":    {edges: []string{"{from: $x, to: other, on: $v}"}, needs: keys{"writes": "note", "guards": "[sane]"}},
	"edge.on=budget":        {edges: []string{"{from: $x, to: other, on: $v}", "{from: $x, to: other, when: it is late}"}},
	"edge.on=tool_call":     {edges: caught},
	"edge.on=no_tool_call":  {edges: []string{"{from: $x, to: other, on: $v}", caught[0]}},
	"edge.on_confidence":    {edges: []string{"{from: $x, to: other, $k: $v}"}},
	"branch edge":           {edges: []string{"{from: $x, branch: {good: other, bad: end}, $k: $v}"}},
	"branch edge.by":        {edges: []string{"{from: $x, branch: {high: other, low: end}, $k: $v}"}, needs: report},
	"loop_until":            {edges: []string{"{loop_until: {node: $x, exit: other, if: state.Count > 1, $k: $v}}"}},
	"enum":                  {types: keys{"Grade$n": "{enum: [high, low], renamed_from: {low: least}, doc: $v}"}, reads: []string{"grade"}},
	"struct":                {types: keys{"Report$n": "{struct: " + declared["Report$n"] + ", doc: $v}"}, reads: []string{"report"}},
	"union":                 {types: keys{"Shape$n": strings.TrimSuffix(declared["Shape$n"], "}") + ", doc: $v}"}, reads: []string{"shape"}},
	"Go type": {types: keys{"Thing$n": "{go: github.com/graphgen/graphgen/golden/types/money.Amount, doc: $v}"},
		node: keys{"output": "Thing$n"}, reads: []string{"text"}},
	"flag": {flags: []string{"$v"}},
	"flag=entry": {flags: []string{"$v"}, top: keys{"entry": "$x"},
		edges: []string{"{from: other, to: start, max_iterations: 1}"}},
	"flag=validate_output": {flags: []string{"$v"}, needs: report},
	"flag=inject_tools":    {flags: []string{"$v"}, needs: report},
	"flag=lightweight":     {flags: []string{"$v"}, needs: report},
	"flag=terminal":        {flags: []string{"$v"}, noWay: true},
	"flag=skip_on_error":   {flags: []string{"$v"}, edges: []string{"{from: other, to: $x, on: error, max_iterations: 1}"}},
}

// implied are effects that follow from a text of another effect.
var implied = []struct {
	has string
	effect
}{
	{"secret: true", effect{top: keys{"durable": "true"}}}, // it is sealed in threads alone
	{"transaction: true", effect{top: keys{"durable": "true"}}},
	{"next_step: {enum", effect{noWay: true}},
	{"loop_until:", effect{noWay: true}},
	{"branch:", effect{noWay: true}},
	{"to: calls", effect{needs: calling}},
	{"evals.", effect{needs: keys{"evals": "{fine: {if: state.Count > 4}}"}}},
	{"on_output:", effect{needs: report}},
	{"on_confidence:", effect{needs: report}},
	{"out.", effect{needs: report}},
	{"out == Grade", effect{needs: keys{"output": "Grade$n"}}},
	{"out != nil", effect{needs: keys{"output": `"[]string"`}}},
	{"len(out)", effect{needs: keys{"output": `"[]string"`}}},
}

// placeOf returns the effect of a value of a row.
func placeOf(mapping, id, v string) effect {
	for _, at := range []string{id + "=" + v, id, mapping} {
		if e, ok := places[at]; ok {
			return e
		}
	}
	panic("pairwise: there is no place for " + id)
}

// A graph is a spec in the making.
type graph struct {
	kind string
	effect
}

func newGraph(kind string) *graph {
	return &graph{kind, effect{name: "x", child: "{reads: text}", needs: baselines[kind], state: stateFields, types: declared}}
}

// apply adds an effect, and what follows from it.
func (g *graph) apply(e effect) {
	text := e.texts()
	g.merge(e)
	for _, i := range implied {
		if strings.Contains(text, i.has) {
			g.merge(i.effect)
		}
	}
}

// merge adds an effect alone.
func (g *graph) merge(e effect) {
	if e.mutations != nil {
		g.mutations = g.mutations.and(e.mutations)
	}
	g.name, g.child, g.wrapper, g.noWay = cmp.Or(e.name, g.name), cmp.Or(e.child, g.child), cmp.Or(e.wrapper, g.wrapper), g.noWay || e.noWay
	g.node, g.needs, g.top, g.limits = g.node.and(g.may(e.node)), g.needs.and(g.may(e.needs)), g.top.and(e.top), g.limits.and(e.limits)
	g.mcp, g.find, g.state, g.types = g.mcp.and(e.mcp), g.find.and(e.find), g.state.and(e.state), g.types.and(e.types)
	g.flags, g.edges = slices.Concat(g.flags, e.flags), slices.Concat(g.edges, e.edges)
	g.reads, g.writes = slices.Concat(g.reads, e.reads), slices.Concat(g.writes, e.writes)
}

// may returns which of some keys a node of x's kind may have.
func (g *graph) may(k keys) keys {
	out := keys{}
	for _, key := range nodeKeys() {
		if text, ok := k[key.Name]; ok && (key.Kinds == nil || slices.Contains(key.Kinds, g.kind)) {
			out[key.Name] = text
		}
	}
	return out
}

// nodeKeys are the keys of a node.
var nodeKeys = sync.OnceValue(func() []spec.Key {
	all := spec.Reference()
	return all[slices.IndexFunc(all, func(m spec.Mapping) bool { return m.Name == "node" })].Keys
})
