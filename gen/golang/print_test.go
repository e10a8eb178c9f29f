package golang

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"text/template"

	"github.com/graphgen/graphgen/gen/plan"
)

// TestHoles holds which values text templates print as code, and that any other is an error of the emitter.
func TestHoles(t *testing.T) {
	for text, want := range map[string]string{
		`{{m.GoName}}`:                            "X",
		`{{lit m.Doc}}`:                           `"a()\nb"`,
		`// {{text m.Doc}}`:                       "// a() b",
		`{{place "r" "state" m.GoName}}`:          "r.state.X",
		`{{len m.Doc}}`:                           "5",
		`context.Context`:                         "context.Context",
		`{{m.Doc}}`:                               "",
		`{{printf "%s" m.Doc}}`:                   "",
		`{{$doc := m.Doc}}{{$doc}}`:               "",
		`{{if m.Doc}}{{m.Doc}}{{end}}`:            "",
		`{{with m.Doc}}{{.}}{{end}}`:              "",
		`{{range m.Threads.Carries}}{{.}}{{end}}`: "",
		`{{m.Name}}`:                              "", // a keyword
		`{{m.Prefix}}`:                            "", // empty
		`{{place m.Doc}}`:                         "",
		`{{place "r" m.Doc}}`:                     "",
		`{{marshaler m.Doc nil}}`:                 "",
		`{{qual "unsafe" "Pointer"}}`:             "",
		`{{nodeID m.Doc}}`:                        "",
		`{{version m.Doc}}`:                       "",
	} {
		m := &plan.Machine{GoName: "X", Doc: "a()\nb", Name: "func", Package: "x", Threads: plan.Threads{Carries: []string{"a b"}}}
		e := newEmitter(m)
		form, err := e.forms.New("test").Parse(marked(text))
		if err != nil {
			t.Fatal(err)
		}
		guard(form.Root)
		got := strings.ReplaceAll(strings.TrimSpace(e.code("test", nil).GoString()), " ", "")
		if e.err == nil != (want != "") || want != "" && got != strings.ReplaceAll(want, " ", "") {
			t.Errorf("%s: got %q, %v, want %q", text, got, e.err, want)
		}
		if _, err := e.render(); err == nil && want == "" {
			t.Errorf("%s: the file has no error", text)
		}
	}
}

// TestTextTemplatesMakeNoNames holds that package plan names: no hole is beside a text so that the two are one identifier.
func TestTextTemplatesMakeNoNames(t *testing.T) {
	name := regexp.MustCompile(`(\w|\bgg\w*\.)\{\{-?[^}]*\}\}|\{\{[^}]*\}\}\w`)
	action := regexp.MustCompile(`\{\{-? ?(if|else|end|range|with|template|define|/\*|\$\w+ :?=)`)
	for file, content := range textTemplateFiles(t) {
		for _, found := range name.FindAllString(content, -1) {
			if !action.MatchString(found) {
				t.Errorf("%s: %s", file, found)
			}
		}
	}
}

// TestTextsAreInComments holds that text templates have texts of authors in comments alone.
func TestTextsAreInComments(t *testing.T) {
	text, count := regexp.MustCompile(`\{\{-? ?text `), 0
	for file, content := range textTemplateFiles(t) {
		for line := range strings.Lines(content) {
			at := text.FindStringIndex(line)
			if at == nil {
				continue
			}
			count++
			if comment := strings.Index(line, "//"); comment < 0 || comment > at[0] {
				t.Errorf("%s: %s", file, line)
			}
		}
	}
	if count < 20 {
		t.Errorf("only %d lines have text", count)
	}
}

// TestTextTemplatesAreUsed holds that each text template has a name of its own, can be read and is printed, and that each function for them is called.
func TestTextTemplatesAreUsed(t *testing.T) {
	functions, used := new(emitter).functions(), ""
	named := map[string]bool{}
	for file, text := range textTemplateFiles(t) {
		for _, match := range defined.FindAllStringSubmatch(text, -1) {
			if named[match[1]] {
				t.Errorf("%s defines %q, which there is already", file, match[1])
			}
			named[match[1]] = true
		}
	}
	for name, source := range sources() {
		if _, err := template.New(name).Funcs(functions).Parse(source); err != nil {
			t.Error(err)
		}
		used += source
	}
	delete(functions, "hole") // which guard adds
	for name := range functions {
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(used) {
			t.Errorf("no text template calls %s", name)
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		used += string(source)
	}
	for name := range sources() {
		if strings.Count(used, strconv.Quote(name)) < 2 { // where it is defined
			t.Errorf("nothing prints %q", name)
		}
	}
}

func textTemplateFiles(t *testing.T) map[string]string {
	t.Helper()
	contents := map[string]string{}
	files, err := filepath.Glob("templates/*.tmpl")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		contents[file] = string(text)
	}
	return contents
}
