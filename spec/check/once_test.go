package check_test

import (
	"fmt"
	"iter"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/link"
)

// misspellings make of a key, and of what stands behind it, something that cannot be read or
// that names nothing.
var misspellings = []struct {
	name string
	make func(key, rest string) string
	fits func(k spec.Key, value string) bool
}{
	{"a key with a letter too many", func(key, rest string) string { return key + key[len(key)-1:] + ":" + rest }, always},
	{"a key of another language", func(key, rest string) string { return "xx" + key[:1] + "xx:" + rest }, always},
	{"a value of no form", func(key, rest string) string {
		return key + ": [[]]" + strings.TrimPrefix(rest[1:], word(rest))
	}, func(_ spec.Key, value string) bool { return value != "" }},
	{"a value with a letter too many", func(key, rest string) string {
		value := word(rest)
		return key + ": " + value + value[len(value)-1:] + strings.TrimPrefix(rest[1:], value)
	}, func(k spec.Key, value string) bool {
		names := k.Form == spec.FormName || k.Form == spec.FormNames || k.Form == spec.FormWords || k.Form == spec.FormWord || k.Form == spec.FormTypeText
		return names && value != "" && !slices.Contains([]string{"graph", "discriminator", "name", "model", "before", "after",
			"renamed_from", "allow_tools", "deny_tools"}, k.Name)
	}},
}

func always(spec.Key, string) bool { return true }

// word returns the value that a text behind a key begins with, empty unless it is one word.
func word(rest string) string {
	value := strings.TrimPrefix(rest, " ")
	value = value[:strings.IndexAny(value+"\n", ",[{}\n\"'")]
	if value == "" || len(value) == len(rest) || strings.ContainsAny(value, " #") {
		return ""
	}
	return value
}

// TestMisspeltKey misspells every key of every table, at a few of its places: what a key does not
// set is no second mistake.
func TestMisspeltKey(t *testing.T) {
	l := listPlaces(t)
	for _, at := range tier.Some(t, 200, len(l.places), l.places) {
		before, rest := at.source[:at.offset], at.source[at.offset+len(at.key.Name)+1:]
		for _, m := range misspellings {
			if !m.fits(at.key, word(rest)) {
				continue
			}
			if found := diag.WithoutNotes(judge(at.file, []byte(before+m.make(at.key.Name, rest)))); len(found) != 1 {
				t.Errorf("%s:%d: %s: %s gives\n%s", filepath.Base(at.file), 1+strings.Count(before, "\n"), at.key.Name, m.name, text(found))
			}
		}
	}
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			if !l.listed[m.Name+"."+k.Name] {
				t.Errorf("no valid spec has the key %s of %s", k.Name, m.Noun)
			}
		}
	}
	t.Logf("%d places", len(l.places))
}

// rare and rareTypes have the keys that no other valid spec has.
const (
	rare = `graph: rare
drivers: [temporal]
entry: ask
types:
  Point: {struct: {x: int}, doc: any}
  Amount: {go: example.com/shop/money.Amount, doc: any}
  Shape: {struct: {of: {union: {point: Point, square: {side: float}}, discriminator: is}}}
state:
  at: {struct: {shape: Shape}}
  is: {union: {point: Point, square: {side: float}}, discriminator: is}
  sum: {go: example.com/shop/money.Amount}
  word: {type: string, min_length: 1, pattern: '^a'}
  mail: {type: string, format: email}
  total: Amount
input: [at, is, sum, word, mail, total]
output: [word]
tools:
  search: {args: {word: string}}
nodes:
  ask:
    kind: prompt
    message: Say {{word}} to {{mail}}.
    tools: [search]
    tool_choice: search
    writes: word
    flags: [{retryable: {factor: 3}}]
    next: read
  read: {reads: [at, is, sum, total], next: again}
  again:
    kind: subgraph
    graph: rare
    in: {at: at, is: is, sum: sum, word: word, mail: mail, total: total}
    max_depth: 2
    child_workflow: true
`
	rareTypes = `doc: Types alone.
use: {common: common/common.types.yaml}
types:
  Place: {of: common.Level}
`
)

// A place is where a spec has a key of a table.
type place struct {
	file, source string
	offset       int
	key          spec.Key
}

// A placeList lists places that differ: in the tables that lead to the key, in the kind of its
// node, or in the form of its value. The specs are read in the order of their size.
type placeList struct {
	tables map[string]map[string]spec.Key
	most   int // places that do not differ
	count  map[string]int
	listed map[string]bool // keys, by table
	places []place

	file, source string
	lines        []string
}

func listPlaces(t *testing.T) *placeList {
	t.Helper()
	l := &placeList{tables: map[string]map[string]spec.Key{}, most: tier.Pick(1, 1, 3), count: map[string]int{}, listed: map[string]bool{}}
	for _, m := range spec.Reference() {
		l.tables[m.Name] = map[string]spec.Key{}
		for _, k := range m.Keys {
			l.tables[m.Name][k.Name] = k
		}
	}
	files := slices.Concat(specs(t, "valid"), glob(t, "../../golden/*/*.graph.yaml"), glob(t, "../../golden/*/*.types.yaml"))
	sources := map[string]string{"rare.graph.yaml": rare, "../../golden/types/rare.types.yaml": rareTypes}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources[file] = string(source)
	}
	files = slices.Collect(maps.Keys(sources))
	slices.Sort(files)
	slices.SortStableFunc(files, func(a, b string) int { return len(sources[a]) - len(sources[b]) })
	for _, l.file = range files {
		l.source = sources[l.file]
		l.lines = strings.SplitAfter(l.source, "\n")
		var root yaml.Node
		if err := yaml.Unmarshal([]byte(l.source), &root); err != nil {
			t.Fatal(err)
		}
		l.mapping(root.Content[0], "", "types file", "graph")
	}
	return l
}

// entries returns the keys and values of a mapping, none of any other node.
func entries(n *yaml.Node) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(key, value *yaml.Node) bool) {
		for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
			if !yield(n.Content[i], n.Content[i+1]) {
				return
			}
		}
	}
}

// mapping lists the keys of a mapping, and those in their values. Its table is the first that has
// all its keys. It reports whether there is one.
func (l *placeList) mapping(n *yaml.Node, path string, tables ...string) bool {
	at := slices.IndexFunc(tables, func(table string) bool {
		for key := range entries(n) {
			if _, ok := l.tables[table][key.Value]; !ok {
				return false
			}
		}
		return true
	})
	if at < 0 {
		return false
	}
	table := tables[at]
	path += table
	for key, value := range entries(n) {
		if key.Value == "kind" {
			path += " " + value.Value
		}
	}
	for key, value := range entries(n) {
		k := l.tables[table][key.Value]
		l.add(key, fmt.Sprint(path, ".", k.Name, " ", value.Kind, value.Style), table, k)
		l.value(value, path+".", k)
	}
	return true
}

// add lists the place of a key, unless there are enough of that class.
func (l *placeList) add(key *yaml.Node, class, table string, k spec.Key) {
	offset := len(strings.Join(l.lines[:key.Line-1], "")) + len(string([]rune(l.lines[key.Line-1])[:key.Column-1]))
	if l.count[class] == l.most || !strings.HasPrefix(l.source[offset:], k.Name+":") {
		return
	}
	l.count[class]++
	l.listed[table+"."+k.Name] = true
	l.places = append(l.places, place{l.file, l.source, offset, k})
}

// value lists the keys in the value of a key.
func (l *placeList) value(n *yaml.Node, path string, k spec.Key) {
	switch k.Form {
	case spec.FormMapping, spec.FormPrompt, spec.FormBody: // a text is no mapping
		if n.Kind == yaml.MappingNode {
			l.mapping(n, path, k.Of)
		}
	case spec.FormBlocks, spec.FormAsserts:
		for _, item := range n.Content {
			l.mapping(item, path, k.Of)
		}
	case spec.FormEdges:
		for _, item := range n.Content {
			l.mapping(item, path, "edge", "branch edge", "sequential edge", "loop edge")
		}
	case spec.FormTools, spec.FormServers, spec.FormNodes, spec.FormEvals, spec.FormStruct, spec.FormFields, spec.FormTemplates,
		spec.FormSkills, spec.FormParams:
		for _, item := range entries(n) {
			l.mapping(item, path, k.Of)
		}
	case spec.FormBranches:
		for _, item := range entries(n) {
			if item.Kind == yaml.MappingNode {
				l.mapping(item, path, k.Of)
			}
		}
	case spec.FormTypes, spec.FormUnion:
		for _, item := range entries(n) {
			l.typed(item, path)
		}
	case spec.FormType:
		l.typed(n, path)
	case spec.FormGuards:
		for _, item := range n.Content {
			for _, settings := range entries(item) {
				l.mapping(settings, path, k.Of)
			}
		}
	case spec.FormProcessors:
		for _, item := range n.Content {
			for name, settings := range entries(item) {
				l.mapping(settings, path, name.Value)
			}
		}
	case spec.FormFlags:
		for _, item := range n.Content {
			for flag, settings := range entries(item) {
				i := slices.IndexFunc(spec.Flags, func(w spec.FlagRow) bool { return w.Name == flag.Value })
				l.mapping(settings, path, spec.Flags[i].Of)
			}
		}
	}
}

// typed lists the keys of a type. One without a key of its own has fields.
func (l *placeList) typed(n *yaml.Node, path string) {
	if !l.mapping(n, path, "enum", "struct", "union", "Go type") {
		for _, field := range entries(n) {
			l.mapping(field, path, "field")
		}
	}
}

// TestRenamedNode renames every node of every valid spec where it is declared
// alone: the places that name it are one mistake, and what follows from it is none.
func TestRenamedNode(t *testing.T) {
	eachNode(t, func(file string, source []byte, at int, n *spec.Node) {
		old := n.Name.V
		mutant := string(source[:at]) + "zz_" + old + string(source[at+len(old):])
		if slices.ContainsFunc(expanded(t, file, []byte(mutant)).Nodes, func(n *spec.Node) bool { return n.Name.V == old }) {
			return // it gives keys to a node of the graph's pattern
		}
		if found := diag.WithoutNotes(judge(file, []byte(mutant))); len(found) > 1 {
			t.Errorf("%s:%d: node %s is renamed, which gives\n%s", filepath.Base(file), n.Name.Pos.Line, old, text(found))
		}
	})
}

// TestSecondEntry gives every node of every valid spec the flag entry, whether
// the graph names its entry by the key or by the flag.
func TestSecondEntry(t *testing.T) {
	eachNode(t, func(file string, source []byte, at int, n *spec.Node) {
		if _, ok := n.Flag(spec.Entry); ok {
			return
		}
		if g := expanded(t, file, source); g.Entry.V == n.Name.V {
			return
		}
		before, rest := string(source[:at+len(n.Name.V)]), string(source[at+len(n.Name.V):])
		lines := strings.SplitAfter(rest, "\n")
		indent := strings.Repeat(" ", n.Name.Pos.Col+1)
		switch {
		case len(n.Flags) > 0 && strings.Contains(rest, "flags: ["):
			rest = strings.Replace(rest, "flags: [", "flags: [entry, ", 1)
		case len(n.Flags) > 0 || strings.Contains(lines[0], "flags: []"):
			return
		case strings.HasPrefix(rest, ": {}"):
			rest = ": {flags: [entry]}" + rest[len(": {}"):]
		case strings.HasPrefix(rest, ": {"):
			rest = ": {flags: [entry], " + rest[len(": {"):]
		case strings.TrimSpace(lines[0]) == ":" && strings.HasPrefix(lines[1], indent):
			rest = lines[0] + indent + "flags: [entry]\n" + strings.Join(lines[1:], "")
		default:
			t.Logf("%s: node %s is left alone", filepath.Base(file), n.Name.V)
			return
		}
		if found := diag.WithoutNotes(judge(file, []byte(before+rest))); len(found) != 1 {
			t.Errorf("%s:%d: node %s has the flag entry, which gives\n%s", filepath.Base(file), n.Name.Pos.Line, n.Name.V, text(found))
		}
	})
}

// TestSeveralEntries marks as entry a node from which runs do not come to all:
// which node they start at is the one mistake.
func TestSeveralEntries(t *testing.T) {
	const rest = "graph: g\nstate: {x: string, y: string}\noutput: [y]\n"
	for _, source := range []string{
		rest + "nodes:\n  b: {flags: [entry], reads: x, writes: y}\n  a: {flags: [entry], writes: x, next: b}\n",
		rest + "nodes:\n  a: {flags: [entry], writes: x, next: b}\n  b: {flags: [entry], reads: x, writes: y}\n",
		rest + "entry: b\nnodes:\n  a: {flags: [entry], writes: x, next: b}\n  b: {reads: x, writes: y}\n",
		rest + "entry: a\nnodes:\n  a: {writes: x, next: b}\n  b: {flags: [entry], reads: x, writes: y}\n",
	} {
		found := diag.WithoutNotes(judge("g.graph.yaml", []byte(source)))
		if len(found) != 1 || found[0].Code != "GG051" {
			t.Errorf("%s\ngives\n%s", source, text(found))
		}
	}
}

// eachNode visits nodes of the valid specs, with the place of the name in the source: in the tier full every node, else some.
func eachNode(t *testing.T, visit func(file string, source []byte, at int, n *spec.Node)) {
	t.Helper()
	visited := 0
	for _, file := range tier.Some(t, 30, 100, append(specs(t, "valid"), glob(t, "../../golden/*/*.graph.yaml")...)) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfter(string(source), "\n")
		g, _ := spec.Load(file, source)
		for _, n := range g.Nodes {
			at := len(strings.Join(lines[:n.Name.Pos.Line-1], "")) + n.Name.Pos.Col - 1
			if strings.HasPrefix(string(source[at:]), n.Name.V+":") {
				visited++
				visit(file, source, at, n)
			}
		}
	}
	if visited < tier.Pick(50, 100, 100) {
		t.Fatalf("%d nodes were visited", visited)
	}
}

// expanded loads a spec with the templates that it uses expanded.
func expanded(t *testing.T, file string, source []byte) *spec.Graph {
	t.Helper()
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	g, _ := spec.Load(file, source)
	link.New(here, os.ReadFile, nil).Link(g)
	return g
}
