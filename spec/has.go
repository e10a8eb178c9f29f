package spec

import (
	"github.com/graphgen/graphgen/spec/yamlread"
)

// A Part is a key that a file has, or a word that the value of the key has.
type Part struct {
	Mapping, Key string
	Word         string // "": the key itself
}

// Has returns the keys and words of a spec or a types file. What cannot be read has none.
func Has(file string, text []byte) map[Part]bool {
	r := yamlread.New(file, "", &language)
	has := map[Part]bool{}
	r.Seen = func(mapping string, k *Key, value *Tree) {
		has[Part{Mapping: mapping, Key: k.Name}] = true
		for _, v := range append(value.Items, *value) {
			for _, in := range append(v.Items, v) {
				for _, w := range k.Words {
					if w.Name == in.Text {
						has[Part{mapping, k.Name, w.Name}] = true
					}
				}
			}
		}
	}
	if root, ok := r.Parse(text); ok && root.Kind == yamlread.Map {
		graph(r, file, []byte(r.Source()), &root)
	}
	return has
}
