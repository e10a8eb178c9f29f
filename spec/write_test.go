package spec_test

import (
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/graphgen/graphgen/spec"
)

// What is written has to be read as what it was written from.
func TestWriteRoundTrip(t *testing.T) {
	var files []string
	for _, pattern := range []string{
		"../testdata/specs/valid/*.graph.yaml", "../golden/*/*.graph.yaml", "../examples/*/*.graph.yaml", "../bench/*/*.graph.yaml",
	} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatal(pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		g, found := spec.Load(file, source)
		if len(found) > 0 {
			t.Fatal(list(found))
		}
		text := spec.Write(g)
		again, found := spec.Load(file, text)
		if len(found) > 0 {
			t.Errorf("%s is written as\n%s\nwhich gives\n%s", file, text, list(found))
			continue
		}
		if have, want := bare(again), bare(g); !reflect.DeepEqual(have, want) {
			t.Errorf("%s is written as\n%s\nwhich is another graph", file, text)
		}
		if twice := spec.Write(again); string(twice) != string(text) {
			t.Errorf("%s is written in two ways:\n%s\n%s", file, text, twice)
		}
		unread, found := spec.Read(file, source, spec.TreeOf(g))
		if len(found) > 0 || !reflect.DeepEqual(bare(unread), bare(g)) {
			t.Errorf("%s is another graph when it is read from its tree: %s", file, list(found))
		}
	}
}

// bare returns a copy of a graph in which every place that is set is the same.
func bare(g *spec.Graph) *spec.Graph {
	g.Source = nil
	erase(reflect.ValueOf(g))
	return g
}

var posType = reflect.TypeFor[spec.Pos]()

func erase(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			erase(v.Elem())
		}
	case reflect.Slice:
		if v.Len() == 0 && v.CanSet() {
			v.SetZero()
		}
		for i := range v.Len() {
			erase(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == posType {
			if !v.IsZero() {
				v.Set(reflect.ValueOf(spec.Pos{Line: 1, Col: 1}))
			}
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).Name == "Style" { // of a text: its quotes
				v.Field(i).SetZero()
				continue
			}
			erase(v.Field(i))
		}
	}
}

func TestWrittenTexts(t *testing.T) {
	for _, text := range []string{
		"plain words", "a: b", "- a", "# no comment", "yes, no", "{x}", "[x", "*x", "&x", "!x", "it's", `say "hi"`, `"it's"`, `C:\dir`,
		"two\nlines", "tab\there", "true", "12", "1.5", "~", "null", "é", "a\u2028b", "ends with space ", " begins with one", "?", "a #b", "@x", "`x`",
	} {
		g := &spec.Graph{Name: spec.String{V: "g", Pos: spec.Pos{Line: 1, Col: 1}}, Doc: spec.String{V: text, Pos: spec.Pos{Line: 2, Col: 1}}}
		written := spec.Write(g)
		again, found := spec.Load("g.graph.yaml", written)
		if len(found) > 0 || again.Doc.V != text {
			t.Errorf("%q is written as\n%s\nand read as %q\n%s", text, written, again.Doc.V, list(found))
		}
	}
}
