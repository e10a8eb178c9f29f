package lsp

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/link"
	"github.com/graphgen/graphgen/spec/yamlread"
)

// repositorySpecs returns the specs of the repository by path.
func repositorySpecs(t testing.TB) map[string][]byte {
	t.Helper()
	list := map[string][]byte{}
	for _, root := range []string{"golden", "examples", "testdata/specs", "spec/prelude"} {
		err := filepath.WalkDir(filepath.Join("../../..", root), func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || !link.IsSpec(path) {
				return err
			}
			list[path], err = os.ReadFile(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// TestOutline checks that the outline of a file has the keys and the scalars that YAML has, with their places.
func TestOutline(t *testing.T) {
	files := 0
	for path, content := range repositorySpecs(t) {
		root, ok := spec.ParseTree(string(content))
		if !ok || strings.Contains(string(content), "\t") {
			continue
		}
		files++
		text := newText(content)
		byPlace := map[int]*entry{}
		list := outlineOf(content)
		for i := range list {
			e := &list[i]
			if !e.item && !e.bare {
				byPlace[e.keyAt] = e
			}
		}
		keys := 0
		var walk func(*yamlread.Tree)
		walk = func(v *yamlread.Tree) {
			for i := range v.Items {
				item := &v.Items[i]
				if v.Kind != yamlread.Map || i%2 == 1 {
					walk(item)
					continue
				}
				keys++
				at, _ := text.at(item.Pos)
				if item.Style == yamlread.Quoted {
					at++
				}
				e := byPlace[at]
				if e == nil || decode(e.keyText(content)) != item.Text {
					t.Errorf("%s:%d:%d: the outline has not the key %q", path, item.Pos.Line, item.Pos.Col, item.Text)
					continue
				}
				value := &v.Items[i+1]
				got := decode(e.scalar(content))
				if value.Kind == yamlread.Text && value.Style != yamlread.Block && got != value.Text && !strings.Contains(got, "\n") {
					t.Errorf("%s:%d:%d: the outline has the value %q, want %q", path, item.Pos.Line, item.Pos.Col, got, value.Text)
				}
			}
		}
		walk(&root)
		if keys != len(byPlace) {
			t.Errorf("%s: the outline has %d keys, YAML %d", path, len(byPlace), keys)
		}
	}
	if files < 300 {
		t.Errorf("%d files", files)
	}
}

// FuzzOutline checks that every text has an outline of nested entries.
func FuzzOutline(f *testing.F) {
	for _, seed := range []string{"", "a: {b: [c, {d: 'e'}], f", "- - a: |\n   x\n- b", "a: \"x\ny: z", "\ufeffa:\r\n  b: >\r\n    c\r\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list := outlineOf([]byte(text))
		for i, e := range list {
			if e.parent >= i || e.keyAt > e.key2 || e.at > e.end || e.to > len(text) || e.key2 > len(text) {
				t.Fatalf("%q: entry %d of %+v", text, i, list)
			}
		}
		read := readOutline([]byte(text), spec.Reference()[0].Name)
		for at := range len(text) + 1 {
			read.at(at)
		}
	})
}
