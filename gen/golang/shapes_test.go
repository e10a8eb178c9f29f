package golang

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/internal/testing/tier"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/gotag"
)

// A shape is a Go type that a field may have, and what the file declares for it.
type shape struct{ typ, imports, decls string }

const graphImport = "import \"" + gotag.Marker + "\"\n"

// shapes are Go types of fields: those that the language has and those that it lacks.
var shapes = []shape{
	{typ: "string"}, {typ: "int"}, {typ: "float64"}, {typ: "bool"}, {typ: "any"}, {typ: "interface{}"}, {typ: "error"},
	{typ: "int8"}, {typ: "uint"}, {typ: "rune"}, {typ: "byte"}, {typ: "complex128"}, {typ: "uintptr"}, {typ: "float32"},
	{typ: "comparable"},
	{typ: "[]string"}, {typ: "[]int"}, {typ: "[]byte"}, {typ: "[]uint8"}, {typ: "[][]byte"}, {typ: "[]any"}, {typ: "[][]any"}, {typ: "[]rune"},
	{typ: "map[string]any"}, {typ: "map[string][]any"}, {typ: "*any"}, {typ: "map[string]*any"}, {typ: "[]*any"},
	{typ: "map[string]string"}, {typ: "map[int]string"}, {typ: "map[any]string"}, {typ: "map[K]string", decls: "type K string\nconst KA K = \"a\""},
	{typ: "*string"}, {typ: "**string"}, {typ: "[]*string"}, {typ: "*[]string"}, {typ: "map[string]*int"}, {typ: "[]**int"},
	{typ: "*map[string]int"}, {typ: "*[]byte"}, {typ: "*[]any"},
	{typ: "[3]int"}, {typ: "[...]int"}, {typ: "[]([]int)"}, {typ: "(string)"}, {typ: "*(*int)"},
	{typ: "chan int"}, {typ: "func()"}, {typ: "func(int) string"}, {typ: "interface{ M() }"}, {typ: "interface{ ~int }"},
	{typ: "struct{}"}, {typ: "struct{ A int }"}, {typ: "[]struct{ A int }"}, {typ: "*struct{ A int }"}, {typ: "map[string]struct{}"}, {typ: "struct{ a int }"},
	{typ: "json.RawMessage", imports: "import \"encoding/json\"\n"},
	{typ: "[]json.RawMessage", imports: "import \"encoding/json\"\n"}, {typ: "map[string]json.RawMessage", imports: "import \"encoding/json\"\n"},
	{typ: "*json.RawMessage", imports: "import \"encoding/json\"\n"}, {typ: "raw.RawMessage", imports: "import raw \"encoding/json\"\n"},
	{typ: "RawMessage", imports: "import . \"encoding/json\"\n"},
	{typ: "json.Number", imports: "import \"encoding/json\"\n"},
	{typ: "jsontext.Value", imports: "import \"github.com/go-json-experiment/json/jsontext\"\n"},
	{typ: "[]jsontext.Value", imports: "import \"github.com/go-json-experiment/json/jsontext\"\n"},
	{typ: "map[string]*jsontext.Value", imports: "import \"github.com/go-json-experiment/json/jsontext\"\n"},
	{typ: "V", imports: "import \"github.com/go-json-experiment/json/jsontext\"\n", decls: "type V = jsontext.Value"},
	{typ: "V", imports: "import \"github.com/go-json-experiment/json/jsontext\"\n", decls: "type V jsontext.Value"},
	{typ: "V", imports: "import \"encoding/json\"\n", decls: "type V = []json.RawMessage"},
	{typ: "time.Time", imports: "import \"time\"\n"}, {typ: "time.Duration", imports: "import \"time\"\n"},
	{typ: "*time.Time", imports: "import \"time\"\n"}, {typ: "[]time.Duration", imports: "import \"time\"\n"},
	{typ: "time.Month", imports: "import \"time\"\n"}, {typ: "time.Location", imports: "import \"time\"\n"},
	{typ: "t.Time", imports: "import t \"time\"\n"}, {typ: "Time", imports: "import . \"time\"\n"},
	{typ: "url.URL", imports: "import \"net/url\"\n"}, {typ: "*url.URL", imports: "import \"net/url\"\n"},
	{typ: "big.Int", imports: "import \"math/big\"\n"}, {typ: "sync.Mutex", imports: "import \"sync\"\n"},
	{typ: "http.Header", imports: "import \"net/http\"\n"}, {typ: "io.Reader", imports: "import \"io\"\n"},
	{typ: "context.Context", imports: "import \"context\"\n"},
	{typ: "strings.Builder", imports: "import \"strings\"\n"}, {typ: "unsafe.Pointer", imports: "import \"unsafe\"\n"},
	{typ: "chat.Message", imports: "import \"github.com/graphgen/graphgen/chat\"\n"},
	{typ: "T", decls: "type T string"}, {typ: "T", decls: "type T string\nconst A1 T = \"a\""}, {typ: "[]T", decls: "type T string\nconst A1 T = \"a\""},
	{typ: "T", decls: "type T int\nconst (\n\tA1 T = iota + 1\n\tB1\n)"}, {typ: "T", decls: "type T uint8\nconst (\n\tA1 T = iota + 1\n\tB1\n)"},
	{typ: "T", decls: "type T int64\nconst (\n\tA1 T = 1 << 40\n\tB1 T = -3\n)"}, {typ: "T", decls: "type T uint64\nconst A1 T = 1 << 63"},
	{typ: "T", decls: "type T float64\nconst A1 T = 1.5"}, {typ: "T", decls: "type T bool\nconst A1 T = true"},
	{typ: "T", decls: "type T rune\nconst A1 T = 'a'"},
	{typ: "T", decls: "type U string\ntype T U\nconst A1 T = \"a\""}, {typ: "T", decls: "type U string\ntype T = U\nconst A1 T = \"a\""},
	{typ: "T", decls: "type T []string"}, {typ: "T", decls: "type T map[string]int"}, {typ: "T", decls: "type T *int"},
	{typ: "T", decls: "type T func()"}, {typ: "T", decls: "type T interface{ M() }"},
	{typ: "T", decls: "type T = string"}, {typ: "T", decls: "type T = []any"}, {typ: "T", decls: "type T = T2\ntype T2 = T3\ntype T3 = int"},
	{typ: "T", decls: "type T = T2\ntype T2 = T"},
	{typ: "T", decls: "type T = struct{ A int }"}, {typ: "T", decls: "type T = any"}, {typ: "T", decls: "type T any"},
	{typ: "T[int]", decls: "type T[E any] struct{ A E }"}, {typ: "T", decls: "type T[E any] struct{ A E }"},
	{typ: "T[int]", decls: "type T[E any] = []E"}, {typ: "T[int, string]", decls: "type T[E, F any] struct{ A E }"},
	{typ: "T", decls: "type T = U[int]\ntype U[E any] struct{ A E }"},
	{typ: "T", decls: "type T struct{}"}, {typ: "T", decls: "type T struct{ A int }"}, {typ: "[]T", decls: "type T struct{ A int }"},
	{typ: "*T", decls: "type T struct{ A int }"}, {typ: "map[string]T", decls: "type T struct{ A int }"},
	{typ: "T", decls: "type T struct{ a int }"}, {typ: "[]T", decls: "type T struct{ a int }"},
	{typ: "T", decls: "type T struct{ a int; b []string }"}, {typ: "T", decls: "type T struct{ A int `json:\"-\"` }"},
	{typ: "T", decls: "type T struct{ a func() }"}, {typ: "T", decls: "type T struct{ A int; b func() }"},
	{typ: "T", decls: "type T struct{ A int; mu [0]func() }"}, {typ: "T", decls: "type T struct{ _ struct{}; A int }"},
	{typ: "T", decls: "type T struct{ A, B int `json:\"a\"` }"}, {typ: "T", decls: "type T struct{ A int `json:\",omitempty\"` }"},
	{typ: "T", decls: "type T struct{ A int `json:\"a b\"` }"}, {typ: "T", decls: "type T struct{ A int `json:\"-,\"` }"},
	{typ: "T", decls: "type T struct{ A int `json:\"1st\"` }"},
	{typ: "T", decls: "type T struct{ Ä int }"}, {typ: "T", decls: "type T struct{ Été string `graphgen:\"name=summer\"` }"},
	{typ: "T", decls: "type T struct{ X_Y int }"}, {typ: "T", decls: "type T struct{ A int; A_ int }"},
	{typ: "T", decls: "type T struct{ U }\ntype U struct{ A int }"}, {typ: "T", decls: "type T struct{ *U }\ntype U struct{ A int }"},
	{typ: "T", decls: "type T struct{ u }\ntype u struct{ A int }"}, {typ: "T", decls: "type T struct{ *T2 `json:\"-\"`; A int }\ntype T2 struct{ B int }"},
	{typ: "T", imports: "import \"sync\"\n", decls: "type T struct{ sync.Mutex; A int }"},
	{typ: "T", imports: "import \"sync\"\n", decls: "type T struct{ mu sync.Mutex; A int }"},
	{typ: "*T", imports: "import \"sync\"\n", decls: "type T struct{ mu sync.Mutex; A int }"},
	{typ: "T", decls: "type T struct{ Next *T }"}, {typ: "T", decls: "type T struct{ Next []T }"},
	{typ: "T", decls: "type T struct{ Next T }"}, {typ: "T", decls: "type T struct{ Next U }\ntype U struct{ Back *T }"},
	{typ: "T", decls: "type T struct{ M map[string]T }"},
	{typ: "T", decls: "type T struct{ A any }"}, {typ: "T", decls: "type T struct{ A []any }"},
	{typ: "T", decls: "type T struct{ A map[string]any }"}, {typ: "T", decls: "type T struct{ A *any }"},
	{typ: "T", imports: "import \"encoding/json\"\n", decls: "type T struct{ A json.RawMessage }"},
	{typ: "T",
		decls: "type T struct{ A int `graphgen:\"min=1; max=3\"`; B string `graphgen:\"default=x\"`; C string " +
			"`graphgen:\"pattern='^a'\"`; D []string `graphgen:\"max_length=3\"` }"},
	{typ: "T", decls: "type T struct{ A string `graphgen:\"enum=a,b\"` }"},
	{typ: "T", decls: "type T struct{ A U `graphgen:\"default=a\"` }\ntype U string\nconst A1 U = \"a\""},
	{typ: "T", decls: "type T struct{ A *U }\ntype U int\nconst A1 U = 4"},
	{typ: "T", decls: "type T struct{ A int }\nfunc (T) EncodeJSON() {}"},
	{typ: "T", decls: "type T struct{ A int }\nfunc (T) DecodeJSON() {}"},
	{typ: "T", decls: "type T struct{ A int }\nfunc (*T) DecodeJSON() {}"},
	{typ: "T", decls: "type T struct{ A int }\nfunc (t T) MarshalJSONTo() error { return nil }"},
	{typ: "T", decls: "type T struct{ A int }\nfunc (*T) UnmarshalJSONFrom(string) error { return nil }"},
	{typ: "T", decls: "type T struct{ A int }\nfunc (T) JSONSchema() int { return 0 }"},
	{typ: "T", decls: "type T struct{ A int }\nfunc (T) IsZero() int { return 0 }"},
	{typ: "T", decls: "type T struct{ A int }\nfunc (T) IsZero(int) bool { return false }"},
	{typ: "T", decls: "type T struct{ A int }\nfunc (*T) IsZero() bool { return false }"},
	{typ: "T", decls: "type T struct{ A int }\nfunc (T) String() int { return 0 }"},
	{typ: "T", decls: "type T int\nconst A1 T = 1\nfunc (T) String() int { return 0 }"},
	{typ: "T", decls: "type T int\nconst A1 T = 1\nfunc (T) String() string { return \"\" }"},
	{typ: "T", decls: "type T int\nconst A1 T = 1\nfunc (*T) String() string { return \"\" }"},
	{typ: "T", decls: "type T int\nconst A1 T = 1\nfunc (T) EncodeJSON() {}"},
	{typ: "T", decls: "type T string\nconst A1 T = \"a\"\nfunc (T) String() string { return \"\" }"},
	{typ: "T", decls: "type T struct{ String string }"}, {typ: "T", decls: "type T struct{ EncodeJSON string }"},
	{typ: "T", decls: "type T struct{ IsZero bool; A int }"}, {typ: "T", decls: "type T struct{ JSONSchema int }"},
	{typ: "T", decls: "type T struct{ MarshalJSONTo int `json:\"m\"` }"},
	{typ: "T", imports: "import \"github.com/go-json-experiment/json/jsontext\"\n",
		decls: "type T struct{ A int }\nfunc (T) MarshalJSONTo(*jsontext.Encoder) error { return nil }\nfunc (*T) " +
			"UnmarshalJSONFrom(*jsontext.Decoder) error { return nil }"},
	{typ: "T", imports: "import \"github.com/go-json-experiment/json/jsontext\"\n",
		decls: "type T struct{ a func() }\nfunc (T) MarshalJSONTo(*jsontext.Encoder) error { return nil }\nfunc (*T) " +
			"UnmarshalJSONFrom(*jsontext.Decoder) error { return nil }"},
	{typ: "T", imports: "import jt \"github.com/go-json-experiment/json/jsontext\"\n",
		decls: "type T struct{ A int }\nfunc (T) MarshalJSONTo(e *jt.Encoder) error { return nil }"},
	{typ: "T", imports: "import . \"github.com/go-json-experiment/json/jsontext\"\n",
		decls: "type T struct{ A int }\nfunc (T) MarshalJSONTo(e *Encoder) error { return nil }"},
	{typ: "T", imports: "import \"github.com/graphgen/graphgen/runtime/codec\"\n",
		decls: "type T struct{ A int }\nfunc (T) EncodeJSON(*codec.Encoder) {}\nfunc (*T) DecodeJSON(*codec.Decoder) {}"},
	{typ: "T", imports: "import \"github.com/graphgen/graphgen/runtime/codec\"\n", decls: "type T struct{ A int }\nfunc (T) EncodeJSON(codec.Encoder) {}\n"},
	{typ: "T", decls: "type T struct{ A int }\nfunc (T) MarshalJSON() ([]byte, error) { return nil, nil }"},
	{typ: "T", decls: "type T struct{ A int }\ntype TJSON int\nvar tJSON = 3"},
	{typ: "string", decls: "type error int"}, {typ: "string", decls: "type bool int"},
	{typ: "string", decls: "type string int\nconst S1 string = 1"}, {typ: "string", decls: "type string = int"},
	{typ: "int", decls: "type int uint8\nconst I1 int = 1"}, {typ: "string", decls: "type any int"},
	{typ: "string", decls: "const true = 1 > 2"}, {typ: "string", decls: "var nil = 3"},
	{typ: "string", decls: "func len(int) int { return 0 }"}, {typ: "[]string", decls: "func append() {}"},
	{typ: "string", decls: "const iota = 3"}, {typ: "string", decls: "func panic() {}"},
	{typ: "string", decls: "func min() {}\nfunc max() {}\nfunc new() {}\nfunc make() {}"},
	{typ: "T", decls: "type T int\nconst A1 T = 1\ntype uint16 bool"}, {typ: "float64", decls: "type float64 bool"},
	{typ: "string", decls: "type byte bool"}, {typ: "bool", decls: "const false = 0 == 0"},
	{typ: "string", decls: "var context, graphgen, codec, jsontext, slices, chat, pipeline, time, strconv, fmt, errors int"},
	{typ: "string", decls: "type g int"}, {typ: "string", decls: "func cmp() {}"},
	{typ: "string", imports: "import context \"strings\"\nvar _ = context.ToUpper\n"},
	{typ: "time.Time", imports: "import time \"strings\"\nvar _ = time.ToUpper\n"}, {typ: "time.Builder", imports: "import time \"strings\"\n"},
	{typ: "json.RawMessage", imports: "import json \"time\"\n"}, {typ: "json.Time", imports: "import json \"time\"\n"},
	{typ: "missing.T"}, {typ: "Missing"}, {typ: "ast.Node", imports: "import \"go/ast\"\n"},
	{typ: "yaml.Node", imports: "import \"go.yaml.in/yaml/v3\"\n"},
	{typ: "[]yaml.Node", imports: "import yaml \"go.yaml.in/yaml/v3\"\n"},
	{typ: "T", decls: "type T struct{ A jt.Value; B json.RawMessage }",
		imports: "import jt \"github.com/go-json-experiment/json/jsontext\"\nimport \"encoding/json\"\n"},
	{typ: "RawMessage", imports: "import \"encoding/json\"\n", decls: "type RawMessage struct{ A json.RawMessage }"},
	{typ: "T", decls: "type T struct{ A string `graphgen:\"min_length=2\"` }\nconst tJSON, tAText, gCaller, gTimeout, gStart, gGoOnToNext = 1, 2, 3, 4, 5, 6"},
	{typ: "T", decls: "type T struct{ A int }\nconst gStart, gGoOnToNext, gGoOnToEnd = 1, 2, 3"},
}

func init() {
	for _, name := range []string{"ctx", "in", "out", "r", "v", "e", "d", "o", "m", "h", "state", "res", "err", "ok", "x", "t",
		"s", "k", "label", "key", "g", "opts", "policy", "gg", "number", "w", "p", "c", "q", "f", "answer", "call", "update"} {
		shapes = append(shapes, shape{typ: name, decls: "type " + name + " struct{ A int }"},
			shape{typ: "[]" + name, decls: "type " + name + " string\n\nconst one " + name + " = \"one\""})
	}
}

// typePlaces are where a graph may name a type, written TYPE.
var typePlaces = []struct{ name, text string }{
	{"in structs of the package", `//graphgen:graph g entry=go_on no_match=end codecs=all
type _ struct {
	State S ` + "`graphgen:\"input=f; output=f,o\"`" + `
	GoOn  graph.Func ` + "`graphgen:\"reads=f; writes=f; flags=cacheable; -> next\"`" + `
	Next  graph.Func ` + "`graphgen:\"output=Own; writes=o; -> end\"`" + `
}

type S struct {
	F TYPE
	O Own
}

type Own struct {
	F TYPE
	G int
}
`},
	{"in structs of the graph", `//graphgen:graph g entry=go_on no_match=end codecs=all
type _ struct {
	Types struct {
		Own struct {
			F TYPE
			G int
		}
	}
	State struct {
		F TYPE
		O Own
	} ` + "`graphgen:\"input=f; output=f,o\"`" + `
	GoOn graph.Func ` + "`graphgen:\"reads=f; writes=f; flags=cacheable; -> next\"`" + `
	Next graph.Func ` + "`graphgen:\"output=Own; writes=o; -> end\"`" + `
}
`},
}

// TestShapes vets, in one go, some graphs of the shapes and places that are accepted, in the tier full all.
// shapes.txt lists what is said of the others.
func TestShapes(t *testing.T) {
	if testing.Short() {
		t.Skip("it vets hundreds of packages")
	}
	dir := newModule(t, "example.com/shapes")
	t.Setenv("GOWORK", "off")
	t.Setenv("GOFLAGS", "-mod=mod -buildvcs=false -trimpath")
	var verdicts strings.Builder
	number, accepted := 0, []string(nil)
	for _, place := range typePlaces {
		fmt.Fprintf(&verdicts, "== %s\n", place.name)
		for _, s := range shapes {
			number++
			pkg := fmt.Sprintf("p%03d", number)
			text := "package " + pkg + "\n\n" + graphImport + s.imports + "\n" + strings.ReplaceAll(place.text, "TYPE", s.typ) + "\n" + s.decls + "\n"
			found := s.write(t, filepath.Join(dir, pkg), pkg, text)
			if len(found) == 0 {
				accepted = append(accepted, "./"+pkg)
			}
			fmt.Fprintf(&verdicts, "%s\n", strings.Join(append([]string{s.typ + strings.ReplaceAll("; "+s.decls, "\n", "; ")}, found...), "\n\t"))
		}
	}
	t.Logf("%d of %d packages are accepted", len(accepted), number)
	command := exec.Command("go", append([]string{"vet"}, tier.Some(t, 0, 24, accepted)...)...)
	command.Dir = dir
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	golden := "../../testdata/tagged/shapes.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(verdicts.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if verdicts.String() != string(want) {
		t.Errorf("%s differs; -update writes it:\n%s", golden, firstDifference(verdicts.String(), string(want)))
	}
}

// write compiles the graphs of a package, unless something is wrong with them, which it returns.
func (s shape) write(t *testing.T, dir, pkg, text string) (told []string) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(dir, 0o755))
	must(os.WriteFile(filepath.Join(dir, pkg+".go"), []byte(text), 0o644))
	graphs, found := gotag.LoadSource(pkg+".go", []byte(text))
	if s.looksElsewhere() {
		var err error
		graphs, found, err = gotag.Load(context.Background(), gotag.Config{Dir: dir, Files: []string{pkg + ".go"}})
		must(err)
	}
	for _, g := range graphs {
		found = append(found, check.Run(cfg.Of(g))...)
	}
	if !diag.HasErrors(found) {
		for _, g := range graphs {
			shadowed, err := Shadowed(cfg.Of(g))
			must(err)
			found = append(found, shadowed...)
		}
	}
	for _, d := range found {
		if d.Severity == diag.Error {
			told = append(told, d.Code+" "+d.Message+"; "+d.Help.String())
		}
	}
	if len(told) > 0 || len(graphs) == 0 {
		must(os.RemoveAll(dir))
		return told
	}
	for _, g := range graphs {
		files, err := Emit(plan.Lower(cfg.Of(g), pkg))
		must(err)
		for _, f := range files {
			must(os.WriteFile(filepath.Join(dir, f.Name), f.Content, 0o644))
		}
	}
	return nil
}

// looksElsewhere reports whether the shape names packages that are looked into.
func (s shape) looksElsewhere() bool {
	return slices.ContainsFunc(strings.Split(s.imports, "\n"), func(line string) bool {
		return line != "" && !strings.Contains(line, `"time"`) && !strings.Contains(line, "json") || strings.Contains(s.typ,
			"json.") || strings.Contains(s.typ, "time.")
	})
}

// newModule makes a folder a module that uses this one.
func newModule(t *testing.T, path string) string {
	t.Helper()
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	mod := fmt.Sprintf("module %s\n\ngo 1.26\n\nrequire github.com/graphgen/graphgen v0.0.0\n\nreplace github.com/graphgen/graphgen => %q\n", path, root)
	for name, content := range map[string][]byte{"go.mod": []byte(mod), "go.sum": sums} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// Structs that hold others twice are looked at once each: sixty levels have 2^60 fields.
func TestRepeatedStructs(t *testing.T) {
	text := "package p\n\n" + graphImport + "\n//graphgen:graph g entry=a\ntype _ struct {\n\tState S `graphgen:\"input=f; " +
		"output=f\"`\n\tA graph.Func `graphgen:\"reads=f; writes=f; flags=cacheable\"`\n}\n\ntype S struct{ F T0 }\n"
	for i := range 60 {
		text += fmt.Sprintf("type T%d struct{ A, B T%d }\n", i, i+1)
	}
	text += "type T60 struct{ A []int }\n"
	graphs, found := gotag.LoadSource("p.go", []byte(text))
	if len(graphs) != 1 || len(append(found, check.Run(cfg.Of(graphs[0]))...)) > 0 {
		t.Fatal(found)
	}
	files, err := Emit(plan.Lower(cfg.Of(graphs[0]), "p"))
	if err != nil || len(files) != 1 {
		t.Error(len(files), err)
	}
}
