// Package markdown_test reads the Markdown of graphgen with a real parser. It is a module of its own, so that
// the parser is in no other go.mod.
package markdown_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"

	"github.com/graphgen/graphgen/internal/testing/hostile"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
	"github.com/graphgen/graphgen/spec/diff"
	"github.com/graphgen/graphgen/spec/escape"
)

// reviews parses as sites do that show reviews.
var reviews = goldmark.New(goldmark.WithExtensions(extension.GFM)).Parser()

// ours are the nodes that a list of changes is made of. Texts of specs are in code spans.
var ours = []ast.NodeKind{
	ast.KindDocument, ast.KindHeading, ast.KindList, ast.KindListItem, ast.KindTextBlock, ast.KindEmphasis, ast.KindCodeSpan, ast.KindText,
}

// read returns the texts of the code spans, and fails the test for what is no list of changes.
func read(t *testing.T, source string) (spans []string, headings, items int) {
	t.Helper()
	root := reviews.Parse(text.NewReader([]byte(source)))
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		if !slices.Contains(ours, n.Kind()) {
			t.Errorf("there is a %s in\n%s", n.Kind(), source)
		}
		switch n.Kind() {
		case ast.KindHeading:
			headings++
		case ast.KindListItem:
			items++
		case ast.KindCodeSpan:
			span := ""
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				span += string(c.(*ast.Text).Value([]byte(source)))
			}
			spans = append(spans, span)
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return spans, headings, items
}

func TestChangesInCodeSpans(t *testing.T) {
	for _, h := range hostile.Texts {
		t.Run(h.Name, func(t *testing.T) {
			source := "## " + escape.Code(h.Text) + " → " + escape.Code(h.Text) + "\n\n" + diff.Markdown([]diff.Change{
				{Kind: diff.Added, Section: diff.State, Of: h.Text, What: h.Text},
				{Kind: diff.Removed, Section: diff.State, Of: h.Text},
				{Kind: diff.Changed, Section: diff.Edges, What: h.Text},
			})
			spans, headings, items := read(t, source)
			line := escape.Line(h.Text)
			if want := []string{line, line, line, line, line, line}; !slices.Equal(spans, want) {
				t.Errorf("the code spans are %q, want %q in\n%s", spans, want, source)
			}
			if headings != 3 || items != 3 {
				t.Errorf("%d headings and %d items in\n%s", headings, items, source)
			}
		})
	}
}

// A pattern with blank lines was a heading, a link, an image and HTML in a review.
func TestDifferencesOfHostileSpecs(t *testing.T) {
	load := func(t *testing.T, fields string) *cfg.Graph {
		t.Helper()
		g, found := spec.Load("a.graph.yaml", []byte("graph: a\nentry: a\nstate: {text: string"+fields+"}\nnodes: {a: {}}\n"))
		if len(found) > 0 {
			t.Skipf("the reader refuses it: %+v", found[0].Message)
		}
		return cfg.Of(g)
	}
	for _, h := range hostile.Texts {
		t.Run(h.Name, func(t *testing.T) {
			old := load(t, "")
			hostile := load(t, fmt.Sprintf(", more: {type: string, pattern: %s}", strconv.QuoteToASCII(h.Text)))
			for _, changes := range [][]diff.Change{diff.Between(old, hostile), diff.Between(hostile, old)} {
				if len(changes) == 0 {
					t.Fatal("there is no difference")
				}
				if _, headings, items := read(t, diff.Markdown(changes)); headings != 1 || items != len(changes) {
					t.Errorf("%d headings and %d items in\n%s", headings, items, diff.Markdown(changes))
				}
			}
		})
	}
}
