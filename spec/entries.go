package spec

import (
	"fmt"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// edges reads the edges section.
func edges(r *reader, v *Tree, k *Key) []*Edge {
	if v.Kind != yamlread.List {
		r.Mismatch(v, k)
		r.Tear()
		return nil
	}
	edges := make([]*Edge, 0, len(v.Items))
	for i := range v.Items {
		item := &v.Items[i]
		if item.Kind != yamlread.Map {
			r.Expected(item, "an edge", "write it as in "+diag.Item("{from: draft, to: end}"))
			edges = append(edges, &Edge{Pos: item.Pos, From: yamlread.Lost(item.Pos), To: yamlread.Lost(item.Pos), Unread: true})
			continue
		}
		e := &Edge{Pos: item.Pos}
		form := edgeForm(item)
		yamlread.Read(r, unmixed(r, item, form), form, e)
		edges = append(edges, e)
	}
	return edges
}

// edgeForms are the forms of an entry of edges, each known by the key of its name; a
// plain edge has none of these keys.
var edgeForms = [...]struct {
	key  string
	form *table[Edge]
}{
	{"sequential", &sequentialTable},
	{"loop_until", &loopEdgeTable},
	{"branch", &branchTable},
	{"", &edgeTable},
}

// edgeForm returns the form of an entry: the one whose key it has, else the one that it has
// another key of, or whose key it has misspelt.
func edgeForm(entry *Tree) *table[Edge] {
	keys := make([]string, len(edgeForms)-1)
	for i, f := range edgeForms[:len(keys)] {
		if entry.Get(f.key) != nil {
			return f.form
		}
		keys[i] = f.key
	}
	if entry.Get("by") != nil && entry.Get("to") == nil {
		return &branchTable
	}
	for i := 0; i < len(entry.Items) && entry.Get("to") == nil; i += 2 {
		if near, ok := diag.Suggest(entry.Items[i].Text, keys); ok && !isEdgeKey(entry.Items[i].Text) {
			return edgeForms[slices.Index(keys, near)].form
		}
	}
	return &edgeTable
}

// unmixed reports the keys of an entry that belong to another form than its own, and
// returns the entry without them.
func unmixed(r *reader, entry *Tree, own *table[Edge]) *Tree {
	if own == &edgeTable {
		return entry
	}
	rest := *entry
	rest.Items = nil
	for i := 0; i < len(entry.Items); i += 2 {
		key := &entry.Items[i]
		if own.Index(key.Text) < 0 && isEdgeKey(key.Text) {
			r.Report("GG019", key.Pos, fmt.Sprintf("%s cannot have the key %q", own.Noun, key.Text), "make it an entry of its own")
			rest.Dropped++
			continue
		}
		rest.Items = append(rest.Items, *key, entry.Items[i+1])
	}
	return &rest
}

func isEdgeKey(key string) bool {
	for _, f := range edgeForms {
		if f.form.Index(key) >= 0 {
			return true
		}
	}
	return false
}

// match reads the condition on_output.
func match(r *reader, v *Tree, k *Key) *OutputMatch {
	m := &OutputMatch{Pos: v.Pos}
	switch {
	case v.Kind == yamlread.Text && v.Text != "":
		m.Key, m.Value = String{V: v.Text, Pos: v.Pos}, Scalar{Kind: yamlread.Bool, Text: "true", Pos: v.Pos}
		return m
	case v.Kind != yamlread.Map:
		r.Mismatch(v, k)
		return m
	case len(v.Items) != 2:
		r.Report("GG019", v.Pos, fmt.Sprintf("on_output needs exactly one entry, found %d", len(v.Items)/2),
			"write it as in "+diag.Item("{status: done}")+"; an if can compare more")
		return m
	}
	key, value := &v.Items[0], &v.Items[1]
	m.Key = String{V: key.Text, Pos: key.Pos}
	switch {
	case value.Kind == yamlread.Null && value.Text == "":
		r.Report("GG015", key.Pos, fmt.Sprintf("the key %q has no value", key.Text), "write the value the output must have, or null")
	case value.IsScalar():
		m.Value = Scalar{Kind: value.Kind, Text: value.Text, Pos: value.Pos}
	case value.Kind != yamlread.Unreadable:
		r.Expected(value, "a text, number, bool or null", "an if can compare lists and structs")
	}
	return m
}

// confidenceAt is the place of a threshold of confidence, which is a number, or true for the default.
type confidenceAt struct{ *Value[float64] }

func least(r *reader, v *Tree) Value[float64] {
	if v.Kind == yamlread.Bool && strings.EqualFold(v.Text, "true") {
		return Value[float64]{V: DefaultConfidence, Pos: v.Pos}
	}
	return r.Number(v)
}

// flags reads a node's flags: names, and names with settings.
func flags(r *reader, v *Tree, k *Key) []Flag {
	switch v.Kind {
	case yamlread.Unreadable:
		return nil
	case yamlread.Map:
		r.Mismatch(v, k)
		return []Flag{{Name: yamlread.Lost(v.Pos)}}
	}
	var flags []Flag
	items := v.AsList()
	for i := range items {
		if items[i].Kind == yamlread.Map {
			flags = append(flags, flagSettings(r, &items[i])...)
		} else {
			flags = append(flags, Flag{Name: r.Text(&items[i], yamlread.AnyName)})
		}
	}
	return flags
}

// flagSettings reads a flag that has some. Of several in one mapping the names are kept.
func flagSettings(r *reader, v *Tree) (flags []Flag) {
	if len(v.Items) != 2 {
		r.Report("GG019", v.Pos, fmt.Sprintf("a flag with settings is one name, found %d", len(v.Items)/2),
			"begin every flag with \"- \", or separate them by commas")
		for i := 0; i < len(v.Items); i += 2 {
			flags = append(flags, Flag{Name: String{V: v.Items[i].Text, Pos: v.Items[i].Pos}})
		}
		return flags
	}
	key, value := &v.Items[0], &v.Items[1]
	flag := Flag{Name: String{V: key.Text, Pos: key.Pos}}
	for _, known := range Flags {
		switch {
		case known.Name != key.Text:
		case known.Of == "":
			r.Report("GG019", key.Pos, fmt.Sprintf("the flag %q has no settings", key.Text), "write its name alone")
		case value.Kind == yamlread.Null:
			r.Report("GG015", key.Pos, fmt.Sprintf("the flag %q has a colon but no settings", key.Text),
				"write its name alone, or its settings as in "+diag.Item("{retryable: {attempts: 5}}"))
		case known.Of == approvalTable.Name:
			flag.Approval = &Approval{}
			yamlread.Read(r, value, &approvalTable, flag.Approval)
		default:
			flag.Retry = &Retry{}
			yamlread.Read(r, value, &retryTable, flag.Retry)
		}
	}
	return []Flag{flag}
}

// guards reads a node's guards: names, and names with settings.
func guards(r *reader, v *Tree, k *Key) []Guard {
	return withSettings(r, v, "guard", func(name String, unread bool) Guard { return Guard{Name: name, Unread: unread} }, func(item *Tree) Guard {
		g := Guard{Name: String{V: item.Items[0].Text, Pos: item.Items[0].Pos}}
		if value := &item.Items[1]; value.Kind == yamlread.Null {
			r.Report("GG015", g.Name.Pos, fmt.Sprintf("the guard %q has a colon but no settings", g.Name.V),
				"write its name alone, or what it reads as in "+k.Form.Example)
		} else {
			yamlread.Read(r, value, &guardTable, &g)
		}
		return g
	})
}

// withSettings reads a list of names, and of names with settings. what is what a name is of.
func withSettings[T any](r *reader, v *Tree, what string, alone func(name String, unread bool) T, settings func(*Tree) T) (list []T) {
	if v.Kind == yamlread.Unreadable {
		return nil
	}
	items := v.AsList()
	for i := range items {
		switch item := &items[i]; {
		case item.Kind != yamlread.Map:
			list = append(list, alone(r.Text(item, yamlread.AnyName), false))
		case len(item.Items) != 2:
			r.Report("GG019", item.Pos, fmt.Sprintf("a %s with settings is one name, found %d", what, len(item.Items)/2),
				"begin every "+what+" with \"- \", or separate them by commas")
			list = append(list, alone(yamlread.Lost(item.Pos), true))
		default:
			list = append(list, settings(item))
		}
	}
	return list
}

// processors reads processors of a node: names, and words with settings.
func processors(r *reader, v *Tree, k *Key) []Processor {
	return withSettings(r, v, "processor", func(name String, unread bool) Processor { return Processor{Name: name, Unread: unread} },
		func(item *Tree) Processor { return processorSettings(r, item, k) })
}

// processorSettings reads a processor that has some.
func processorSettings(r *reader, v *Tree, k *Key) Processor {
	key, value := &v.Items[0], &v.Items[1]
	p := Processor{Name: String{V: key.Text, Pos: key.Pos}}
	for _, t := range processorTables {
		switch {
		case t.Name != key.Text:
		case value.Kind == yamlread.Null:
			r.Report("GG015", key.Pos, fmt.Sprintf("the processor %q has a colon but no settings", key.Text),
				"write its name alone, or its settings as in "+k.Form.Example)
			return p
		default:
			yamlread.Read(r, value, t, &p)
			return p
		}
	}
	r.Report("GG019", key.Pos, fmt.Sprintf("the processor %q has no settings", key.Text), "write its name alone")
	p.Unread = true
	return p
}

// assertionKey is the key of an assertion that is written without its keys.
var assertionKey = &Key{Form: FormAssert}

// assertions reads what is asserted: statements, and statements with a reason.
func assertions(r *reader, v *Tree) []*Assertion {
	var out []*Assertion
	items := v.AsList()
	for i := range items {
		a, item := &Assertion{}, &items[i]
		if item.Kind == yamlread.Map {
			yamlread.Read(r, item, &assertionTable, a)
		} else {
			a.That = r.Text(item, assertionKey)
		}
		out = append(out, a)
	}
	return out
}

// readBranches reads the branches of a parallel: names of nodes, or lists of them, by name.
func readBranches(r *reader, v *Tree, k *Key) (branches []Branch) {
	if v.Dropped > 0 {
		r.Tear()
	}
	if !r.Each(v, k, func(name String, value *Tree) {
		branches = append(branches, readBranch(r, name, value))
	}) {
		return []Branch{{Name: yamlread.Lost(v.Pos), Nodes: []String{yamlread.Lost(v.Pos)}}}
	}
	return branches
}

// readBranch reads a branch: its nodes, or a mapping that has more of it.
func readBranch(r *reader, name String, v *Tree) Branch {
	b := Branch{Name: name}
	if v.Kind != yamlread.Map {
		b.Nodes = r.Names(v, branchKey)
		return b
	}
	yamlread.Read(r, v, &branchSettingsTable, &b)
	if v.Get("entry") != nil && v.Get("run") != nil {
		r.Report("GG019", v.Pos, fmt.Sprintf("branch %q has both run and entry", name.V),
			"name nodes that run one after the other in run, or the first node of a graph in entry")
		b.Unread = true
	}
	if b.Unread && len(b.Nodes) == 0 {
		b.Nodes = []String{yamlread.Lost(v.Pos)}
	}
	return b
}

// tree is the branch as it may be written.
func (b *Branch) tree() Tree {
	if b.If.IsSet() || b.Graph {
		return keysTree(&branchSettingsTable, b)
	}
	return namesTree(b.Nodes)
}

// readBody reads a body: its nodes, or a mapping with the entry of a graph.
func readBody(r *reader, v *Tree, k *Key, n *Node) {
	if n.BodyPos = v.Pos; v.Kind != yamlread.Map {
		n.Body = r.Names(v, k)
		return
	}
	n.BodyGraph = true
	yamlread.Read(r, v, &bodyTable, n)
}

// bodyTree is a body as it may be written, with its place.
func (n *Node) bodyTree() Tree {
	t := namesTree(n.Body)
	if n.BodyGraph {
		t = keysTree(&bodyTable, n)
	}
	t.Pos = n.BodyPos
	return t
}

// branchKey is the key of the nodes of a branch.
var branchKey = &Key{Form: FormNames}
