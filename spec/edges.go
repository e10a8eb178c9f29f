package spec

import (
	"slices"

	"github.com/graphgen/graphgen/spec/yamlread"
)

// An Edge is an entry of the edges section. It has the form of a plain edge, of a
// branch table, or of one of the shorthands Sequential and Loop.
type Edge struct {
	Pos  Pos
	From String
	To   String // not set where Branch is

	If           String
	IfFunc       string // the Go function that If calls, where it calls one
	Branch       []Label
	BranchPos    Pos    // place of the table, set even when it is empty
	By           String // the field of the output whose values the labels are; not set: the handler returns a label
	On           String
	Tools        []String // of on: tool_call: the turn calls one of these tools
	ToolsPos     Pos
	OnOutput     *OutputMatch
	OnConfidence Value[float64]
	When         String   // in natural language, for the model to judge
	Reads        []String // state fields that this model is shown besides the results

	Priority      Value[int]
	MaxIterations Value[int]
	Label         String // for diagrams and reports

	Sequential    []String
	SequentialPos Pos
	Loop          *LoopUntil

	Unread bool
}

// OutputName is what a branch table calls the whole output, as conditions do.
const OutputName = "out"

// A Label is an entry of a branch table.
type Label struct {
	Name String
	To   String
}

// OutputMatch is the condition on_output: {key: value}.
type OutputMatch struct {
	Pos   Pos
	Key   String
	Value Scalar
}

// ScalarKind is the YAML kind of a scalar.
type ScalarKind = yamlread.Kind

const (
	ScalarString = yamlread.Text
	ScalarInt    = yamlread.Int
	ScalarFloat  = yamlread.Float
	ScalarBool   = yamlread.Bool
	ScalarNull   = yamlread.Null
	ScalarList   = yamlread.List
	ScalarMap    = yamlread.Map
)

// A Scalar is a plain YAML value. Text is what the author wrote, without quotes. A default may be a list or a mapping of such, too.
type Scalar struct {
	Kind  ScalarKind
	Text  string
	Pos   Pos
	Items []Scalar // of a list; of a mapping key, value, key, value …
}

// String is the value as YAML in one line; a text, a number or a bool is as the author wrote it, without quotes.
func (s *Scalar) String() string {
	if s.Kind != ScalarList && s.Kind != ScalarMap {
		return s.Text
	}
	t := s.tree()
	return t.Flow()
}

// tree is the reverse of plainValue.
func (s *Scalar) tree() Tree {
	t := Tree{Kind: s.Kind, Text: s.Text, Pos: s.Pos}
	for i := range s.Items {
		t.Items = append(t.Items, s.Items[i].tree())
	}
	return t
}

// LoopUntil is the shorthand {node, exit, if, max_iterations}.
type LoopUntil struct {
	Pos           Pos
	Node          String
	Exit          String
	If            String
	IfFunc        string     // the Go function that If calls, where it calls one
	MaxIterations Value[int] // default 5

	Unread bool
}

// Names that mean the terminal pseudo-node.
const (
	End     = "end"
	EndDown = "__end__"
	EndUp   = "END"
)

// IsEnd reports whether name is one of the spellings of the terminal pseudo-node.
func IsEnd(name string) bool { return name == End || name == EndDown || name == EndUp }

// NamesEnd reports whether the graph has an end of that name, besides end.
func (g *Graph) NamesEnd(name string) bool {
	return slices.ContainsFunc(g.Ends, func(end String) bool { return end.V == name && name != "" })
}

// Expand returns the graph's edges with the shorthands replaced by the edges
// that they abbreviate, in the order of the spec. Expanded edges carry the positions of the shorthand.
func (g *Graph) Expand() []*Edge {
	out := make([]*Edge, 0, len(g.Edges))
	for _, e := range g.Edges {
		switch {
		case e.SequentialPos.IsSet():
			for i := 1; i < len(e.Sequential); i++ {
				out = append(out, &Edge{Pos: e.Sequential[i].Pos, From: e.Sequential[i-1], To: e.Sequential[i], Unread: e.Unread})
			}
		case e.Loop != nil:
			out = append(out, e.Loop.expand(e.Unread || e.Loop.Unread)...)
		default:
			out = append(out, e)
		}
	}
	return out
}

// Executions is how many times the node runs at most.
func (l *LoopUntil) Executions() Value[int] {
	if !l.MaxIterations.IsSet() {
		return Value[int]{V: DefaultLoopIterations, Pos: l.Pos}
	}
	return l.MaxIterations
}

// expand gives the exit, the bounded edge back, and the exit for when the bound is used up. The
// node runs once before it is first followed by itself, so the edge back has one follow less
// than the loop has executions. A loop of one execution is refused by the checks.
func (l *LoopUntil) expand(unread bool) []*Edge {
	back := l.Executions()
	back.V = max(1, back.V-1)
	return []*Edge{
		{Pos: l.Pos, From: l.Node, To: l.Exit, If: l.If, IfFunc: l.IfFunc, Priority: Value[int]{V: LoopExitPriority, Pos: l.Pos}, Unread: unread},
		{Pos: l.Pos, From: l.Node, To: l.Node, MaxIterations: back, Unread: unread},
		{Pos: l.Pos, From: l.Node, To: l.Exit, Unread: unread},
	}
}
