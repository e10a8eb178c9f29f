package serve_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/graphgen/graphgen/thread"
)

// TestDocs holds that the doc of the package and the README have the routes of the handler, with their verbs.
func TestDocs(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	var document struct {
		Paths map[string]map[string]struct{ OperationID, Summary string }
	}
	if err := json.Unmarshal([]byte(s.want(s.do("GET", "/openapi.json", ""), http.StatusOK).body), &document); err != nil {
		t.Fatal(err)
	}
	of := map[string][2]string{} // doc and verb
	for path, methods := range document.Paths {
		if strings.HasPrefix(path, "/graphs/orders/") { // with the types of a graph
			continue
		}
		for method, o := range methods {
			verb := o.OperationID
			if open[path] {
				verb = ""
			}
			of[strings.ToUpper(method)+" "+path] = [2]string{o.Summary, verb}
		}
	}
	for file, row := range map[string]*regexp.Regexp{
		"doc.go":    regexp.MustCompile(`(?m)^//\t([A-Z]+) +(/\S+)()  +(.+)$`),
		"README.md": regexp.MustCompile("(?m)^\\| `([A-Z]+) (/\\S*)` \\| `?(\\w*)`? ?\\| (.+) \\|$"),
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		rows := row.FindAllStringSubmatch(string(text), -1)
		if len(rows) != len(of) {
			t.Errorf("%s has %d routes, and the handler %d", file, len(rows), len(of))
		}
		for _, r := range rows {
			want, ok := of[r[1]+" "+r[2]]
			if !ok || r[4] != want[0] || file != "doc.go" && r[3] != want[1] {
				t.Errorf("%s: %s %s is %q with the verb %q, want %q", file, r[1], r[2], r[4], r[3], want)
			}
		}
	}
	for _, code := range regexp.MustCompile("`([a-z_]+)`").FindAllStringSubmatch(section(t, "README.md", "## Problems"), -1) {
		if name := code[1]; name != "code" && name != "field" && name != "problem" && name != "failed" && !codes(t)[name] {
			t.Errorf("the README has a code %s", name)
		}
	}
}

// TestOpenAPI holds that the document names every segment of a path, and that its schema of a start is what the route takes.
func TestOpenAPI(t *testing.T) {
	s := serving(t, shared(), thread.NewMemory())
	type operation struct {
		Parameters []struct {
			Name, In string
			Required bool
		}
		RequestBody struct {
			Content map[string]struct{ Schema json.RawMessage }
		}
		Responses map[string]any
	}
	var document struct {
		Paths      map[string]map[string]operation
		Components struct{ Schemas map[string]json.RawMessage }
	}
	text := s.want(s.do("GET", "/openapi.json", ""), http.StatusOK).body
	if err := json.Unmarshal([]byte(text), &document); err != nil {
		t.Fatal(err)
	}
	for path, methods := range document.Paths {
		for method, o := range methods {
			named := 0
			for _, p := range o.Parameters {
				if p.In == "path" && p.Required && strings.Contains(path, "{"+p.Name+"}") {
					named++
				}
			}
			if named != strings.Count(path, "{") || o.Responses["default"] == nil {
				t.Errorf("%s %s: %+v", method, path, o)
			}
		}
	}
	for _, name := range regexp.MustCompile(`#/components/schemas/([\w.]+)`).FindAllStringSubmatch(text, -1) {
		if document.Components.Schemas[name[1]] == nil {
			t.Errorf("there is no schema %s", name[1])
		}
	}
	if s := string(document.Components.Schemas["orders.Input"]); !strings.Contains(s, `"maxLength": 40`) || strings.Contains(s, "$schema") {
		t.Errorf("the input of orders is %s", s)
	}
	compiler := jsonschema.NewCompiler()
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(document.Paths["/graphs/{graph}/threads"]["post"].RequestBody.Content["application/json"].Schema))
	if err != nil {
		t.Fatal(err)
	}
	if err := compiler.AddResource("start.json", schema); err != nil {
		t.Fatal(err)
	}
	compiled, err := compiler.Compile("start.json")
	if err != nil {
		t.Fatal(err)
	}
	for body, status := range map[string]int{
		`{"input": {"order": "cheap"}}`: http.StatusAccepted,
		`{"input": {"order": "cheap"}, "thread": "x", "multitask": "enqueue", "on_disconnect": "cancel"}`: http.StatusAccepted,
		`{"input": {"order": "cheap"}, "multitask": "rollback"}`:                                          http.StatusAccepted,
		`{"input": {"order": "cheap"}, "multitask": "restart"}`:                                           http.StatusBadRequest,
		`{"input": {"order": "cheap"}, "more": 1}`:                                                        http.StatusBadRequest,
		`{"thread": "x"}`: http.StatusUnprocessableEntity,
	} {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		s.want(s.do("POST", "/graphs/orders/threads", body), status)
		if err := compiled.Validate(value); (err == nil) != (status == http.StatusAccepted) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

// TestGuideIsShort holds that the program of a server is short, as the guide has it.
func TestGuideIsShort(t *testing.T) {
	text, err := os.ReadFile("../../docs/guides/serve-over-http.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), "Write `main.go`:\n\n```go\n")
	program, _, _ := strings.Cut(rest, "```")
	if lines := strings.Count(program, "\n"); lines > 25 || !strings.Contains(program, "func main()") {
		t.Errorf("the program has %d lines:\n%s", lines, program)
	}
}

// section returns a section of a page.
func section(t *testing.T, page, heading string) string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), heading)
	part, _, _ := strings.Cut(rest, "\n## ")
	for code := range codes(t) {
		if !strings.Contains(part, "`"+code+"`") {
			t.Errorf("%s: the section %s lacks the code %s", page, heading, code)
		}
	}
	return part
}

// codes returns the codes of problems in the source.
func codes(t *testing.T) map[string]bool {
	t.Helper()
	of := map[string]bool{}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		for _, code := range regexp.MustCompile(`(?:Code: |codeInternal = )"(\w+)"`).FindAllStringSubmatch(string(text), -1) {
			of[code[1]] = true
		}
	}
	return of
}
