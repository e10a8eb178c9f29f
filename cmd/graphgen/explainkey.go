package main

import (
	"embed"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
)

// explained are small specs that have the keys which the good examples of the checks do not have.
//
//go:embed explained
var explained embed.FS

// smallest has for each key and word the smallest spec with it.
var smallest = sync.OnceValue(func() map[spec.Part]string {
	found := map[spec.Part]string{}
	add := func(name, text string) {
		for _, f := range diag.Files(name, text) {
			for p := range spec.Has(f.Name, []byte(f.Text)) {
				if old := found[p]; old == "" || longer(old, text) {
					found[p] = text
				}
			}
		}
	}
	for _, r := range check.Rules() {
		add("example"+specSuffix, r.Good)
	}
	files, _ := explained.ReadDir("explained")
	for _, f := range files {
		text, _ := explained.ReadFile("explained/" + f.Name())
		add(f.Name(), string(text))
	}
	return found
})

// longer reports whether a text has more lines than another, or as many and more bytes.
func longer(a, b string) bool {
	m, n := strings.Count(a, "\n"), strings.Count(b, "\n")
	return m > n || m == n && len(a) > len(b)
}

// A meaning is a key of a mapping, or a word that its value may be.
type meaning struct {
	of   spec.Mapping
	key  spec.Key
	word *spec.Word // nil: the key itself
}

// meanings returns what a name is in the language, as KEY or MAPPING.KEY.
func meanings(name string) (list []meaning) {
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			if name == k.Name || name == m.Name+"."+k.Name {
				list = append(list, meaning{m, k, nil})
			}
			for _, w := range k.Words {
				if name == w.Name {
					list = append(list, meaning{m, k, &w})
				}
			}
		}
	}
	return list
}

// keyNames are the names of keys and words.
func keyNames() (names []string) {
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			names = append(append(names, k.Name), spec.Names(k.Words)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// explainKey prints what a name means wherever the language has it, with a text before the first meaning and an empty line before others.
func explainKey(w io.Writer, list []meaning, before string) {
	for _, d := range list {
		fmt.Fprint(w, before)
		before = "\n"
		part := spec.Part{Mapping: d.of.Name, Key: d.key.Name}
		if d.word != nil {
			part.Word = d.word.Name
			fmt.Fprintf(w, "%s: a word of %s, a key of %s\n\n%s", d.word.Name, d.key.Name, d.of.Noun, wrapped(d.word.Doc))
		} else {
			fmt.Fprintf(w, "%s: a key of %s\n\n%s\n%s", d.key.Name, d.of.Noun, wrapped(d.key.Doc), settings(d))
		}
		text := smallest()[part]
		if text == "" {
			part.Word = ""
			text = smallest()[part]
		}
		if text != "" {
			fmt.Fprintf(w, "\nFor example:\n\n%s", example(text))
		}
	}
}

// settings are what the value of a key may be, one line each.
func settings(d meaning) string {
	var b strings.Builder
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%-9s %s\n", name, text)
		}
	}
	value := d.key.Form.String()
	if len(d.key.Words) > 0 {
		value = strings.Join(spec.Names(d.key.Words), ", ")
	}
	line("value:", value)
	line("default:", d.key.Default)
	if d.key.Required {
		line("required:", "yes")
	}
	line("kinds:", strings.Join(d.key.Kinds, ", "))
	line("needed:", map[spec.Ring]string{spec.First: "in a first graph", spec.Production: "in production"}[spec.RingOf(d.of.Name, d.key.Name)])
	return b.String()
}
