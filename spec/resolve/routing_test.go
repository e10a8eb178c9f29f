package resolve_test

import (
	"strings"
	"testing"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// written is a value that its author wrote somewhere.
func written[T any](v T) spec.Value[T] { return spec.Value[T]{V: v, Pos: spec.Pos{Line: 1, Col: 1}} }

// leaving makes a graph of a node a with edges to nodes of the names they are given here:
// what asks for nothing, for an expression (if), for a judgement (when) or an event (on).
func leaving(a *spec.Node, edges ...*spec.Edge) *resolve.Routing {
	a.Name = written("a")
	s := &spec.Graph{Name: written("g"), Entry: written("a"), Nodes: []*spec.Node{a}}
	for _, e := range edges {
		e.From = written("a")
		s.Nodes = append(s.Nodes, &spec.Node{Name: e.To})
	}
	s.Edges = edges
	g := resolve.Resolve(s)
	return g.Routing(g.Node("a"))
}

func targets(edges []*resolve.Edge) string {
	var names []string
	for _, e := range edges {
		names = append(names, e.Spec.To.V)
	}
	return strings.Join(names, " ")
}

func TestTheModelIsAskedBehindTheOtherConditionsAndBeforeTheDefault(t *testing.T) {
	r := leaving(&spec.Node{},
		&spec.Edge{To: written("default"), Priority: written(9)},
		&spec.Edge{To: written("judged"), When: written("it is good"), Priority: written(5)},
		&spec.Edge{To: written("tested"), If: written("state.N > 1")},
		&spec.Edge{To: written("judgedFirst"), When: written("it is bad"), Priority: written(7)},
		&spec.Edge{To: written("testedFirst"), If: written("state.N > 2"), Priority: written(1)},
	)
	if got, want := targets(r.Edges), "testedFirst tested judgedFirst judged default"; got != want {
		t.Errorf("tried: %s, want %s", got, want)
	}
	if got, want := targets(r.Judged), "judgedFirst judged"; got != want {
		t.Errorf("judged: %s, want %s", got, want)
	}
	if got, want := targets(r.Defaults()), "default"; got != want {
		t.Errorf("defaults: %s, want %s", got, want)
	}
}

func TestWithoutAJudgePrioritiesAloneDecide(t *testing.T) {
	r := leaving(&spec.Node{},
		&spec.Edge{To: written("tested"), If: written("state.N > 1")},
		&spec.Edge{To: written("plain"), Priority: written(1), MaxIterations: written(2)},
	)
	if got, want := targets(r.Edges), "plain tested"; got != want {
		t.Errorf("tried: %s, want %s", got, want)
	}
	if len(r.Judged)+len(r.Defaults()) > 0 {
		t.Errorf("judged: %s, defaults: %s, want none", targets(r.Judged), targets(r.Defaults()))
	}
}

func TestATurnThatCallsToolsHasWaysOfItsOwn(t *testing.T) {
	asking := func() *spec.Node {
		return &spec.Node{Kind: written("prompt"), Prompt: spec.Prompt{Tools: []spec.String{written("search")}}}
	}
	if r := leaving(asking()); !r.ToolLoop || !r.Terminal() {
		t.Errorf("with tools: loops %v, terminal %v, want both", r.ToolLoop, r.Terminal())
	}
	single := asking()
	single.Prompt.ToolLoop = written(false)
	r := leaving(single, &spec.Edge{To: written("none"), On: written("no_tool_call")}, &spec.Edge{To: written("called"), On: written("tool_call")})
	if r.ToolLoop || r.Terminal() || targets(r.Called) != "called" || targets(r.Edges) != "none" {
		t.Errorf("with tool_loop: false: loops %v, called %q, edges %q", r.ToolLoop, targets(r.Called), targets(r.Edges))
	}
	injected := &spec.Node{Kind: written("prompt"), Flags: []spec.Flag{{Name: written("inject_tools")}}}
	if r := leaving(injected); !r.ToolLoop {
		t.Error("a node that is given tools at run time does not loop on them")
	}
	if r := leaving(&spec.Node{Prompt: spec.Prompt{Tools: []spec.String{written("search")}}}); r.ToolLoop {
		t.Error("a func node loops on tools")
	}
}
