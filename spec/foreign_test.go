package spec

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/diag"
)

// within is a spec with a key in a mapping.
var within = map[string]string{
	"graph":  "graph: g\nentry: a\nnodes: {a: {}}\n%s: x\n",
	"node":   "graph: g\nentry: a\nnodes: {a: {%s: x}}\n",
	"edge":   "graph: g\nentry: a\nnodes: {a: {}}\nedges: [{from: a, to: end, %s: x}]\n",
	"tool":   "graph: g\nentry: a\nnodes: {a: {}}\ntools: {t: {doc: It., %s: x}}\n",
	"limits": "graph: g\nentry: a\nnodes: {a: {}}\nlimits: {%s: x}\n",

	"requires_human": "graph: g\nentry: a\nnodes: {a: {flags: [{requires_human: {%s: x}}]}}\n",
	"retryable":      "graph: g\nentry: a\nnodes: {a: {flags: [{retryable: {%s: x}}]}}\n",
}

var namedKey = regexp.MustCompile(`\bwrite ([a-z_]+):`)

// A key of another format is told with what to write for it, once.
func TestForeignKeys(t *testing.T) {
	keys, foreignOf := map[string][]string{}, map[string]foreign{}
	var known []string
	for _, m := range Reference() {
		keys[m.Name] = m.Names()
		known = append(known, m.Names()...)
		if within[m.Name] == "" {
			continue
		}
		foreignOf[m.Name] = maps.Clone(foreignKeys[m.Name])
		for _, k := range m.Keys {
			for word, remedy := range k.Foreign {
				if foreignOf[m.Name][word] != "" {
					t.Errorf("%s of %s has two remedies", word, m.Name)
				}
				if foreignOf[m.Name] == nil {
					foreignOf[m.Name] = foreign{}
				}
				foreignOf[m.Name][word] = remedy
			}
		}
	}
	for mapping, remedies := range foreignOf {
		for _, key := range slices.Sorted(maps.Keys(remedies)) {
			if slices.Contains(keys[mapping], key) {
				t.Errorf("%s has a key %s itself", mapping, key)
				continue
			}
			if m := namedKey.FindStringSubmatch(diag.Help(remedies[key]).String()); m != nil && !slices.Contains(known, m[1]) {
				t.Errorf("%s of %s: there is no key %s", key, mapping, m[1])
			}
			_, found := Load("g.graph.yaml", fmt.Appendf(nil, within[mapping], key))
			if len(found) != 1 || found[0].Code != "GG012" || string(found[0].Help) != remedies[key] {
				t.Errorf("%s of %s: %v", key, mapping, found)
			}
		}
	}
}

// A key of another format is told with what nodes of the kind have for it. One that other kinds have is reported by package check.
func TestForeignNodeKeys(t *testing.T) {
	for kind, remedies := range foreignNodeKeys {
		var own, others []string
		for i := range nodeTable.Rows {
			if k := &nodeTable.Rows[i].Key; k.Kinds == nil || slices.Contains(k.Kinds, kind) {
				own = append(own, k.Name)
			} else {
				others = append(others, k.Name)
			}
		}
		for _, key := range slices.Sorted(maps.Keys(remedies)) {
			m := namedKey.FindStringSubmatch(diag.Help(remedies[key]).String())
			if m == nil || !slices.Contains(own, m[1]) || slices.Contains(own, key) {
				t.Errorf("%s of %s: %s", key, kind, remedies[key])
			}
			if slices.Contains(others, key) {
				continue
			}
			_, found := Load("g.graph.yaml", fmt.Appendf(nil, "graph: g\nentry: a\nnodes: {a: {kind: %s, %s: x}}\n", kind, key))
			if len(found) != 1 || found[0].Code != "GG012" || string(found[0].Help) != remedies[key] {
				t.Errorf("%s of %s: %v", key, kind, found)
			}
		}
	}
}

// The kinds that remedies name are kinds, and those of other formats are none.
func TestForeignKinds(t *testing.T) {
	kinds, foreignKinds := Names(Kinds), maps.Clone(noKinds)
	for _, k := range Kinds {
		for name, remedy := range k.Foreign {
			if foreignKinds[name] != "" {
				t.Errorf("%s has two remedies", name)
			}
			foreignKinds[name] = remedy
		}
	}
	for kind, remedy := range foreignKinds {
		if got := ForeignKind(kind); got != remedy {
			t.Errorf("ForeignKind(%q) = %q, want %q", kind, got, remedy)
		}
		if slices.Contains(kinds, kind) {
			t.Errorf("%s is a kind", kind)
		}
		if rest, ok := strings.CutPrefix(diag.Help(remedy).String(), "write kind: "); ok {
			if word, _, _ := strings.Cut(strings.ReplaceAll(rest, ",", " "), " "); !slices.Contains(kinds, word) {
				t.Errorf("%s: there is no kind %s", kind, word)
			}
		}
	}
}

// A mapping in the place of a word is told with what to write.
func TestMappingForWord(t *testing.T) {
	for key, remedy := range mappingRemedies {
		mapping := "node"
		if key == "entry" {
			continue // of the graph, below
		}
		_, found := Load("g.graph.yaml", []byte(strings.Replace(fmt.Sprintf(within[mapping], key), ": x}", ": {name: x}}", 1)))
		if len(found) != 1 || found[0].Code != "GG013" || string(found[0].Help) != remedy {
			t.Errorf("%s: %v", key, found)
		}
	}
	if _, found := Load("g.graph.yaml", []byte("graph: g\nentry: {node: a}\nnodes: {a: {}}\n")); len(found) != 1 ||
		string(found[0].Help) != mappingRemedies["entry"] {
		t.Errorf("entry: %v", found)
	}
}

// A bool in the place of words is told with what to write, at whichever mapping has the key.
func TestBoolForWord(t *testing.T) {
	for key, remedy := range boolRemedies {
		_, found := Load("g.graph.yaml", fmt.Appendf(nil, "graph: g\n%s: true\nnodes: {a: {%[1]s: true}}\n", key))
		told := slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == "GG013" && string(d.Help) == remedy })
		quotes := slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Help.String() == "put quotes around it" })
		if !told || quotes {
			t.Errorf("%s: %v", key, found)
		}
	}
}
