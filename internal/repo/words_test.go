package repo_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/graphgen/graphgen/internal/testing/tempmodule"
	"unicode"
)

// A retired word is one that the glossary in docs/README.md replaces.
type retired struct{ words, use string }

// phrases are the retired words of texts: pages, diagnostics and helps.
var phrases = []retired{
	{`told|tells?|said|says`, "a plain verb: report, list, name, return"},
	{`nobody|whoever|somebody`, "who or what it is"},
	{`stands?`, "is"},
	{`comes? to|came to`, "reach, result in"},
	{`way on|way of a failure|(?:no|a|the|every) ways? (?:leads?|to|from)|ways (?:on|to|from|of)|whose ways`, "edge, transition, failure route"},
	{`purse`, "ledger"},
	{`fates?`, "outcome"},
	{`hops?|legs?`, "transition"},
	{`dialogs?`, "transcript, turn"},
	{`embodied`, "dynamic node, dynamic edge"},
}

// tics are the words of pages and of comments in the packages for people that make a sentence hard to read.
var tics = []retired{
	{`behind`, "after, following, next"},
	{`(?:those|that)\s+of`, "the noun again"},
	{`go(?:es)?\s+on`, "continue, resume"},
	{`at\s+once`, "concurrently, immediately"},
	{`is\s+(?:no|none)`, "is not a, does not exist, without"},
	{`in\s+place\s+of`, "instead of"},
	{`in\s+the\s+midst\s+of`, "during"},
	{`but\s+for`, "except"},
}

// names are the retired words of exported names and of file names, as parts of a name.
var names = []retired{
	{"Way Ways Move Moves Leg Legs Hop Hops", "Transition, Edge"},
	{"Walk", "Graph of package cfg"},
	{"Fate Fates", "Outcome"},
	{"Course Courses Plenty", "Cost, CostRange, Unbounded"},
	{"Inside Within Inner Host Hosted Outer", "Region, Child, Parent"},
	{"Purse", "Ledger"},
	{"Rescue Soften", "Fail, FailureRoute"},
	{"Attend Attended", "SlowPath"},
	{"Spare", "Pool"},
	{"Embodied", "Overlay, Dynamic"},
	{"Talk Dialog Dialogs", "Transcript, Turn"},
	{"People", "Human"},
	{"Told Tell Tells Said Says Nobody Stands", "Report, List, Name"},
}

// exempt are exported names that stay, with the reason.
var exempt = map[string]string{
	"graphgen.Request.Within":  path,
	"graphgen.RunInfo.Within":  path,
	"graphgen.StepInfo.Within": path,
}

// path is the reason for the names that mean no region.
const path = "the path of the parents' nodes"

// TestRetiredWords holds that pages, texts of the compiler, exported names and file names use the words of
// the glossary, and that pages and comments for people have no tics.
func TestRetiredWords(t *testing.T) {
	used := map[string]bool{}
	for _, f := range slices.Concat(retiredInPages(t), retiredInCode(t), ticsInComments(t)) {
		if used[f.name] = true; exempt[f.name] == "" {
			t.Error(f)
		}
	}
	for name := range exempt {
		if !used[name] {
			t.Errorf("%s is no retired name: remove it from exempt", name)
		}
	}
}

// A use is a place where a retired word is used.
type use struct {
	path string
	line int
	word string
	retired
	name string // of an exported name: its package, type and name
}

func (u use) String() string {
	return fmt.Sprintf("%s:%d: %q is retired; use %s", u.path, u.line, u.word, u.use)
}

// code matches what a page shows as code.
var code = regexp.MustCompile("(?ms)^ *```.*?^ *```|^    [^\n]*$|`[^`\n]+`|\\]\\([^)]*\\)")

// retiredInPages returns the retired words of the Markdown pages outside of code.
func retiredInPages(t *testing.T) (found []use) {
	for path, text := range markdown(t) {
		if path == "CHANGELOG.md" || strings.Contains(path, "/library/") { // history; documents that an example reads
			continue
		}
		text = code.ReplaceAllStringFunc(text, func(code string) string { return strings.Repeat("\n", strings.Count(code, "\n")) })
		found = append(found, uses(phrases, path, 1, text)...)
		found = append(found, uses(tics, path, 1, text)...)
	}
	return found
}

// uses returns the words of a list that a text has which begins at a line.
func uses(words []retired, path string, line int, text string) (found []use) {
	for _, r := range words {
		for _, at := range regexp.MustCompile(`(?i)\b(?:`+r.words+`)\b`).FindAllStringIndex(text, -1) {
			found = append(found, use{path: path, line: line + strings.Count(text[:at[0]], "\n"), word: text[at[0]:at[1]], retired: r})
		}
	}
	return found
}

// forPeople matches the files of the packages that people call: the root, and what has no part for generated code.
var forPeople = regexp.MustCompile(`^(?:(?:chat|hooks|mutation|prelude|thread)/.*)?[^/]*\.go$`)

// ticsInComments returns the tics of the comments in the packages for people. Generated files have the texts of specs.
func ticsInComments(t *testing.T) (found []use) {
	seen := map[string]bool{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		path = filepath.ToSlash(path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "internal"):
			return fs.SkipDir
		case d.IsDir() || !forPeople.MatchString(path) || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		for _, c := range file.Comments {
			found = append(found, uses(tics, path, files.Position(c.Pos()).Line, c.Text())...)
		}
		seen[file.Name.Name] = true
		return nil
	})
	if err != nil || !seen["graphgen"] || !seen["chat"] || !seen["record"] {
		t.Errorf("the packages with comments are %v, %v", slices.Sorted(maps.Keys(seen)), err)
	}
	return found
}

// retiredInCode returns the retired words of the compiler's texts, and of the names that packages export.
func retiredInCode(t *testing.T) (found []use) {
	tops := append(tempmodule.Runtime(t, "."), "spec", "gen", "scenario", "cmd", "graph", "contrib")
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, top := range append(tops, files...) {
		err := filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case d.IsDir() && d.Name() == "testdata":
				return fs.SkipDir
			case d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
				return nil
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				return err
			}
			base := strings.TrimSuffix(filepath.Base(path), ".go")
			found = append(found, retiredNames(path, 1, strings.ToUpper(base[:1])+base[1:])...)
			found = append(found, retiredInTexts(files, file, path)...)
			found = append(found, retiredExports(files, file, path)...)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// retiredInTexts returns the retired words of string literals with blanks, but for those of examples.
func retiredInTexts(files *token.FileSet, file *ast.File, path string) (found []use) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && (key.Name == "Bad" || key.Name == "Good") {
				return false
			}
		case *ast.BasicLit:
			text, err := strconv.Unquote(n.Value)
			if n.Kind == token.STRING && err == nil && strings.Contains(text, " ") {
				found = append(found, uses(phrases, path, files.Position(n.Pos()).Line, text)...)
			}
		}
		return true
	})
	return found
}

// retiredExports returns the retired words of the names that a file exports.
func retiredExports(files *token.FileSet, file *ast.File, path string) (found []use) {
	check := func(name *ast.Ident, of string) {
		if !name.IsExported() {
			return
		}
		for _, u := range retiredNames(path, files.Position(name.Pos()).Line, name.Name) {
			dir := filepath.ToSlash(filepath.Dir(path))
			if dir == "." {
				dir = "graphgen"
			}
			u.name = strings.ReplaceAll(dir+"."+of+"."+name.Name, "..", ".")
			found = append(found, u)
		}
	}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			of := ""
			if decl.Recv != nil {
				of = receiverName(decl.Recv.List[0].Type)
				if !ast.IsExported(of) {
					continue
				}
			}
			check(decl.Name, of)
		case *ast.GenDecl:
			for _, s := range decl.Specs {
				switch s := s.(type) {
				case *ast.ValueSpec:
					for _, name := range s.Names {
						check(name, "")
					}
				case *ast.TypeSpec:
					check(s.Name, "")
					if of, ok := s.Type.(*ast.StructType); ok && s.Name.IsExported() {
						for _, f := range of.Fields.List {
							for _, name := range f.Names {
								check(name, s.Name.Name)
							}
						}
					}
				}
			}
		}
	}
	return found
}

// receiverName returns the name of a receiver's type.
func receiverName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// retiredNames returns the retired words among the parts of a name.
func retiredNames(path string, line int, name string) (found []use) {
	for _, r := range names {
		for _, part := range nameParts(name) {
			if slices.Contains(strings.Fields(r.words), part) {
				found = append(found, use{path: path, line: line, word: name, retired: r})
			}
		}
	}
	return found
}

// nameParts splits a Go name into its words: WayInfo is Way and Info.
func nameParts(name string) (parts []string) {
	start := 0
	for i, c := range name {
		if i > 0 && (unicode.IsUpper(c) || c == '_') {
			parts, start = append(parts, strings.Trim(name[start:i], "_")), i
		}
	}
	return append(parts, strings.Trim(name[start:], "_"))
}

// TestRetiredWordsOfOnePage holds what is found in a page, a text and a name.
func TestRetiredWordsOfOnePage(t *testing.T) {
	for text, want := range map[string]int{
		"It tells what changed.":                       1,
		"It stands\nwhere no way leads to the node.":   2,
		"By way of an edge, on its way, either way.":   0,
		"A transition leads to the node, as reported.": 0,
	} {
		if got := uses(phrases, "page.md", 1, text); len(got) != want {
			t.Errorf("%q: found %v, want %d", text, got, want)
		}
	}
	if got := uses(phrases, "page.md", 1, "It stands\nwhere no way leads"); len(got) == 2 && got[1].line != 2 {
		t.Errorf("found %v, want line 2", got[1])
	}
	for text, want := range map[string]int{
		"The run goes on behind the node.":                               2,
		"Its limits are those\nof the spec, at\nonce.":                   2,
		"It is no prompt, in place of one, but for a flag.":              3,
		"It ends in the midst of a step.":                                1,
		"The noun, once; it is not a node, of those after it. Going on.": 0,
	} {
		if got := uses(tics, "page.md", 1, text); len(got) != want {
			t.Errorf("%q: found %v, want %d", text, got, want)
		}
	}
	for path, want := range map[string]bool{"option.go": true, "chat/record/book.go": true, "runtime/engine/run.go": false, "golden/state/state.go": false} {
		if got := forPeople.MatchString(path); got != want {
			t.Errorf("%s is for people: %t", path, got)
		}
	}
	for name, want := range map[string]int{"WayInfo": 1, "AlwaysRoutes": 0, "RanWithin": 1, "Always": 0, "Steps": 0, "Hosts": 0} {
		if got := retiredNames("x.go", 1, name); len(got) != want {
			t.Errorf("%s: found %v, want %d", name, got, want)
		}
	}
}

// TestDocsBeginWithTheName holds that the doc comment of a function begins with its name or with a sentence, not with another
// name, as after a function was renamed.
func TestDocsBeginWithTheName(t *testing.T) {
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			first, _, _ := strings.Cut(f.Doc.Text(), " ")
			if first != f.Name.Name && otherName.MatchString(first) {
				t.Errorf("%s: the doc comment of %s begins with %s", files.Position(f.Pos()), f.Name.Name, first)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// otherName matches a first word that no sentence begins with.
var otherName = regexp.MustCompile(`^([a-z]\w*|[A-Z]\w*[a-z][A-Z]\w*)$`)
