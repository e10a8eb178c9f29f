package check_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
)

// misspellings make of a key, and of what stands behind it, something that cannot be read.
var misspellings = []struct {
	name string
	make func(key, rest string) string
}{
	{"a key with a letter too many", func(key, rest string) string { return key + key[len(key)-1:] + ":" + rest }},
	{"a key of another language", func(key, rest string) string { return "xx" + key[:1] + "xx:" + rest }},
	{"a value of no form", func(key, rest string) string {
		end := strings.IndexAny(rest, ",[{}\n\"'")
		if rest[0] != ' ' || end < 2 || strings.ContainsAny(rest[end:end+1], "[{\"'") {
			return key + key[len(key)-1:] + ":" + rest // not a value of one word: misspell the key
		}
		return key + ": [[]]" + rest[end:]
	}},
}

// TestAMisspeltKeyIsToldOnce misspells every key of every valid spec in turn: what a key has
// not told is no second mistake.
func TestAMisspeltKeyIsToldOnce(t *testing.T) {
	keys := map[string]bool{}
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			keys[k.Name] = true
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
			key := string(source[at[2]:at[3]])
			line := 1 + strings.Count(string(source[:at[2]]), "\n")
			if !keys[key] || named[key] {
				continue
			}
			for _, m := range misspellings {
				mutant := string(source[:at[2]]) + m.make(key, string(source[at[1]:]))
				if found := judge(file, []byte(mutant)); len(found) != 1 {
					t.Errorf("%s:%d: %s: %s gives\n%s", filepath.Base(file), line, key, m.name, text(found))
				}
			}
		}
	}
}

// names returns what the author of a spec calls fields and labels, which may be the name of a key too.
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
	for _, n := range g.Nodes {
		if n.Output != nil {
			note(n.Output.Fields)
		}
	}
	return named
}
