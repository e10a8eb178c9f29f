package golang

import (
	"embed"
	"fmt"
	"reflect"
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

	forms *template.Template // the text templates that it has printed, which call functions of the emitter
	holes []jen.Code         // the code in the text template that is executed
	err   error              // of the first text template that failed

	clippers []*resolve.Type // whose functions to clip are called
}

func newEmitter(m *plan.Machine) *emitter {
	e := emitters.Get().(*emitter)
	e.m, e.f = m, newFile(m)
	return e
}

// render returns the file, and ends the use of the emitter.
func (e *emitter) render() ([]byte, error) {
	f, err := e.f, e.err
	*e = emitter{forms: e.forms}
	emitters.Put(e)
	if err != nil {
		return nil, err
	}
	return render(f)
}

// emitters are kept since it takes long to give text templates their functions.
var emitters = sync.Pool{New: func() any {
	e := new(emitter)
	e.forms = template.New("").Funcs(e.functions())
	return e
}}

//go:embed templates/*.tmpl
var templateFiles embed.FS

// sources are the text templates by their names.
var sources = sync.OnceValue(func() map[string]string {
	list := map[string]string{}
	files, _ := templateFiles.ReadDir("templates")
	for _, file := range files {
		text, _ := templateFiles.ReadFile("templates/" + file.Name())
		heads := defined.FindAllStringIndex(string(text), -1)
		for i, at := range heads {
			end := len(text)
			if i+1 < len(heads) {
				end = heads[i+1][0]
			}
			list[defined.FindStringSubmatch(string(text[at[0]:end]))[1]] = string(text[at[0]:end])
		}
	}
	return list
})

// defined matches the head of a text template, and uses matches where one prints another.
var (
	defined = regexp.MustCompile(`\{\{-? ?define "([^"]+)"`)
	uses    = regexp.MustCompile(`\{\{-? ?template "([^"]+)"`)
)

// parsed are text templates that have been printed: parsing all takes longer than printing a machine.
var parsed sync.Map

// need adds a text template, and those that it prints, to the emitter.
func (e *emitter) need(name string) error {
	if e.forms.Lookup(name) != nil {
		return nil
	}
	source, exists := sources()[name]
	if !exists {
		return fmt.Errorf("there is no text template %q", name)
	}
	tree, known := parsed.Load(name)
	if !known {
		trees, file := map[string]*parse.Tree{}, parse.New(name)
		file.Mode = parse.SkipFuncCheck // they are found when they are called
		if _, err := file.Parse(marked(source), "", "", trees); err != nil {
			return err
		}
		guard(trees[name].Root)
		tree, _ = parsed.LoadOrStore(name, trees[name])
	}
	if _, err := e.forms.AddParseTree(name, tree.(*parse.Tree)); err != nil {
		return err
	}
	for _, match := range uses.FindAllStringSubmatch(source, -1) {
		if err := e.need(match[1]); err != nil {
			return err
		}
	}
	return nil
}

// importPaths are the packages that text templates name, by the names that they have there.
var importPaths = func() map[string]string {
	paths := map[string]string{}
	for path, name := range importNames {
		paths[name] = path
	}
	for _, name := range standard {
		pkg, _, _ := strings.Cut(name, ".")
		paths[pkg] = pkg
	}
	return paths
}()

// standard are the names of the standard library in text templates.
var standard = []string{"context.Context", "errors.New", "iter.Seq2", "strconv.Itoa", "testing.T"}

// kernelName matches a name of a package of the kernel, and ownName a hole for a name of the machine.
var (
	kernelName = regexp.MustCompile(`gg[a-z]*\.[A-Z]\w*`)
	ownName    = regexp.MustCompile(`\{\{(m\.(?:GoName|Names\.\w+))\}\}`)
)

// mark is on both sides of a name of a package or of the machine in the output of a text template. Between two marks without a name
// belongs a piece of jennifer code. No text in a hole contains it.
const mark = "\x00"

// marked puts marks around the names of packages, except in comments, because jennifer imports what it prints. It also marks names of the
// machine: they are most holes, and text/template is slow for each.
func marked(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if strings.Contains(line, ".") && !strings.HasPrefix(strings.TrimSpace(line), "//") {
			line = kernelName.ReplaceAllString(line, mark+"$0"+mark)
			for _, name := range standard {
				line = strings.ReplaceAll(line, name, mark+name+mark)
			}
		}
		b.WriteString(line)
	}
	return ownName.ReplaceAllString(b.String(), mark+"$1"+mark)
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

// code is a text template whose holes are filled.
func (e *emitter) code(name string, dot any) *jen.Statement {
	around := e.holes
	defer func() { e.holes = around }()
	e.holes = nil
	var b strings.Builder
	b.Grow(2 << 10)
	err := e.need(name)
	if err == nil {
		err = e.forms.ExecuteTemplate(&b, name, dot)
	}
	if err != nil && e.err == nil {
		e.err = err
	}
	s, text := jen.Null(), ""
	for i, part := range strings.Split(strings.ReplaceAll(strings.TrimRight(b.String(), "\n"), "{\n}", "{}"), mark) {
		of, name, named := strings.Cut(part, ".")
		switch {
		case i%2 == 0:
			text += part
		case named && of == "m":
			text += e.name(name)
		default:
			s.Op(text)
			text = ""
			if named {
				s.Qual(importPaths[of], name)
			} else {
				s.Add(e.holes[0])
				e.holes = e.holes[1:]
			}
		}
	}
	if text != "" {
		s.Op(text)
	}
	return s
}

// name is a name of the machine, by its path in the plan.
func (e *emitter) name(path string) string {
	v := reflect.ValueOf(e.m).Elem()
	for field := range strings.SplitSeq(path, ".") {
		v = v.FieldByName(field)
	}
	if !isName(v.String()) && e.err == nil {
		e.err = fmt.Errorf("m.%s: %q is not a name", path, v)
	}
	return v.String()
}

// hole is how a text template prints a value. Code of jennifer is set aside, since printing it imports packages. A string has to be an
// identifier, which is a name of the plan, so no text of an author can be code: one is printed as a literal, or by the functions of text.go.
func (e *emitter) hole(value any) (string, error) {
	switch v := value.(type) {
	case jen.Code:
		e.holes = append(e.holes, v)
		return mark + mark, nil
	case []jen.Code:
		e.holes = append(e.holes, jen.List(v...))
		return mark + mark, nil
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
