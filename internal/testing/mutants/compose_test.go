package mutants

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/goname"
)

var (
	plainNode  = regexp.MustCompile(`(?m)^  (\w+): \{(.*)\}$`)
	onward     = regexp.MustCompile(`\b(next: \w+|no_match: \w+|transitions: \{[^{}]*\})(, )?`)
	composite  = regexp.MustCompile(`(?m)^ +kind: (loop|retry|parallel|map|autonomous|subgraph)\n|\bkind: (loop|retry|parallel|map|autonomous|subgraph),`)
	children   = regexp.MustCompile(`\b(body|pool): (\[[\w, ]+\]|\w+)`)
	branches   = regexp.MustCompile(`\bbranches: \{[^{}]*\}`)
	regions    = regexp.MustCompile(children.String() + `|` + branches.String())
	branch     = regexp.MustCompile(`\w+: (\[[\w, ]+\]|\w+)`)
	joinOf     = regexp.MustCompile(`\b(join: \w+|count: \d+)`)
	mergeOf    = regexp.MustCompile(`, merge: \w+`)
	kindOf     = regexp.MustCompile(`kind: \w+`)
	textField  = regexp.MustCompile(`(?m)^  (\w+): (?:\{type: )?"?(?:\[\])?string\b`)
	typedField = regexp.MustCompile(`(?m)^  (\w+): (?:\{type: )?"?((?:\[\])?\w+)`)
	nodesKey   = regexp.MustCompile(`(?m)^nodes:`)
	changeable = regexp.MustCompile(`(?m)^  \w+: \{(kind: (func|prompt), )?`)
	allowed    = regexp.MustCompile(`\b(allow|templates|update|writes|kinds): \[([\w, ]*)\]`)
	asks       = regexp.MustCompile(`(?m)^ +kind: human\n|\bkind: human,`)
	inputKey   = regexp.MustCompile(`(?m)^input: \[?([\w, ]*)\]?$`)
	graphKey   = regexp.MustCompile(`(?m)^graph: (\w+)$`)
	passes     = regexp.MustCompile(`\b(in|out): \{\w+: `)
)

// compositions are the changes that have to do with nodes that run others, ask people, or change
// the graph.
var compositions = []mutation{
	{"a node is run by another", among(plainNode, wrapped)},
	{"a node's branch stands beside itself", among(plainNode, branched)},
	{"a composite node has another key", replacing(composite, func(r *rand.Rand, _, old string) string {
		return withKey(old, []string{
			"join: all", "join: first", "join: first, count: 2", "join: settled", "join: settled, count: 2", "join: settled, count: 0", "max_parallel: 1",
			"max_parallel: 2", "timeout: 1s", "fail_soft: true", "max_visits: 2", "attempts: 2", "retry_on: any", "max_iterations: 1", "max_iterations: 100",
			"max_steps: 2", "allow_repeat: false", "flags: [skip_on_error]", "flags: [critical]", "flags: [{retryable: {attempts: 2, wait: 1ms}}]",
			"flags: [parallel_safe]", "flags: [stateful]", "flags: [readonly]", "flags: [lightweight]", "guards: [sane]",
			"no_match: end", "transitions: {error: end}",
			"evals: {fine: {if: res.Visit > 1}}", "wait: 2s", "max_depth: 2", "until: res.Iterations > 1", "instructions: Go on.", "model: large",
		}[r.IntN(33)])
	})},
	{"a composite node is of another kind", replacing(composite, func(r *rand.Rand, _, old string) string {
		kind := strings.Split([]string{
			"loop, until: res.Iterations > 1", "retry, attempts: 2", "loop, until: 'false', max_iterations: 2", "parallel", "map",
			"autonomous, instructions: Go on.", "func",
		}[r.IntN(7)], ", ")
		for i, key := range kind {
			if i == 0 {
				old = kindOf.ReplaceAllString(old, "kind: "+key)
			} else {
				old = withKey(old, key)
			}
		}
		return old
	})},
	{"other nodes are run", replacing(children, func(r *rand.Rand, s, old string) string {
		key, _, _ := strings.Cut(old, ": ")
		names := []string{anyNode(r, s), anyNode(r, s), anyNode(r, s)}[:1+r.IntN(3)]
		if r.IntN(2) == 0 {
			names = append(names, strings.Trim(strings.TrimPrefix(old, key+": "), "[]"))
		}
		return key + ": [" + strings.Join(names, ", ") + "]"
	})},
	{"branches are other ones", replacing(branches, func(r *rand.Rand, s, old string) string {
		return strings.TrimSuffix(old, "}") + ", more: " + anyNode(r, s) + "}"
	})},
	{"branches are joined otherwise", replacing(joinOf, func(r *rand.Rand, _, _ string) string {
		return []string{"join: all", "join: first", "join: settled", "join: fail_fast", "count: 1", "count: 2", "count: 3"}[r.IntN(7)]
	})},
	{"a field is merged otherwise", replacing(mergeOf, func(r *rand.Rand, _, _ string) string {
		return ", merge: " + []string{"last", "append", "union", "sum", "max", "min", "custom"}[r.IntN(7)]
	})},
	{"a graph may be changed", allowing},
	{"a node asks for changes", func(r *rand.Rand, s string) (string, bool) {
		if !strings.Contains(s, "\nmutations:") {
			return s, false
		}
		return among(changeable, func(_ *rand.Rand, _, old string) string { return old + "mutates: true, " })(r, s)
	}},
	{"other changes are allowed", replacing(allowed, func(r *rand.Rand, s, old string) string {
		others := append(word.FindAllString(s, -1), actions...)
		item := others[r.IntN(len(others))]
		if r.IntN(2) == 0 {
			item = anyNode(r, s)
		}
		return strings.TrimSuffix(old, "]") + ", " + item + "]"
	})},
	{"a node asks a person", among(plainNode, func(r *rand.Rand, s, old string) string {
		asks := []string{"", "output: string, ", "output: {enum: [yes, no]}, ", "output: {good: bool, why: string}, ",
			"timeout: 1m, ", "timeout: 1m, on_timeout: end, ", "on_deny: end, "}[r.IntN(7)]
		head, rest, _ := strings.Cut(old, "{")
		return head + "{kind: human, instructions: Go on, " + asks + strings.Join(onward.FindAllString(rest, 1), "") + "}"
	})},
	{"a node only routes", among(plainNode, func(r *rand.Rand, _, old string) string {
		head, rest, _ := strings.Cut(old, "{")
		keys := []string{"", "max_visits: 2, ", "transitions: {error: end}, ", "flags: [critical], "}[r.IntN(4)]
		return head + "{kind: pass, " + keys + strings.Join(onward.FindAllString(rest, 1), "") + "}"
	})},
	{"a node sets fields", among(plainNode, sets)},
	{"a node says something", among(plainNode, says)},
	{"a person is asked otherwise", replacing(asks, func(r *rand.Rand, _, old string) string {
		return withKey(old,
			[]string{"timeout: 1m", "timeout: 1ms", "on_timeout: end", "on_deny: end", "max_visits: 1", "flags: [critical]",
				"flags: [skip_on_error]", "fail_soft: true", "output: string"}[r.IntN(9)])
	})},
	{"a node is a guard", among(plainNode, func(r *rand.Rand, s, old string) string {
		head, rest, _ := strings.Cut(old, "{")
		return head + "{" + guard(r, s) + strings.Join(onward.FindAllString(rest, 1), "") + "}"
	})},
	{"a region has a guard", guarded},
	{"a region has a router", routed},
	{"a graph runs itself", itself},
	{"something else is passed", replacing(passes, func(r *rand.Rand, s, old string) string {
		others := word.FindAllString(s, -1)
		return old + others[r.IntN(len(others))] + ", " + others[r.IntN(len(others))] + ": "
	})},
	{"the nodes of a graph are a pool", func(_ *rand.Rand, s string) (string, bool) {
		if i := strings.Index(s, "\nedges:"); i >= 0 {
			s = s[:i+1]
		}
		return nodesKey.ReplaceAllString(onward.ReplaceAllString(s, ""), "mode: autonomous\nnodes:"), !strings.Contains(s, "mode:")
	}},
}

var actions = []string{"add_node", "add_edge", "skip_to", "retry_with", "remove_edge", "remove_node"}

// wrapped has a node run by one that takes its name and its ways.
func wrapped(r *rand.Rand, _, old string) string {
	m := plainNode.FindStringSubmatch(old)
	name, ways := m[1], strings.Join(onward.FindAllString(m[2], -1), "")
	inner := "within_" + name
	if ways != "" && !strings.HasSuffix(ways, ", ") {
		ways += ", "
	}
	host := fmt.Sprintf([]string{
		"kind: loop, body: %s, until: res.Iterations > 1", "kind: retry, body: %s, attempts: 2",
		"kind: retry, body: [%s], wait: 1s, retry_on: any, timeout: 3s",
		"kind: parallel, branches: {only: %s}", "kind: parallel, branches: {only: %s}, join: settled",
		"kind: autonomous, pool: [%s], instructions: Go on., max_steps: 3",
		"kind: loop, body: %s, until: state != state, max_iterations: 2, fail_soft: true",
	}[r.IntN(7)], inner)
	return "  " + name + ": {" + ways + host + "}\n  " + inner + ": {" + strings.TrimSuffix(onward.ReplaceAllString(m[2], ""), ", ") + "}"
}

// branched has two nodes that are the same run at once by one that takes their name and ways.
func branched(r *rand.Rand, _, old string) string {
	m := plainNode.FindStringSubmatch(old)
	name, ways := m[1], strings.Join(onward.FindAllString(m[2], -1), "")
	if ways != "" && !strings.HasSuffix(ways, ", ") {
		ways += ", "
	}
	work := "{" + strings.TrimSuffix(onward.ReplaceAllString(m[2], ""), ", ") + "}"
	join := []string{"", ", join: all", ", join: first", ", join: settled", ", max_parallel: 1", ", timeout: 1s, fail_soft: true"}[r.IntN(6)]
	return fmt.Sprintf("  %s: {%skind: parallel, branches: {one: one_%[1]s, two: [two_%[1]s]}%[3]s}\n  one_%[1]s: %[4]s\n  two_%[1]s: %[4]s",
		name, ways, join, work)
}

// guard is the keys of a guard, with a comma behind them.
func guard(r *rand.Rand, s string) string {
	keys := []string{"", "guard_retries: 1, ", "fail_soft: true, ", "timeout: 1s, ", "flags: [critical], ", "flags: [skip_on_error], ",
		"flags: [{retryable: {attempts: 2, wait: 1ms, on: any}}], "}[r.IntN(7)]
	if r.IntN(3) == 0 {
		keys += "instructions: Is it good?, "
	}
	return "kind: guard, reads: " + anyField(r, s) + ", " + keys
}

// guarded puts a guard before, behind or between the nodes of regions.
func guarded(r *rand.Rand, s string) (string, bool) {
	return inRegions(r, s, "stays_good", func(names []string) ([]string, string) {
		return slices.Insert(names, r.IntN(len(names)+1), "stays_good"), guard(r, s)
	})
}

// routed puts a router before a node of a region, which goes on there, further on, or ends the region.
func routed(r *rand.Rand, s string) (string, bool) {
	return inRegions(r, s, "goes_on", func(names []string) ([]string, string) {
		i := r.IntN(len(names))
		routes := []string{names[i+r.IntN(len(names)-i)]}
		for _, to := range append(slices.Clone(names[i:]), "end") {
			if to != routes[0] && r.IntN(2) == 0 {
				routes = append(routes, to)
			}
		}
		keys := []string{"", "fail_soft: true, ", "timeout: 1s, ", "flags: [critical], ", "flags: [requires_human], ",
			"flags: [cacheable], ", "flags: [{retryable: {attempts: 2, wait: 1ms, on: any}}], "}[r.IntN(7)]
		if r.IntN(3) == 0 {
			keys += "instructions: Where to?, "
		}
		return slices.Insert(names, i, "goes_on"), "kind: router, reads: " + anyField(r, s) + ", routes: [" + strings.Join(routes, ", ") + "], " + keys
	})
}

// inRegions puts a node of a name into the region of a node, or into some of its branches. place adds the name to those of a
// chain, and returns the keys of the node, with a comma behind them.
func inRegions(r *rand.Rand, s, name string, place func(names []string) (with []string, keys string)) (string, bool) {
	if strings.Contains(s, name) {
		return s, false
	}
	keys := ""
	put := func(list string) string {
		names, of := place(strings.Split(strings.Trim(list, "[]"), ", "))
		keys = of
		return "[" + strings.Join(names, ", ") + "]"
	}
	before, nodes, after := cutNodes(s)
	changed, ok := replacing(regions, func(_ *rand.Rand, _, old string) string {
		key, list, _ := strings.Cut(old, ": ")
		if key != "branches" {
			return key + ": " + put(list)
		}
		return "branches: {" + branch.ReplaceAllStringFunc(strings.TrimPrefix(old, "branches: {"), func(b string) string {
			of, list, _ := strings.Cut(b, ": ")
			if r.IntN(2) == 0 {
				return b
			}
			return of + ": " + put(list)
		})
	})(r, nodes)
	if !strings.HasSuffix(changed, "\n") {
		changed += "\n"
	}
	return before + changed + "  " + name + ": {" + strings.TrimSuffix(keys, ", ") + "}\n" + after, ok
}

// allowing has a graph allow changes, and a node ask for them.
func allowing(r *rand.Rand, s string) (string, bool) {
	if strings.Contains(s, "\nmutations:") {
		return s, false
	}
	some := actions[r.IntN(4) : 4+r.IntN(3)]
	allow := "mutations: {allow: [" + strings.Join(some, ", ") + "]"
	fields := textField.FindAllStringSubmatch(s, -1)
	for _, action := range some {
		switch {
		case action == "add_node" && r.IntN(3) == 0:
			allow += ", templates: [" + anyNode(r, s) + "]"
		case action == "add_node":
			allow += ", kinds: [prompt]"
			if len(fields) > 0 {
				allow += ", writes: [" + fields[r.IntN(len(fields))][1] + "]"
				if r.IntN(2) == 0 {
					allow += ", reads: [" + fields[r.IntN(len(fields))][1] + "]"
				}
			}
		case action == "retry_with" && len(fields) > 0:
			allow += ", update: [" + fields[r.IntN(len(fields))][1] + "]"
		}
	}
	if r.IntN(2) == 0 {
		allow += fmt.Sprint(", max: ", 1+r.IntN(9))
	}
	s = nodesKey.ReplaceAllString(s, allow+"}\nnodes:")
	return among(changeable, func(_ *rand.Rand, _, old string) string { return old + "mutates: true, " })(r, s)
}

// itself has a node of a graph run the graph.
func itself(r *rand.Rand, s string) (string, bool) {
	name, inputs := graphKey.FindStringSubmatch(s), inputKey.FindStringSubmatch(s)
	if name == nil || inputs == nil {
		return s, false
	}
	var in []string
	for field := range strings.SplitSeq(inputs[1], ", ") {
		in = append(in, field+": "+field)
	}
	node := fmt.Sprintf("kind: subgraph, graph: %s, in: {%s}, max_depth: %d", name[1], strings.Join(in, ", "), 1+r.IntN(3))
	return among(plainNode, func(_ *rand.Rand, _, old string) string {
		head, rest, _ := strings.Cut(old, "{")
		return head + "{" + strings.Join(onward.FindAllString(rest, -1), "") + node + "}"
	})(r, s)
}

// sets has a node write fields of the state: the values are made of fields, mostly of the one that is written.
func sets(r *rand.Rand, s, old string) string {
	fields := typedField.FindAllStringSubmatch(s, -1)
	if len(fields) == 0 {
		return old
	}
	var entries []string
	for range 1 + r.IntN(2) {
		to := fields[r.IntN(len(fields))]
		from := "state." + goname.Exported(to[1])
		if r.IntN(4) == 0 {
			from = "state." + goname.Exported(fields[r.IntN(len(fields))][1])
		}
		values := map[string][]string{
			"string": {from + ` + "x"`, from + "[1:]", `"fixed"`}, "int": {from + " + 1", "10 / " + from, "len(" + from + ")"},
			"bool": {"!" + from, from + " == " + from}, "[]string": {from + "[1:]", `[]string{"x"}`, "[]string{" + from + "[0]}"},
		}[to[2]]
		values = append(values, from, from)
		entries = append(entries, to[1]+": '"+values[r.IntN(len(values))]+"'")
	}
	head, rest, _ := strings.Cut(old, "{")
	keys := []string{"", "max_visits: 2, ", "transitions: {error: end}, ", "flags: [critical], "}[r.IntN(4)]
	return head + "{kind: set, set: {" + strings.Join(entries, ", ") + "}, " + keys + strings.Join(onward.FindAllString(rest, 1), "") + "}"
}

// says has a node send a message of fields of the state.
func says(r *rand.Rand, s, old string) string {
	fields := typedField.FindAllStringSubmatch(s, -1)
	if len(fields) == 0 {
		return old
	}
	one := func() string { return fields[r.IntN(len(fields))][1] }
	keys := []string{"say: 'About {{" + one() + "}} and {{" + one() + "}}', ", "payload: {a: " + one() + ", b: " + one() + "}, "}
	switch r.IntN(3) {
	case 0:
		keys = keys[:1]
	case 1:
		keys = keys[1:]
	}
	keys = append(keys, []string{"", "max_visits: 2, ", "transitions: {error: end}, ", "flags: [critical], "}[r.IntN(4)])
	head, rest, _ := strings.Cut(old, "{")
	return head + "{kind: say, " + strings.Join(keys, "") + strings.Join(onward.FindAllString(rest, 1), "") + "}"
}

// withKey adds a key behind that of the kind, on a line of its own where that has one.
func withKey(kind, key string) string {
	if strings.HasSuffix(kind, "\n") {
		return kind + kind[:strings.Index(kind, "kind")] + key + "\n"
	}
	return kind + " " + key + ","
}

// among is replacing within the nodes of a spec.
func among(pattern *regexp.Regexp, make func(r *rand.Rand, s, old string) string) func(*rand.Rand, string) (string, bool) {
	return func(r *rand.Rand, s string) (string, bool) {
		before, nodes, after := cutNodes(s)
		changed, ok := replacing(pattern, func(r *rand.Rand, _, old string) string { return make(r, s, old) })(r, nodes)
		return before + changed + after, ok
	}
}

// section is where another key of the graph begins.
var section = regexp.MustCompile(`(?m)^\w`)

// cutNodes cuts a spec around its nodes.
func cutNodes(s string) (before, nodes, after string) {
	at := nodesKey.FindStringIndex(s)
	if at == nil {
		return s, "", ""
	}
	end := len(s)
	if next := section.FindStringIndex(s[at[1]:]); next != nil {
		end = at[1] + next[0]
	}
	return s[:at[1]], s[at[1]:end], s[end:]
}
