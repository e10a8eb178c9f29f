package check_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
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
		return names && value != "" && !slices.Contains([]string{"graph", "discriminator", "name", "model", "before", "after"}, k.Name)
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

// TestAMisspeltKeyIsToldOnce misspells every key of every valid spec in turn: what a key has
// not told is no second mistake.
func TestAMisspeltKeyIsToldOnce(t *testing.T) {
	keys := map[string]spec.Key{}
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			keys[k.Name] = k
		}
	}
	written := regexp.MustCompile(`(?m)(?:^ *(?:- )?|[{,] ?)([a-z_]+):`)
	for _, file := range append(specs(t, "valid"), glob(t, "../../golden/*/*.graph.yaml")...) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		named := names(file, source)
		for _, at := range written.FindAllSubmatchIndex(source, -1) {
			key, before, rest := string(source[at[2]:at[3]]), string(source[:at[2]]), string(source[at[1]:])
			row, known := keys[key]
			if !known || named[key] {
				continue
			}
			for _, m := range misspellings {
				if !m.fits(row, word(rest)) {
					continue
				}
				mutant := before + m.make(key, rest)
				if found := diag.WithoutNotes(judge(file, []byte(mutant))); len(found) != 1 {
					line := 1 + strings.Count(before, "\n")
					t.Errorf("%s:%d: %s: %s gives\n%s", filepath.Base(file), line, key, m.name, text(found))
				}
			}
		}
	}
}

// names returns what the author of a spec calls fields, nodes, branches and labels, which may be the name of a key too.
func names(file string, source []byte) map[string]bool {
	g, _ := spec.Load(file, source)
	named := map[string]bool{}
	var note func(fields []*spec.Field)
	note = func(fields []*spec.Field) {
		for _, f := range fields {
			named[f.Name.V] = true
			if f.Type != nil {
				note(f.Type.Fields)
			}
		}
	}
	note(g.State)
	for _, e := range g.Edges {
		for _, l := range e.Branch {
			named[l.Name.V] = true
		}
	}
	for _, d := range g.Types {
		note(d.Type.Fields)
	}
	for _, t := range g.Tools {
		named[t.Name.V] = true
		note(t.Args)
	}
	for _, n := range g.Nodes {
		named[n.Name.V] = true
		for _, t := range n.Transitions {
			named[t.Key.V] = true
		}
		for _, b := range n.Branches {
			named[b.Name.V] = true
		}
		for _, e := range n.Evals {
			named[e.Name.V] = true
		}
		if n.Output != nil {
			note(n.Output.Fields)
		}
	}
	return named
}

// TestARenamedNodeIsReportedOnce renames every node of every valid spec where it is declared
// alone: the places that name it are one mistake, and what follows from it is none.
func TestARenamedNodeIsReportedOnce(t *testing.T) {
	eachNode(t, func(file string, source []byte, at int, n *spec.Node) {
		old := n.Name.V
		mutant := string(source[:at]) + "zz_" + old + string(source[at+len(old):])
		if found := diag.WithoutNotes(judge(file, []byte(mutant))); len(found) > 1 {
			t.Errorf("%s:%d: node %s is renamed, which gives\n%s", filepath.Base(file), n.Name.Pos.Line, old, text(found))
		}
	})
}

// TestASecondEntryIsReportedOnce gives every node of every valid spec the flag entry, whether
// the graph names its entry by the key or by the flag.
func TestASecondEntryIsReportedOnce(t *testing.T) {
	eachNode(t, func(file string, source []byte, at int, n *spec.Node) {
		if _, ok := n.Flag(spec.Entry); ok {
			return
		}
		g, _ := spec.Load(file, source)
		if g.Entry.V == n.Name.V {
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

// TestSeveralEntriesHideWhatIsReached marks as entry a node from which runs do not come to all:
// which node they start at is the one mistake.
func TestSeveralEntriesHideWhatIsReached(t *testing.T) {
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

// eachNode visits every node of every valid spec, with the place of its name in the source.
func eachNode(t *testing.T, visit func(file string, source []byte, at int, n *spec.Node)) {
	t.Helper()
	visited := 0
	for _, file := range append(specs(t, "valid"), glob(t, "../../golden/*/*.graph.yaml")...) {
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
	if visited < 100 {
		t.Fatalf("%d nodes were visited", visited)
	}
}
