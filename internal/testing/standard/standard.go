// Package standard holds that generated types work with encoding/json as with their codecs.
package standard

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/testing/tier"
)

// file lists types, in the package of the test that takes them through encoding/json.
const file = "types_list_test.go"

// Listed holds that the file types_list_test.go of a package lists every type below a folder that has methods
// of encoding/json. path is the folder's import path. It writes the file instead if that is asked for.
func Listed(t *testing.T, pkg, folder, path string, write bool) {
	t.Helper()
	text := list(t, pkg, folder, path)
	if write {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := os.ReadFile(file); err != nil || string(have) != text {
		t.Errorf("%s is not what is generated (error %v): go test -run TestStandardTypes -types writes it", file, err)
	}
}

// standard matches what gives a generated type methods of encoding/json: one of them, or the empty struct of package codec.
var standard = regexp.MustCompile(`(?m)^func \(\w+ \*?(\w+)\) Marshal(?:JSON|Text)\(|^type (\w+) struct\{ \w+\.Empty \}$`)

// list returns the text of the file.
func list(t *testing.T, pkg, folder, path string) string {
	t.Helper()
	imports, types := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir(folder, func(file string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || file == folder {
			return err
		}
		if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil { // another module
			return fs.SkipDir
		}
		dir := filepath.ToSlash(strings.TrimPrefix(strings.TrimPrefix(file, folder), string(filepath.Separator)))
		name := strings.ReplaceAll(dir, "/", "_")
		files, err := filepath.Glob(filepath.Join(file, "*.go"))
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil || strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range standard.FindAllStringSubmatch(string(text), -1) {
				imports[fmt.Sprintf("\t%s %q\n", name, path+"/"+dir)] = true
				types[fmt.Sprintf("\tnew(%s.%s),\n", name, m[1]+m[2])] = true
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	lines := func(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), "") }
	return "package " + pkg + "\n\n// What follows is written by go test -run TestStandardTypes -types.\n\nimport (\n" + lines(imports) + ")\n\n" +
		"// standardTypes are the generated types that have the methods of encoding/json.\nvar standardTypes = []any{\n" + lines(types) + "}\n"
}

// RoundTrips takes types, pointers to values of which are given, through encoding/json and back: by a pointer, by its
// value, in a list, and an enum as the key of a map. Of types with limits that hardly any value is within, bare
// has the names.
func RoundTrips(t *testing.T, types []any, bare ...string) {
	t.Helper()
	for _, s := range types {
		of := reflect.TypeOf(s).Elem()
		t.Run(of.String(), func(t *testing.T) {
			written := 0
			for d := range tier.Draws(t, 2000) {
				if written == tier.Pick(5, 20, 100) {
					break
				}
				r := filler{d.Rand(), types}
				v := reflect.New(of)
				r.fill(v.Elem(), r.IntN(4))
				if roundTrip(t, v) {
					written++
				}
			}
			if written == 0 && !slices.Contains(bare, of.String()) {
				t.Error("no value is within the limits of the type")
			}
		})
	}
}

// A filler makes values of types, by reflection. It takes what most limits let pass.
type filler struct {
	*rand.Rand
	types []any // that variants of unions are among
}

var texts = []string{"a", "<b> & c", "über \"it\"", "2026-01-31T12:00:00Z", "a@b.c", "AB-12", "42", "ab", "line\nbreak \u2028"}

// fixed returns the value of a type that is not made of its parts, nil for others.
func (f filler) fixed(of any) any {
	switch of.(type) {
	case time.Time:
		return time.Unix(f.Int64N(1<<32), 0).UTC()
	case jsontext.Value:
		return jsontext.Value(`{"a":[1,null,"x"]}`)
	case json.RawMessage:
		return json.RawMessage(`[true]`)
	case chat.Image:
		return chat.Image{Data: []byte("hi"), Type: "image/png"}
	case chat.PDF:
		return chat.PDF{Data: []byte("hi"), Type: "application/pdf"}
	case chat.Audio:
		return chat.Audio{Data: []byte("hi"), Type: "audio/mpeg"}
	}
	return nil
}

func (f filler) fill(v reflect.Value, depth int) {
	if value := f.fixed(v.Interface()); value != nil {
		v.Set(reflect.ValueOf(value))
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
		if variants := f.variants(v.Type()); len(variants) > 0 && depth > 0 {
			one := reflect.New(variants[f.IntN(len(variants))]).Elem()
			f.fill(one, depth-1)
			v.Set(one)
		}
	}
}

func (f filler) variants(union reflect.Type) (out []reflect.Type) {
	for _, s := range f.types {
		if t := reflect.TypeOf(s).Elem(); t.Implements(union) {
			out = append(out, t)
		}
	}
	return out
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
	of := v.Type().Elem()
	ins := []reflect.Value{reflect.Append(reflect.Zero(reflect.SliceOf(of)), v.Elem())}
	if of.Kind() != reflect.Struct {
		keys := reflect.MakeMap(reflect.MapOf(of, reflect.TypeFor[int]()))
		keys.SetMapIndex(v.Elem(), reflect.ValueOf(1))
		ins = append(ins, keys)
	}
	for _, in := range ins {
		text, err := json.Marshal(in.Interface())
		if err != nil {
			t.Fatal(err)
		}
		back := reflect.New(in.Type())
		if err := json.Unmarshal(text, back.Interface()); err != nil {
			t.Fatalf("%s is written, and cannot be read: %v", text, err)
		}
		again, err := json.Marshal(back.Elem().Interface())
		if err != nil || string(again) != string(text) {
			t.Fatalf("%s is read and written as %s (error %v)", text, again, err)
		}
	}
	if of.Kind() != reflect.Struct {
		return true
	}
	more := strings.Replace(strings.TrimSuffix(string(text), "}")+`,"no such member":1}`, "{,", "{", 1)
	err = json.Unmarshal([]byte(more), reflect.New(of).Interface())
	if err == nil || !strings.Contains(err.Error(), `unknown field "no such member"`) {
		t.Fatalf("%s: %v", more, err)
	}
	return true
}
