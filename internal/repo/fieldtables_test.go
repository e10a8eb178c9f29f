package repo_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of fields of docs/reference")

const eventsPage, threadsPage = "docs/reference/events-and-errors.md", "docs/reference/threads.md"

// described are the packages whose types the pages have, with their folders.
var described = map[string]string{
	"graphgen": ".", "chat": "chat", "pipeline": "runtime/pipeline", "record": "chat/record",
	"codec": "runtime/codec", "mutation": "mutation", "thread": "thread",
}

// table matches a table of the page: what it is of, and its text.
var table = regexp.MustCompile(`(?s)<!-- ([^\n]+) -->\n(.*?)<!-- end -->\n`)

// TestFieldTables holds the tables of fields: they are what the sources have.
func TestFieldTables(t *testing.T) {
	sources := map[string]*source{}
	for name, dir := range described {
		sources[name] = parse(t, dir)
	}
	seen := map[string]bool{}
	for _, name := range []string{eventsPage, threadsPage} {
		page := read(t, name)
		want := table.ReplaceAllStringFunc(page, func(old string) string {
			of := table.FindStringSubmatch(old)[1]
			seen[of] = true
			text, err := tableOf(sources, of)
			if err != nil {
				t.Error(err)
			}
			return "<!-- " + of + " -->\n" + text + "<!-- end -->\n"
		})
		if *update {
			if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
		} else if page != want {
			t.Errorf("%s is not what the sources have: go test ./internal/repo -run TestFieldTables -update writes it", name)
		}
	}
	for name, s := range sources {
		for kind := range s.structs {
			if strings.HasSuffix(kind, "Error") && !seen[name+"."+kind] {
				t.Errorf("%s has no table of %s.%s", eventsPage, name, kind)
			}
		}
	}
}

// tableOf returns the table of a struct, or of a list of constants.
func tableOf(sources map[string]*source, of string) (string, error) {
	switch of {
	case "kinds of events":
		return constants(sources, "graphgen.EventKind", "event")
	case "reasons":
		return constants(sources, "graphgen.Reason", "reason")
	case "rules":
		return constants(sources, "graphgen.Rule", "rule")
	case "kinds of model errors":
		return constants(sources, "chat.ErrorKind", "kind")
	case "kinds of tool errors":
		return constants(sources, "chat.ToolErrorKind", "kind")
	}
	name, kind, _ := strings.Cut(of, ".")
	s, ok := sources[name]
	if !ok || s.structs[kind] == nil {
		return "", fmt.Errorf("there is no struct %s", of)
	}
	return s.structTable(name, kind), nil
}

// A source is the exported structs and the constants of a package.
type source struct {
	structs map[string]*ast.StructType
	docs    map[string]string
	values  map[string][]*ast.ValueSpec // by type, with those that repeat it
	texts   map[string][]string         // by type: what its method String returns
}

func parse(t *testing.T, dir string) *source {
	t.Helper()
	s := &source{structs: map[string]*ast.StructType{}, docs: map[string]string{}, values: map[string][]*ast.ValueSpec{}, texts: map[string][]string{}}
	for _, file := range filesOf(t, dir) {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			switch decl := decl.(type) {
			case *ast.GenDecl:
				s.declare(decl)
			case *ast.FuncDecl:
				s.method(decl)
			}
		}
	}
	return s
}

// filesOf returns the Go files of folders.
func filesOf(t *testing.T, folders string) (files []string) {
	t.Helper()
	for _, dir := range strings.Fields(folders) {
		in, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, in...)
	}
	return files
}

func (s *source) declare(decl *ast.GenDecl) {
	last := ""
	for _, spec := range decl.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			if kind, ok := spec.Type.(*ast.StructType); ok && spec.Name.IsExported() {
				s.structs[spec.Name.Name] = kind
				doc := spec.Doc
				if doc == nil {
					doc = decl.Doc
				}
				s.docs[spec.Name.Name] = sentence(doc)
			}
		case *ast.ValueSpec:
			if decl.Tok == token.CONST {
				if id, ok := spec.Type.(*ast.Ident); ok {
					last = id.Name
				} else if spec.Values != nil {
					last = ""
				}
				s.values[last] = append(s.values[last], spec)
			}
		}
	}
}

// method keeps the texts of a String method that returns an element of a list.
func (s *source) method(decl *ast.FuncDecl) {
	if decl.Name.Name != "String" || decl.Recv == nil {
		return
	}
	receiver, ok := decl.Recv.List[0].Type.(*ast.Ident)
	if !ok {
		return
	}
	ast.Inspect(decl.Body, func(n ast.Node) bool {
		if list, ok := n.(*ast.CompositeLit); ok {
			for _, e := range list.Elts {
				if text, ok := e.(*ast.BasicLit); ok {
					s.texts[receiver.Name] = append(s.texts[receiver.Name], strings.Trim(text.Value, `"`))
				}
			}
		}
		return true
	})
}

// structTable returns the table of a struct's exported fields, below what its doc says.
func (s *source) structTable(name, kind string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**`%s.%s`**: %s\n", name, kind, cell(s.docs[kind]))
	rows := 0
	for _, field := range s.structs[kind].Fields.List {
		if typeText(field.Type) == "origin.Ref" { // a link for the kernel, not for readers
			continue
		}
		names := field.Names
		if names == nil {
			if id, ok := field.Type.(*ast.Ident); ok && id.IsExported() {
				names = []*ast.Ident{id}
			}
		}
		for _, id := range names {
			if !id.IsExported() {
				continue
			}
			if rows++; rows == 1 {
				b.WriteString("\n| field | type | |\n|---|---|---|\n")
			}
			comment := sentence(field.Comment)
			if comment == "" {
				comment = sentence(field.Doc)
			}
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", id.Name, typeText(field.Type), cell(comment))
		}
	}
	return b.String()
}

// constants returns the table of the constants of a type: their names in Go, and in texts.
func constants(sources map[string]*source, of, title string) (string, error) {
	name, kind, _ := strings.Cut(of, ".")
	values, texts := sources[name].values[kind], sources[name].texts[kind]
	if len(texts) == len(values)+1 && texts[0] == "" { // of zero, which is no constant
		texts = texts[1:]
	}
	if len(values) == 0 || len(values) != len(texts) {
		return "", fmt.Errorf("%s has %d constants and %d texts", kind, len(values), len(texts))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | in Go | |\n|---|---|---|\n", title)
	for i, v := range values {
		if texts[i] != "" {
			fmt.Fprintf(&b, "| `%s` | `%s.%s` | %s |\n", texts[i], name, v.Names[0].Name, cell(sentence(v.Comment)))
		}
	}
	return b.String(), nil
}

// sentence returns a comment as one line.
func sentence(c *ast.CommentGroup) string {
	if c == nil {
		return ""
	}
	return strings.Join(strings.Fields(c.Text()), " ")
}

func cell(text string) string { return strings.ReplaceAll(text, "|", "\\|") }

// typeText returns a type as Go writes it.
func typeText(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return "*" + typeText(e.X)
	case *ast.ArrayType:
		return "[]" + typeText(e.Elt)
	case *ast.SelectorExpr:
		return typeText(e.X) + "." + e.Sel.Name
	case *ast.FuncType:
		var in, out []string
		for _, f := range e.Params.List {
			in = append(in, typeText(f.Type))
		}
		if e.Results != nil {
			for _, f := range e.Results.List {
				out = append(out, typeText(f.Type))
			}
		}
		return strings.TrimSpace("func(" + strings.Join(in, ", ") + ") " + strings.Join(out, ", "))
	case *ast.MapType:
		return "map[" + typeText(e.Key) + "]" + typeText(e.Value)
	}
	return "…"
}

var (
	qualified = regexp.MustCompile(`\b(graphgen|chat|pipeline|record|codec|scripted|thread)\.([A-Z]\w*)`)
	errorName = regexp.MustCompile("`\\*?([A-Z]\\w*Error)`")
)

// TestNamesOfPages holds what the pages name of the runtime: it exists.
func TestNamesOfPages(t *testing.T) {
	texts := map[string]string{}
	folders := map[string]string{"scripted": "chat/scripted"}
	for name, dir := range described {
		folders[name] = dir
	}
	all := ""
	for name, dir := range folders {
		files := filesOf(t, dir)
		for _, file := range files {
			if !strings.HasSuffix(file, "_test.go") {
				texts[name] += read(t, file)
			}
		}
		all += texts[name]
	}
	count := 0
	for page, text := range markdown(t) {
		if page == "CHANGELOG.md" || strings.HasPrefix(page, "contrib/") {
			continue // of the past, or of modules with names of their own
		}
		for _, found := range qualified.FindAllStringSubmatch(text, -1) {
			count++
			if !regexp.MustCompile(`\b` + found[2] + `\b`).MatchString(texts[found[1]]) {
				t.Errorf("%s names %s, which does not exist", page, found[0])
			}
		}
		for _, found := range errorName.FindAllStringSubmatch(text, -1) {
			if !strings.Contains(all, "type "+found[1]+" ") {
				t.Errorf("%s names the error %s, which does not exist", page, found[1])
			}
		}
	}
	if count < 100 {
		t.Errorf("the pages name %d things", count)
	}
}
