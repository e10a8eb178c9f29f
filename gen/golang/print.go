package golang

import (
	"bytes"
	"embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"text/template"
	"text/template/parse"

	"github.com/dave/jennifer/jen"

	"github.com/graphgen/graphgen/gen/plan"
	"github.com/graphgen/graphgen/spec/resolve"
)

// An emitter prints declarations of a machine into a file: with jennifer, and with text templates where they have a fixed shape.
type emitter struct {
	m *plan.Machine
	f *jen.File

	forms *template.Template // the text templates; nil: none has been executed
	holes []jen.Code         // the code in the text template that is executed
	err   *error             // of the first text template that failed

	clippers []*resolve.Type // whose functions to clip are called
}

func newEmitter(m *plan.Machine) *emitter { return &emitter{m: m, f: newFile(m), err: new(error)} }

// of returns an emitter of another machine into the same file.
func (e *emitter) of(m *plan.Machine) *emitter { return &emitter{m: m, f: e.f, err: e.err} }

// render returns the file.
func (e *emitter) render() ([]byte, error) {
	if *e.err != nil {
		return nil, *e.err
	}
	return render(e.f)
}

//go:embed templates/*.tmpl
var templateFiles embed.FS

// parsed are the text templates, once one has been executed.
var parsed struct {
	sync.Once
	forms *template.Template
}

// textTemplates returns the text templates with functions. All that they print passes the function hole.
func textTemplates(functions template.FuncMap) *template.Template {
	parsed.Do(func() {
		parsed.forms = template.New("").Funcs(functions)
		files, _ := templateFiles.ReadDir("templates")
		for _, file := range files {
			text, _ := templateFiles.ReadFile("templates/" + file.Name())
			template.Must(parsed.forms.New(file.Name()).Parse(qualifying(string(text))))
		}
		for _, t := range parsed.forms.Templates() {
			guard(t.Root)
		}
	})
	return template.Must(parsed.forms.Clone()).Funcs(functions)
}

// importPaths are the packages that text templates name, by the names that they have there.
var importPaths = func() map[string]string {
	paths := map[string]string{"context": "context", "errors": "errors", "iter": "iter", "strconv": "strconv", "testing": "testing"}
	for path, name := range importNames {
		paths[name] = path
	}
	return paths
}()

// qualifiedName matches a name of a package.
var qualifiedName = regexp.MustCompile(`\b([a-z]+)\.([A-Z]\w*)`)

// qualifying makes holes of the names of packages in a text template, but for those in comments: printing one imports the package.
func qualifying(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			line = qualifiedName.ReplaceAllStringFunc(line, func(name string) string {
				pkg, name, _ := strings.Cut(name, ".")
				if importPaths[pkg] == "" {
					return pkg + "." + name
				}
				return "{{qual `" + pkg + "` `" + name + "`}}"
			})
		}
		b.WriteString(line)
	}
	return b.String()
}

// guard has every value that a text template prints pass the function hole.
func guard(n parse.Node) {
	switch n := n.(type) {
	case *parse.ListNode:
		if n == nil {
			return
		}
		for _, of := range n.Nodes {
			guard(of)
		}
	case *parse.ActionNode:
		if len(n.Pipe.Decl) == 0 {
			hole := &parse.CommandNode{NodeType: parse.NodeCommand, Args: []parse.Node{parse.NewIdentifier("hole")}}
			n.Pipe.Cmds = append(n.Pipe.Cmds, hole)
		}
	case *parse.IfNode:
		guard(n.List)
		guard(n.ElseList)
	case *parse.RangeNode:
		guard(n.List)
		guard(n.ElseList)
	case *parse.WithNode:
		guard(n.List)
		guard(n.ElseList)
	}
}

// print prints a text template as declarations.
func (e *emitter) print(name string, dot any) { e.f.Add(e.code(name, dot)) }

// mark is what stands for code of jennifer in the text of a template. No text that a hole takes has it.
const mark = "\x00"

// code is a text template whose holes are filled.
func (e *emitter) code(name string, dot any) *jen.Statement {
	if e.forms == nil {
		e.forms = textTemplates(e.functions())
	}
	around := e.holes
	defer func() { e.holes = around }()
	e.holes = nil
	var b bytes.Buffer
	if err := e.forms.ExecuteTemplate(&b, name, dot); err != nil && *e.err == nil {
		*e.err = err
	}
	s := jen.Null()
	for i, text := range strings.Split(strings.TrimRight(b.String(), "\n"), mark) {
		if i > 0 {
			s.Add(e.holes[i-1])
		}
		s.Op(text)
	}
	return s
}

// hole is how a text template prints a value. Code of jennifer is set aside, since printing it imports packages. A string has to be an
// identifier, which is a name of the plan, so no text of an author can be code: one is printed as a literal, or by the functions of text.go.
func (e *emitter) hole(value any) (string, error) {
	switch v := value.(type) {
	case jen.Code:
		e.holes = append(e.holes, v)
		return mark, nil
	case []jen.Code:
		e.holes = append(e.holes, jen.List(v...))
		return mark, nil
	case inert:
		return string(v), nil
	case int:
		return strconv.Itoa(v), nil
	case string:
		if isName(v) {
			return v, nil
		}
	}
	return "", fmt.Errorf("a hole takes no %T: %q", value, fmt.Sprint(value))
}
