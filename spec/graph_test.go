package spec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/graphgen/graphgen/spec"
)

// TestEveryKeyReachesTheGraph reads a spec that uses every key and compares the whole
// graph, places included, with the list beside it.
func TestEveryKeyReachesTheGraph(t *testing.T) {
	file := filepath.Join(syntaxFolder, "every_key.yaml")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, found := spec.Load("every_key.yaml", text)
	if len(found) > 0 {
		t.Fatalf("unexpected diagnostics:\n%s", list(found))
	}
	for _, m := range spec.Reference() {
		for _, k := range m.Keys {
			if !regexp.MustCompile(`\b` + k.Name + `:`).Match(text) {
				t.Errorf("%s: key %s is not used in %s", m.Name, k.Name, file)
			}
		}
	}
	var b strings.Builder
	dump(&b, "", reflect.ValueOf(*g))
	golden(t, strings.TrimSuffix(file, ".yaml")+".graph", b.String())
}

// dump writes every written value of a graph with its path and place, one a line.
func dump(b *strings.Builder, path string, v reflect.Value) {
	switch x := v.Interface().(type) {
	case []byte:
		return
	case spec.Pos:
		if x.IsSet() {
			fmt.Fprintf(b, "%s at %d:%d+%d\n", path, x.Line, x.Col, x.Width)
		}
		return
	case time.Duration:
		fmt.Fprintf(b, "%s = %v\n", path, x)
		return
	case spec.Text:
		if x.File.IsSet() {
			dump(b, path+".File", reflect.ValueOf(x.File))
			return
		}
	case spec.Scalar:
		fmt.Fprintf(b, "%s = %q kind %d at %d:%d+%d\n", path, x.Text, x.Kind, x.Pos.Line, x.Pos.Col, x.Pos.Width)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if value, ok := v.Type().FieldByName("V"); ok {
			if pos := v.FieldByName("Pos").Interface().(spec.Pos); pos.IsSet() {
				fmt.Fprintf(b, "%s = %#v at %d:%d+%d\n", path, v.FieldByIndex(value.Index).Interface(), pos.Line, pos.Col, pos.Width)
			}
			return
		}
		for i := range v.NumField() {
			dump(b, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			dump(b, fmt.Sprintf("%s[%d]", path, i), v.Index(i))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			dump(b, path, v.Elem())
		}
	default:
		if !v.IsZero() {
			fmt.Fprintf(b, "%s = %v\n", path, v.Interface())
		}
	}
}

func TestUnreadableValues(t *testing.T) {
	g, found := spec.Load("x", []byte("graph: g\nstate: {x: \"[]\", y: [int]}\nedges:\n  - {from: [a], to: *b }\n  - {from: a, to: 3, priority: high}\n"))
	if g != nil || len(found) != 1 {
		t.Fatalf("an unknown alias ends reading; got %v\n%s", g, list(found))
	}
	g, found = spec.Load("x", []byte("graph: g\nstate: {x: \"[]\", y: [int]}\nedges:\n  - {from: [a], to: 3, priority: high}\n"))
	if len(found) != 5 {
		t.Fatalf("want 5 diagnostics, got\n%s", list(found))
	}
	e := g.Edges[0]
	if !e.From.IsSet() || !e.From.Lost || !e.To.IsSet() || !e.To.Lost || !e.Priority.IsSet() || !e.Priority.Lost {
		t.Errorf("edge %+v", e)
	}
	for _, f := range g.State {
		inner := f.Type
		for inner.Elem != nil {
			inner = inner.Elem
		}
		if inner.Kind != spec.TypeNamed || inner.Name != "" || !inner.Pos.IsSet() {
			t.Errorf("field %s: type %+v", f.Name.V, inner)
		}
	}
}

// TestConditionPosition reads a condition in every style of YAML.
func TestConditionPosition(t *testing.T) {
	cases := map[string]struct {
		written string
		code    string
		pos     spec.Pos
	}{
		"without quotes":         {"out.X > 1 # high", "out.X > 1", spec.Pos{Line: 5, Col: 9, Width: 9}},
		"in double quotes":       {`"out.X > 1"`, "out.X > 1", spec.Pos{Line: 5, Col: 10, Width: 9}},
		"in single quotes":       {`'out.S == "a"'`, `out.S == "a"`, spec.Pos{Line: 5, Col: 10, Width: 12}},
		"after blanks in quotes": {`"  out.X "`, "out.X", spec.Pos{Line: 5, Col: 12, Width: 5}},
		"with escapes":           {`"out.S == \"a\""`, `out.S == "a"`, spec.Pos{Line: 5, Col: 10, Width: 14}},
		"as a literal block":     {"|\n      out.X &&\n        out.Y", "out.X &&\n  out.Y", spec.Pos{Line: 6, Col: 7, Width: 8}},
		"as a folded block":      {">-\n\n\n       out.X &&\n       out.Y", "out.X && out.Y", spec.Pos{Line: 8, Col: 8, Width: 8}},
		"over two quoted lines":  {"\"out.X &&\n      out.Y\"", "out.X && out.Y", spec.Pos{Line: 5, Col: 10, Width: 8}},
		"as a bool":              {"true", "true", spec.Pos{Line: 5, Col: 9, Width: 4}},
		"beside wide letters":    {`"state.ä == 1"`, "state.ä == 1", spec.Pos{Line: 5, Col: 10, Width: 12}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			g, found := spec.Load("x", []byte("graph: g\nedges:\n  - from: a\n    to: b\n    if: "+c.written+"\n"))
			if len(found) > 0 {
				t.Fatalf("unexpected diagnostics:\n%s", list(found))
			}
			got := g.Edges[0].If
			if got.V != c.code || got.Pos != c.pos {
				t.Errorf("got %q at %+v, want %q at %+v", got.V, got.Pos, c.code, c.pos)
			}
		})
	}
}

func TestTooManyMistakes(t *testing.T) {
	_, found := spec.Load("x", []byte("graph: g\nnodes:\n  a: {"+strings.Repeat("1: x, ", 300)+"}\n"))
	if len(found) != 200 || !strings.HasSuffix(found[199].Help.String(), "the file has 100 more mistakes") {
		t.Errorf("%d diagnostics, the last %+v", len(found), found[len(found)-1])
	}
}
