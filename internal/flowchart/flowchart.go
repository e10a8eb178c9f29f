// Package flowchart draws the tables of a graph: the kernel draws the graph of a run with it, the
// compiler the graph of a spec. A state is a node; a node that runs others is a box around them. A
// transition with a condition is a solid line with the condition, one without is dashed, and that
// of a failure is red. A bound is part of the label, as in ≤3.
package flowchart

import (
	"slices"
	"strconv"
	"strings"
)

// A Graph is what a diagram needs of a graph. Nodes and transitions have the numbers of their tables.
type Graph struct {
	Name        string
	Nodes       []Node       // the first is end
	Transitions []Transition // the first enters the graph
	OnError     int          // the transition after a failure that no node handles; 0: none

	leaving [][]int // by node: its transitions
}

// A Node is a node of a graph.
type Node struct {
	Name     string
	Shape    string // as Graphviz calls it; empty: Plain
	Title    string // what it shows instead of its name
	Parent   int    // the node that runs it; 0: none
	Template bool   // a run may add more of it
	Ending   Ending // where no transition of it is taken
	Most     int    // iterations of its body
	Each     string // what its body runs for each of
	First    int    // of a node that picks: the transition that it takes first; 0: none
}

// An Ending is how a run ends at a node that takes no transition.
type Ending uint8

const (
	NoEnding Ending = iota // a transition is taken, or the node fails
	Terminal               // the node has no transition, or a model judges that none holds
	UsedUp                 // every transition has been followed as often as it may
	NoMatch                // no transition matches
)

// A Transition is a transition of a graph.
type Transition struct {
	From, To int
	Rule     string // its name
	Text     string // the condition as the spec has it
	Label    string // the author's name for it, or that of the end
	End      string // the name of the end to which it leads; empty: none
	Case     string // the label of a branch table that leads there
	Max      int    // 0: no bound
	Skipped  bool   // only a skipped node takes it
}

// A Link is one line of a diagram.
type Link struct {
	From, To   string   // identifiers
	Label      []string // each on one line, of any length
	Style      Style
	Transition int // its number in the table; NoTransition: what happens where none is taken, or the line back of a loop
}

// NoTransition is the number of a transition for a line that shows none.
const NoTransition = -1

// A Style is the look of a line.
type Style uint8

const (
	Conditional   Style = iota
	Unconditional       // dashed
	Failure             // red
)

// Identifiers of the states that are no nodes. Those of nodes are n1, n2, …: whatever an author
// calls a node, it is never a word of the diagram's language.
const (
	StartID   = "start"
	EndID     = "stop"
	FailureID = "failure"
)

// ID is the identifier of a node.
func ID(n int) string {
	if n == 0 {
		return EndID
	}
	return "n" + strconv.Itoa(n)
}

// Links returns the lines of a graph, node by node, the transitions of a node in the order they are tried.
func (g *Graph) Links() []Link {
	list := []Link{{From: StartID, To: ID(g.Transitions[0].To), Style: Unconditional}}
	for n := 1; n < len(g.Nodes); n++ {
		list = append(list, g.regions(n)...)
		list = append(list, g.leavingLines(n)...)
	}
	if g.OnError > 0 {
		list = append(list, Link{From: FailureID, To: ID(g.Transitions[g.OnError].To), Label: []string{"on_error"}, Style: Failure, Transition: g.OnError})
	}
	return list
}

// of returns the transitions of a node.
func (g *Graph) of(n int) []int {
	if g.leaving == nil {
		g.leaving = make([][]int, len(g.Nodes))
		for t := range g.Transitions {
			from := g.Transitions[t].From
			g.leaving[from] = append(g.leaving[from], t)
		}
	}
	return g.leaving[n]
}

// regions returns the lines from a node to what it runs and, of a loop, the line back.
func (g *Graph) regions(n int) (list []Link) {
	node := &g.Nodes[n]
	for _, i := range g.of(n) {
		t := &g.Transitions[i]
		if t.Rule != "branch" {
			continue
		}
		l := Link{From: ID(n), To: ID(t.To), Style: Unconditional, Transition: i}
		branch, isBranch := strings.CutPrefix(t.Text, "branch ")
		switch {
		case isBranch:
			name, started, _ := strings.Cut(branch, " if ")
			if l.Label = lines(name, started); started != "" {
				l.Style = Conditional
			}
		case node.Each != "":
			l.Label = lines("each " + node.Each)
		case t.Text == "pool" && i != node.First:
			l.Style = Conditional
		}
		list = append(list, l)
		if node.Most > 0 {
			list = append(list, Link{From: ID(g.last(t.To)), To: ID(n), Label: []string{atMost(node.Most)}, Transition: NoTransition})
		}
	}
	return list
}

// next returns a node that follows one in the chain of nodes that their parent runs; 0 without one.
func (g *Graph) next(n int) int {
	for _, i := range g.of(n) {
		if t := &g.Transitions[i]; t.To > 0 && (t.Rule == "next" || t.Rule == "goto") {
			return t.To
		}
	}
	return 0
}

// last returns the last node of a chain.
func (g *Graph) last(n int) int {
	for to := g.next(n); to > 0; to = g.next(n) {
		n = to
	}
	return n
}

// leavingLines returns the lines that lead on from a node.
func (g *Graph) leavingLines(n int) (list []Link) {
	transitions := slices.DeleteFunc(slices.Clone(g.of(n)), func(i int) bool { return g.Transitions[i].Rule == "branch" })
	slices.SortStableFunc(transitions, func(a, b int) int { return rank(&g.Transitions[a]) - rank(&g.Transitions[b]) })
	failures := slices.IndexFunc(transitions, func(i int) bool { return rank(&g.Transitions[i]) > beforeEnd })
	if failures < 0 {
		failures = len(transitions)
	}
	for _, i := range transitions[:failures] {
		l := g.link(i)
		if parent := g.Nodes[n].Parent; parent > 0 && g.Transitions[i].To == 0 { // a router that ends what the parent runs
			l.To, l.Label = ID(parent), []string{"end"}
		}
		list = append(list, l)
	}
	if l, ok := g.ending(n, transitions[:failures]); ok {
		list = append(list, l)
	}
	for _, i := range transitions[failures:] {
		list = append(list, g.link(i))
	}
	return list
}

// beforeEnd is the last rank before the line to end.
const beforeEnd = 2

// rank orders the lines of a node: calls of tools, what it chooses, what a skipped node takes, and
// then what a verdict of guards, an error edge, a person and the error transition lead to.
func rank(t *Transition) int {
	switch {
	case t.Rule == "tool loop":
		return 0
	case t.Rule == "guard fail":
		return 3
	case t.Rule == "human":
		return 5
	case t.Rule == "error" && t.Text == "transition error":
		return 6
	case t.Rule == "error", t.Rule == "budget":
		return 4
	case t.Skipped:
		return beforeEnd
	}
	return 1
}

// ending returns the line to end of a node that takes no transition. A node that another runs has none:
// that one continues.
func (g *Graph) ending(n int, transitions []int) (Link, bool) {
	l := Link{From: ID(n), To: EndID, Style: Unconditional, Transition: NoTransition}
	switch g.Nodes[n].Ending {
	case NoEnding:
		return l, false
	case UsedUp:
		l.Label = []string{"used up"}
	case NoMatch:
		l.Label = []string{"no match"}
	case Terminal:
		if slices.ContainsFunc(transitions, func(i int) bool { return strings.HasPrefix(g.Transitions[i].Text, "when ") }) {
			l.Label, l.Style = []string{"none holds"}, Conditional
		}
	}
	return l, true
}

// words returns the text of a transition as a diagram shows it.
func words(text string) string {
	switch text {
	case "on tool_call":
		return "tool calls"
	case "on no_tool_call":
		return "no tool calls"
	case "on_deny":
		return "denied"
	case "on_timeout":
		return "too late"
	}
	return strings.TrimPrefix(text, "if ")
}

// link returns the line of a transition. Its label is the author's, the condition, the bound, the name of the end.
func (g *Graph) link(i int) Link {
	t := &g.Transitions[i]
	l := g.unnamed(i)
	if t.End != "" {
		l.Label = append(l.Label, lines(t.End)...)
	}
	return l
}

// unnamed returns the line of a transition without the name of the end.
func (g *Graph) unnamed(i int) Link {
	t := &g.Transitions[i]
	l := Link{From: ID(t.From), To: ID(t.To), Transition: i}
	text, label := words(t.Text), t.Label
	if label == t.End {
		label = ""
	}
	switch {
	case t.Rule == "goto":
		l.Label = []string{t.Rule}
		return l
	case t.Rule == "human":
		l.Label = []string{text}
		return l
	case t.Rule == "guard fail":
		text, l.Style = "guard failed", Failure
	case t.Rule == "error":
		text, l.Style = "error", Failure
	case t.Rule == "budget":
		text, l.Style = "budget spent", Failure
	case t.Skipped:
		text = "skipped"
	case t.Rule == "next" || text == "":
		text, l.Style = "", Unconditional
	case t.Case != "" && label != "":
		text = ""
	case t.Case != "":
		text = t.Case
	}
	l.Label = lines(label, text)
	if t.Max > 0 && t.Rule != "tool loop" {
		l.Label = append(l.Label, atMost(t.Max))
	}
	return l
}

func atMost(n int) string { return "≤" + strconv.Itoa(n) }

// lines returns the texts that are not empty, each on one line.
func lines(texts ...string) []string {
	var out []string
	for _, text := range texts {
		if text = strings.Join(strings.Fields(text), " "); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// longest is how many characters of a label a diagram shows.
const longest = 60

// OneLine puts a text onto one line, and cuts it where it is longer than a diagram shows.
func OneLine(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return string(runes)
}

// A Box is a node that runs others, with them, or the nodes of which a run may add more. The
// diagram itself is one, too, without an identifier.
type Box struct {
	ID, Title string
	Items     []Item
}

// An Item of a box is a node or, where that runs others, a box that begins with it.
type Item struct {
	Node int // 0: Box
	Box  *Box
}

// TemplatesID is the identifier of the box of templates.
const TemplatesID = "templates"

// Boxes returns the nodes of a graph, each within the node that runs it.
func (g *Graph) Boxes() *Box {
	all, templates := &Box{}, &Box{ID: TemplatesID, Title: "what a run may add"}
	for n := 1; n < len(g.Nodes); n++ {
		switch node := &g.Nodes[n]; {
		case node.Parent > 0:
		case node.Template:
			g.add(templates, n)
		default:
			g.add(all, n)
		}
	}
	if len(templates.Items) > 0 {
		all.Items = append(all.Items, Item{Box: templates})
	}
	return all
}

// add adds a node to a box, with what it runs.
func (g *Graph) add(to *Box, n int) {
	box := &Box{ID: "in" + strconv.Itoa(n), Title: g.Nodes[n].Name, Items: []Item{{Node: n}}}
	seen := map[int]bool{}
	for _, i := range g.of(n) {
		if g.Transitions[i].Rule == "branch" {
			for _, inner := range slices.Backward(g.regionFrom(g.Transitions[i].To, n, seen)) {
				g.add(box, inner)
			}
		}
	}
	if len(box.Items) == 1 {
		to.Items = append(to.Items, box.Items[0])
		return
	}
	to.Items = append(to.Items, Item{Box: box})
}

// regionFrom returns the nodes that the parent runs from a node on and that were not seen, each before those that lead to it.
func (g *Graph) regionFrom(n, parent int, seen map[int]bool) (list []int) {
	if n == 0 || seen[n] || g.Nodes[n].Parent != parent {
		return nil
	}
	seen[n] = true
	for _, i := range slices.Backward(g.of(n)) {
		list = append(list, g.regionFrom(g.Transitions[i].To, parent, seen)...)
	}
	return append(list, n)
}

// Shows returns what a node shows: its title, or its name.
func (g *Graph) Shows(n int) string {
	if title := g.Nodes[n].Title; title != "" {
		return title
	}
	return g.Nodes[n].Name
}

// ReachesEnd reports whether a line leads to end.
func ReachesEnd(list []Link) bool {
	return slices.ContainsFunc(list, func(l Link) bool { return l.To == EndID })
}
