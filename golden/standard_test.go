package golden_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen/runtime/chat"
)

var updateTypes = flag.Bool("types", false, "write standardtypes_test.go")

// TestStandardTypes holds that standardtypes_test.go lists every golden type that has methods of encoding/json.
func TestStandardTypes(t *testing.T) {
	var imports, rows []string
	for _, pattern := range []string{"*/*.go", "*/*/*.go"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			name := strings.NewReplacer("/", "_").Replace(filepath.Dir(path))
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Recv == nil || f.Name.Name != "MarshalJSON" && f.Name.Name != "MarshalText" {
					continue
				}
				if i := fmt.Sprintf("\t%s \"github.com/graphgen/graphgen/golden/%s\"\n", name, filepath.ToSlash(filepath.Dir(path))); !slices.Contains(imports, i) {
					imports = append(imports, i)
				}
				rows = append(rows, fmt.Sprintf("\tnew(%s.%s),\n", name, f.Recv.List[0].Type.(*ast.Ident).Name))
			}
		}
	}
	slices.Sort(imports)
	slices.Sort(rows)
	text := "package golden_test\n\n// What follows is written by go test -run TestStandardTypes -types.\n\nimport (\n" + strings.Join(imports, "") + ")\n\n" +
		"// standardTypes are the golden types that have the methods of encoding/json.\nvar standardTypes = []any{\n" + strings.Join(rows, "") + "}\n"
	const path = "standardtypes_test.go"
	if *updateTypes {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(path); err != nil || string(have) != text {
		t.Errorf("%s is not what is generated (error %v): go test ./golden -run TestStandardTypes -types writes it", path, err)
	}
}

// A filler makes values of types, by reflection. It takes what most limits let pass.
type filler struct{ *rand.Rand }

var texts = []string{"a", "<b> & c", "über \"it\"", "2026-01-31T12:00:00Z", "a@b.c", "AB-12", "ab", "line\nbreak \u2028"}

func (f filler) fill(v reflect.Value, depth int) {
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(time.Unix(f.Int64N(1<<32), 0).UTC()))
		return
	case jsontext.Value:
		v.SetBytes([]byte(`{"a":[1,null,"x"]}`))
		return
	case json.RawMessage:
		v.SetBytes([]byte(`[true]`))
		return
	case chat.Image:
		v.Set(reflect.ValueOf(chat.Image{Data: []byte("hi"), Type: "image/png"}))
		return
	case chat.PDF:
		v.Set(reflect.ValueOf(chat.PDF{Data: []byte("hi"), Type: "application/pdf"}))
		return
	case chat.Audio:
		v.Set(reflect.ValueOf(chat.Audio{Data: []byte("hi"), Type: "audio/mpeg"}))
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(texts[f.IntN(len(texts))])
	case reflect.Bool:
		v.SetBool(f.IntN(2) == 0)
	case reflect.Int, reflect.Int64:
		v.SetInt(1 + f.Int64N(5))
	case reflect.Uint8, reflect.Uint16:
		v.SetUint(1 + f.Uint64N(2))
	case reflect.Float64:
		v.SetFloat(f.Float64())
	case reflect.Pointer:
		if depth > 0 && f.IntN(2) == 0 {
			v.Set(reflect.New(v.Type().Elem()))
			f.fill(v.Elem(), depth-1)
		}
	case reflect.Slice:
		if n := f.IntN(4); n > 0 && depth > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				f.fill(v.Index(i), depth-1)
			}
		}
	case reflect.Map:
		for i := f.IntN(3); i > 0 && depth > 0; i-- {
			if v.IsNil() {
				v.Set(reflect.MakeMap(v.Type()))
			}
			value := reflect.New(v.Type().Elem()).Elem()
			f.fill(value, depth-1)
			v.SetMapIndex(reflect.ValueOf(texts[f.IntN(len(texts))]), value)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				f.fill(v.Field(i), depth)
			}
		}
	case reflect.Interface: // a union: one of its variants
		var variants []reflect.Type
		for _, s := range standardTypes {
			if t := reflect.TypeOf(s).Elem(); t.Implements(v.Type()) {
				variants = append(variants, t)
			}
		}
		if len(variants) > 0 && depth > 0 {
			one := reflect.New(variants[f.IntN(len(variants))]).Elem()
			f.fill(one, depth-1)
			v.Set(one)
		}
	}
}

// TestStandard takes every golden type through encoding/json and back: by a pointer, by its value, in a list, and an enum
// as the key of a map.
func TestStandard(t *testing.T) {
	for _, s := range standardTypes {
		of := reflect.TypeOf(s).Elem()
		t.Run(of.String(), func(t *testing.T) {
			r := filler{rand.New(rand.NewPCG(1, 2))}
			written := 0
			for try := 0; try < 2000 && written < 20; try++ {
				v := reflect.New(of)
				r.fill(v.Elem(), r.IntN(4))
				if roundTrip(t, v) {
					written++
				}
			}
			if written == 0 && of.String() != "codec.KindsState" { // which has many limits, and a test of its own
				t.Error("no value is within the limits of the type")
			}
		})
	}
}

// roundTrip reports whether the value is written. If it is, what is read of it is written as the same.
func roundTrip(t *testing.T, v reflect.Value) bool {
	t.Helper()
	text, err := json.Marshal(v.Interface())
	value, other := json.Marshal(v.Elem().Interface())
	if (err == nil) != (other == nil) || string(text) != string(value) {
		t.Fatalf("a pointer is %s (error %v), its value %s (error %v)", text, err, value, other)
	}
	if err != nil {
		return false
	}
	types := []reflect.Type{reflect.SliceOf(v.Type().Elem())}
	in := reflect.Append(reflect.Zero(types[0]), v.Elem())
	ins := []reflect.Value{in}
	if v.Elem().Kind() != reflect.Struct {
		types = append(types, reflect.MapOf(v.Type().Elem(), reflect.TypeFor[int]()))
		keys := reflect.MakeMap(types[1])
		keys.SetMapIndex(v.Elem(), reflect.ValueOf(1))
		ins = append(ins, keys)
	}
	for i, in := range ins {
		text, err := json.Marshal(in.Interface())
		if err != nil {
			t.Fatal(err)
		}
		back := reflect.New(types[i])
		if err := json.Unmarshal(text, back.Interface()); err != nil {
			t.Fatalf("%s is written, and cannot be read: %v", text, err)
		}
		again, err := json.Marshal(back.Elem().Interface())
		if err != nil || string(again) != string(text) {
			t.Fatalf("%s is read and written as %s (error %v)", text, again, err)
		}
	}
	if v.Elem().Kind() == reflect.Struct {
		refuses(t, v.Type().Elem(), text)
	}
	return true
}

// refuses holds that a member that the type does not have is an error of the codec.
func refuses(t *testing.T, of reflect.Type, text []byte) {
	t.Helper()
	more := strings.TrimSuffix(string(text), "}")
	if more != "{" {
		more += ","
	}
	err := json.Unmarshal([]byte(more+`"no such member":1}`), reflect.New(of).Interface())
	if err == nil || !strings.Contains(err.Error(), `unknown field "no such member"`) {
		t.Fatalf("%s with another member: %v", text, err)
	}
}
