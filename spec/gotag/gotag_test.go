package gotag_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/check"
	"github.com/graphgen/graphgen/spec/diag"
	"github.com/graphgen/graphgen/spec/goname"
	"github.com/graphgen/graphgen/spec/gotag"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// judge reads and checks the graphs of a Go file.
func judge(file string, source []byte) ([]*spec.Graph, []diag.Diagnostic) {
	graphs, found := gotag.LoadSource(file, source)
	for _, g := range graphs {
		found = append(found, check.Run(cfg.Of(g))...)
	}
	return graphs, diag.Sort(found)
}

func TestCheckExamples(t *testing.T) {
	last := ""
	for _, r := range gotag.Rules() {
		t.Run(r.Code, func(t *testing.T) {
			if r.Code <= last || r.Name == "" || r.Doc == "" {
				t.Errorf("the code does not follow %s, or lacks a name or a doc", last)
			}
			last = r.Code
			if r.Bad == "" {
				return // of several files
			}
			_, bad := judge("bad.go", []byte(r.Bad))
			if len(bad) == 0 {
				t.Error("the bad example gives nothing")
			}
			for _, d := range bad {
				if d.Code != r.Code {
					t.Errorf("the bad example gives %s: %s", d.Code, d.Message)
				}
			}
			if _, found := judge("good.go", []byte(r.Good)); len(found) > 0 {
				t.Errorf("the good example gives %v", found)
			}
		})
	}
}

// Diagnostics are told as people see them: with the line of the Go file and what is meant
// underlined, inside of tags too.
func TestInvalidGraphs(t *testing.T) {
	files, err := filepath.Glob("../../testdata/tagged/invalid/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no invalid graphs", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, found := judge(filepath.Base(file), source)
			var got strings.Builder
			if err := diag.Render(&got, found, diag.Options{Source: func(string) []byte { return source }}); err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".go") + ".txt"
			if *update {
				if err := os.WriteFile(golden, []byte(got.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got.String() != string(want) || len(found) == 0 {
				t.Errorf("got\n%swant\n%s", &got, want)
			}
		})
	}
}

// The examples of the documents are graphs without mistakes.
func TestDocumentExamples(t *testing.T) {
	for _, file := range []string{"../../docs/reference/tagged-go.md"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		count := 0
		for _, block := range strings.Split(string(text), "```go\n")[1:] {
			code, _, _ := strings.Cut(block, "```")
			if !gotag.Holds([]byte(code)) {
				continue
			}
			count++
			if !strings.Contains(code, "package ") {
				code = "package g\n\nimport \"" + gotag.Marker + "\"\n\n" + code
			}
			if graphs, found := judge("example.go", []byte(code)); len(graphs) != 1 || len(found) > 0 {
				t.Errorf("%s: %v\nof\n%s", file, found, code)
			}
		}
		if count == 0 {
			t.Errorf("%s shows no graph", file)
		}
	}
}

// TestMarkers holds the markers of package graph, one for each kind of node. -update writes them.
func TestMarkers(t *testing.T) {
	const file = "../../graph/markers_gen.go"
	var b strings.Builder
	b.WriteString("// Code generated from the kinds of node by go test ./spec/gotag -run TestMarkers -update. DO NOT EDIT.\n\npackage graph\n")
	for _, kind := range spec.Kinds {
		name := goname.Exported(kind.Name)
		fmt.Fprintf(&b, "\n// %s marks a node of kind %s. %s\ntype %[1]s struct{}\n", name, kind.Name, strings.ReplaceAll(kind.Doc, "`", ""))
	}
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != b.String() {
		t.Errorf("the markers are not those of the kinds; they are\n%s\nwant\n%s", got, &b)
	}
}

func TestNames(t *testing.T) {
	for goName, want := range map[string]string{
		"Draft": "draft", "CreatePR": "create_pr", "HTTPServer": "http_server", "UserIDs": "user_ids", "IDs": "ids",
		"UTF8Text": "utf8_text", "Step2": "step2", "A": "a", "already_snake": "already_snake", "LastURL": "last_url", "IsOK": "is_ok",
	} {
		if got := gotag.Snake(goName); got != want {
			t.Errorf("%s becomes %s, not %s", goName, got, want)
		}
	}
}
