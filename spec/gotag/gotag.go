// Package gotag reads graphs that are written in Go: as a struct whose fields are nodes,
// with struct tags and //graphgen: comments. What it makes of them is the tree that the YAML
// reader makes of its source, so that keys, values and diagnostics are one and the same.
//
// docs/reference/tagged-go.md describes the language. Its grammar is in grammar.go, the meaning of a
// graph's struct in graph.go.
package gotag

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/diag"
)

// Marker is the import path of the package whose types mark the fields of a graph.
const Marker = "github.com/graphgen/graphgen/graph"

// directive is the prefix of graphgen's comments.
const directive = "//graphgen:"

// Holds reports whether a Go file may hold a graph. It examines the text only, so that packages
// without graphs are not loaded.
func Holds(text []byte) bool {
	for line := range bytes.Lines(text) {
		rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte(directive+"graph"))
		if ok && (len(rest) == 0 || bytes.IndexByte([]byte(" \t\r\n"), rest[0]) >= 0) {
			return true
		}
	}
	return bytes.Contains(text, []byte(`"`+Marker+`"`)) && nearGraph.Match(text)
}

// nearGraph matches a misspelt comment that begins a graph, nearDirective any misspelt directive.
var (
	nearGraph     = regexp.MustCompile(`(?mi)^[ \t]*//[ \t]*graphgen[ \t]*:[ \t]*graph[ \t]`)
	nearDirective = regexp.MustCompile(`(?i)^//[ \t]*graphgen[ \t]*:[ \t]*(?:graph|set|edge|loop_until)(?:[ \t]|$)`)
)

// misspelt reports comments that would be directives without blanks and capitals.
func (r *reader) misspelt(group *ast.CommentGroup) {
	if group == nil {
		return
	}
	for _, c := range group.List {
		if !nearDirective.MatchString(c.Text) {
			continue
		}
		_, statement, _ := strings.Cut(c.Text, ":")
		statement = strings.TrimSpace(statement)
		word, rest, _ := strings.Cut(statement, " ")
		if right := directive + strings.ToLower(word); !strings.HasPrefix(c.Text, right) {
			r.report("GG307", r.at(c), "graphgen does not read this comment, because of its blanks or capitals", "write "+strings.TrimSpace(right+" "+rest))
		}
	}
}

// graphs reads the graphs of a file in order.
func (p *pkg) graphs(file *goFile) ([]*spec.Graph, []diag.Diagnostic) {
	var list []*spec.Graph
	var found []diag.Diagnostic
	claimed := map[*ast.Comment]bool{}
	for _, d := range file.tree.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.TYPE {
			continue
		}
		for _, s := range decl.Specs {
			t := s.(*ast.TypeSpec)
			doc := t.Doc
			if doc == nil && len(decl.Specs) == 1 {
				doc = decl.Doc
			}
			begin := directivesOf(doc)
			if !slices.ContainsFunc(begin, isGraph) {
				found = append(found, p.almost(file, t, doc)...)
				continue
			}
			for _, c := range begin {
				claimed[c] = true
			}
			r := &reader{pkg: p, home: file, file: file}
			if g := r.graph(t, doc); g != nil {
				list = append(list, g)
			}
			found = append(found, r.found...)
		}
	}
	r := &reader{pkg: p, home: file, file: file}
	for _, group := range file.tree.Comments {
		for _, c := range directivesOf(group) {
			if isGraph(c) && !claimed[c] {
				r.report("GG150", r.at(c), "this comment is above no struct type", "write it right above `type _ struct {`, without an empty line between")
			}
		}
	}
	return list, append(found, r.found...)
}

// almost reports misspelt directives above a struct of nodes.
func (p *pkg) almost(file *goFile, t *ast.TypeSpec, doc *ast.CommentGroup) []diag.Diagnostic {
	r := &reader{pkg: p, home: file, file: file}
	body, ok := t.Type.(*ast.StructType)
	if ok && slices.ContainsFunc(body.Fields.List, func(f *ast.Field) bool { return r.marker(f.Type) != "" }) {
		r.misspelt(doc)
	}
	return r.found
}

// directivesOf returns the directives in a group of comments.
func directivesOf(group *ast.CommentGroup) []*ast.Comment {
	if group == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(group.List), func(c *ast.Comment) bool { return !strings.HasPrefix(c.Text, directive) })
}

func isGraph(c *ast.Comment) bool {
	rest, ok := strings.CutPrefix(c.Text, directive+"graph")
	return ok && (rest == "" || strings.IndexByte(" \t\r\n", rest[0]) >= 0)
}

// A reader reads one graph and collects diagnostics.
type reader struct {
	pkg   *pkg
	home  *goFile  // file of the graph
	file  *goFile  // file being read
	where string   // last position in another file that was asked for
	fixed spec.Pos // position for everything in another file: where the graph refers to it
	found []diag.Diagnostic

	graphSet settings
	limits   settings
	types    settings
	edges    []spec.Tree
	goNames  map[string]string // Go names of fields, by the path of their names
	owns     map[string]*own   // existing types by name
	goTypes  map[string]string // names of types of other packages, by import path and Go name
	here     map[string]bool   // types that the graph declares
	of       *own              // the type whose fields are being read; nil: a struct that the graph declares
	hidden   map[string]string // Go names of fields of the state that the graph does not see
	state    *own              // nil: the graph declares its state
	statePos spec.Pos
}

// pos is the place of some bytes of the file that is being read.
func (r *reader) pos(from, to int) spec.Pos {
	if r.fixed.IsSet() {
		at := r.file.src.pos(from, to)
		r.where = fmt.Sprintf("%s:%d:%d", base(r.file.src.path), at.Line, at.Col)
		return r.fixed
	}
	return r.file.src.pos(from, to)
}

// at is the place of a piece of syntax.
func (r *reader) at(n ast.Node) spec.Pos {
	return r.pos(r.pkg.offset(n.Pos()), r.pkg.offset(n.End()))
}

func (r *reader) report(code string, pos spec.Pos, message, help string) {
	r.add(diag.Diagnostic{Code: code, Pos: pos, Message: message, Help: diag.Help(help)})
}

func (r *reader) add(d diag.Diagnostic) {
	if r.fixed.IsSet() && r.where != "" {
		d.Message += ", at " + r.where
	}
	d.Severity, d.File = diag.Error, r.home.src.path
	r.found = append(r.found, d)
}

// statements reads the settings of a field or type: the comments above it, then its tag.
func (r *reader) statements(doc *ast.CommentGroup, tag *ast.BasicLit) []statement {
	var list []statement
	r.misspelt(doc)
	for _, c := range directivesOf(doc) {
		if nearDirective.MatchString(c.Text) && !slices.Contains(statementWords, c.Text[len(directive):len(directive)+wordLen(c.Text[len(directive):])]) {
			continue // misspelt has reported it
		}
		text := strings.TrimPrefix(c.Text, directive)
		p := &scan{r: r, in: plain(strings.TrimRight(text, "\r"), r.pkg.offset(c.Pos())+len(directive))}
		s := p.statement()
		if !p.bad && p.next < len(p.in.text) {
			p.fail("one statement", "a comment holds one statement; write the next on a line of its own")
		}
		if first := text[:wordLen(text)]; !slices.Contains(statementWords, first) {
			r.found = slices.DeleteFunc(r.found, func(d diag.Diagnostic) bool { return d.Code == "GG151" && d.Pos.Line == s.pos.Line })
			r.unknownDirective(s.pos, first)
			continue
		}
		list = append(list, s)
	}
	if tag == nil {
		return list
	}
	whole, ok := plain(tag.Value, r.pkg.offset(tag.Pos())).unquote()
	var value snippet
	var named bool
	if ok {
		value, named, ok = whole.lookup("graphgen")
	}
	if ok && !named {
		r.misspeltKey(whole)
	}
	if !ok {
		r.report("GG151", r.at(tag), "the tag does not follow Go's convention", "write it as `graphgen:\"…\"`, a key, a colon and a text in double quotes")
		return list
	}
	p := &scan{r: r, in: value}
	return append(list, p.tag()...)
}

// misspeltKey reports the key of a struct tag that is almost graphgen.
func (r *reader) misspeltKey(tag snippet) {
	for i := 0; i < len(tag.text); {
		begin := i
		for i < len(tag.text) && tag.text[i] != ':' {
			i++
		}
		key := strings.TrimSpace(tag.text[begin:i])
		if _, near := diag.Suggest(key, []string{"graphgen"}); near {
			begin += strings.Index(tag.text[begin:i], key)
			r.report("GG308", r.pos(tag.at[begin], tag.at[begin+len(key)]), "graphgen does not read the key "+strconv.Quote(key)+" of a tag",
				`write graphgen:"…"`)
			return
		}
		for i++; i < len(tag.text) && tag.text[i] != '"'; i++ {
		}
		for i++; i < len(tag.text) && tag.text[i] != '"'; i++ { // the value
			if tag.text[i] == '\\' {
				i++
			}
		}
		i++
	}
}

func (r *reader) unknownDirective(pos spec.Pos, word string) {
	help := "the comments are //graphgen:graph, //graphgen:set, //graphgen:edge and //graphgen:loop_until"
	if near, ok := diag.Suggest(word, statementWords); ok {
		help = "did you mean " + directive + near + "?"
	}
	r.report("GG152", pos, "graphgen has no comment "+directive+word, help)
}
