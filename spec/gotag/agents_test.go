package gotag_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec/resolve"
)

const agentInGo = `package news

import "github.com/graphgen/graphgen/graph"

//graphgen:graph news entry=draft max_cost=0.5
//graphgen:set tools={search: {doc: 'Search the web.', args: {query: string, in: {type: Shelf, default: new}}, returns: []Hit}}
type _ struct {
	State struct {
		Topic string
		Text  string
	} ` + "`graphgen:\"input=topic; output=text\"`" + `

	Draft graph.Prompt ` + "`graphgen:\"message='About {{topic}}.'; tools=search; writes=text; blocks=[{name: style, text: 'Be " +
	"brief.'}]; evals={sure: {if: isSure}}; -> end if evals.Sure; -> judge\"`" + `
	Judge graph.Prompt ` + "`graphgen:\"message='Judge {{text}}.'; -> end when='the text is good'; -> draft max_iterations=2; no_match=end\"`" + `
}

// Hit is what a search finds.
type Hit struct {
	URL string ` + "`json:\"url\"`" + `
}

// Shelf is where it looks.
type Shelf string

// The shelves.
const (
	New Shelf = "new"
	Old Shelf = "old"
)

func isSure(out string) bool { return out != "" }
`

// Tools take and give types of the package, and evals call its functions.
func TestAgentsAreWrittenInGo(t *testing.T) {
	graphs, found := judge("news.go", []byte(agentInGo))
	if len(found) > 0 || len(graphs) != 1 {
		t.Fatal(found)
	}
	g := resolve.Resolve(graphs[0])
	search, draft := g.Tool("search"), g.Node("draft")
	if got := search.Returns.Go(); got != "[]Hit" {
		t.Errorf("it returns %s", got)
	}
	if got := search.Args.Field("in").Type; got.Go() != "Shelf" || !got.Declared {
		t.Errorf("its argument is of %s", got.Go())
	}
	if e := draft.Evals[0].Spec; e.If.V != "isSure(out)" || e.IfFunc != "isSure" {
		t.Errorf("the eval asks %s", e.If.V)
	}
	if len(draft.Message) != 3 || draft.Message[1].Field.Name != "topic" || draft.Message[1].Pos.Col != 47 {
		t.Errorf("message %+v", draft.Message)
	}
	if got := graphs[0].Limits.MaxCost.V; got != 0.5 {
		t.Errorf("max_cost %v", got)
	}
	if when := g.Edges[2].Spec.When.V; when != "the text is good" {
		t.Errorf("when %q", when)
	}
	needs := ""
	for _, source := range graphs[0].Go.Sources {
		needs += string(source.Text)
	}
	if !strings.Contains(needs, "func isSure(") {
		t.Errorf("what scenarios run is\n%s", needs)
	}
}
