package engine

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/graphgen/graphgen/internal/flowchart"
	"github.com/graphgen/graphgen/internal/origin"
)

// A drawing is what a report needs to draw the graph of its run where the run has changed it.
type drawing struct {
	graph  *Graph
	closed []pair
	moved  map[NodeID]NodeID
}

// drawn returns the link to a diagram of a graph as a run has changed it.
func (o *Changes) drawn(g *Graph) origin.Ref {
	if !o.exist() {
		return origin.To(g)
	}
	return origin.To(o.drawing())
}

// drawing copies the run's changes so far: later changes are not part of this report.
func (o *Changes) drawing() *drawing {
	d := &drawing{graph: o.own.copied(), moved: maps.Clone(o.moved)}
	for p, is := range o.closed {
		if is {
			d.closed = append(d.closed, p)
		}
	}
	return d
}

// Diagram returns the graph as Mermaid text.
func (g *Graph) Diagram() string { return (&drawing{graph: g}).Diagram() }

// Diagram returns the changed graph as Mermaid text.
func (d *drawing) Diagram() string {
	templates := d.graph.Mutable != nil && len(d.graph.Mutable.Templates) > 0
	if len(d.graph.dynamicNodes)+len(d.graph.dynamicTransitions)+len(d.closed)+len(d.moved) == 0 && !templates {
		return d.graph.chart().Mermaid()
	}
	s := sketch{drawing: d, gone: map[string]bool{}}
	for line := range strings.Lines(d.graph.chart().Mermaid()) {
		s.read(strings.TrimSuffix(line, "\n"))
	}
	s.add()
	return s.String()
}

// endings are how diagrams show the transitions that end a run.
var endings = map[TransitionID]flowchart.Ending{Terminal: flowchart.Terminal, Exhausted: flowchart.UsedUp, NoRoute: flowchart.NoMatch}

// chart returns the tables of the graph as package flowchart draws them, without what runs have added.
func (g *Graph) chart() *flowchart.Graph {
	c := &flowchart.Graph{Name: g.Name, OnError: int(g.OnError)}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		c.Nodes = append(c.Nodes, flowchart.Node{
			Name: n.Name, Shape: n.Shape, Title: n.Title, Parent: int(n.Parent), Ending: endings[n.Else],
			Most: int(n.Most), Each: n.Each, First: int(n.First),
			Template: g.Mutable != nil && slices.Contains(g.Mutable.Templates, NodeID(i)),
		})
	}
	for i := range g.Transitions {
		w := &g.Transitions[i]
		c.Transitions = append(c.Transitions, flowchart.Transition{
			From: int(w.From), To: int(w.To), Rule: w.Rule.String(), Text: w.Text, Label: w.Label, End: w.Ending, Case: w.Case,
			Max: int(w.Max), Skipped: w.Skipped,
		})
	}
	return c
}

// A sketch is an unfinished diagram: the diagram of the graph, line by line, with the changes of the run.
type sketch struct {
	*drawing
	states []string // up to the lines between them
	links  []string
	red    []int // of the links: the links of failures
	seen   int   // how many links of the graph's diagram were read
	kept   map[int]int
	within int             // how deep in a box that is left out
	gone   map[string]bool // identifiers of states that are left out
	ended  bool            // there is an end
}

const (
	stopID     = flowchart.EndID
	drawnEnd   = "    " + stopID + `((("end")))`
	styleStart = "    linkStyle "
	styleEnd   = " stroke:#c0392b,color:#c0392b"
)

// idOf is the identifier of a node in diagrams.
func idOf(n NodeID) string { return flowchart.ID(int(n)) }

// nodeOf is the node of an identifier.
func nodeOf(id string) (NodeID, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(id, "n"))
	return NodeID(n), err == nil && id != strconv.Itoa(n)
}

// read copies a line of the graph's diagram, unless its node or edge is removed.
func (s *sketch) read(line string) {
	text := strings.TrimLeft(line, " ")
	id := text[:len(text)-len(strings.TrimLeftFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }))]
	switch {
	case strings.HasPrefix(line, styleStart):
		s.restyle(strings.TrimSuffix(strings.TrimPrefix(line, styleStart), styleEnd))
	case strings.HasPrefix(text, id+" -->"), strings.HasPrefix(text, id+" -.->"):
		s.link(line, id)
	case s.within > 0 || id == "subgraph" && s.leaves(text):
		s.skip(text, id)
	case s.removed(id):
		s.gone[id] = true
	default:
		s.ended = s.ended || id == stopID
		s.states = append(s.states, line)
	}
}

// leaves reports whether a box is left out: the box of templates, or of a removed node.
func (s *sketch) leaves(text string) bool {
	box, _, _ := strings.Cut(strings.TrimPrefix(text, "subgraph "), "[")
	return box == flowchart.TemplatesID || s.removed("n"+strings.TrimPrefix(box, "in"))
}

// skip leaves a line of a box out, with the state that it shows.
func (s *sketch) skip(text, id string) {
	switch {
	case id == "subgraph":
		s.within++
	case text == "end":
		s.within--
	default:
		s.gone[id] = true
	}
}

func (s *sketch) removed(id string) bool {
	n, ok := nodeOf(id)
	_, removed := s.moved[n]
	return ok && removed
}

// link copies a line between two states, whose target may have changed.
func (s *sketch) link(line, from string) {
	at := strings.LastIndexByte(line, ' ') + 1
	to := line[at:]
	number := s.seen
	s.seen++
	source, isNode := nodeOf(from)
	target, _ := nodeOf(to)
	if s.gone[from] || isNode && slices.Contains(s.closed, pair{source, target}) {
		return
	}
	if s.removed(to) {
		to = idOf(s.instead(target))
	} else if s.gone[to] {
		return
	}
	if s.kept == nil {
		s.kept = map[int]int{}
	}
	s.kept[number] = len(s.links)
	s.links = append(s.links, line[:at]+to)
	s.ended = s.ended || to == stopID
}

// restyle finds the lines of failures among those that are left.
func (s *sketch) restyle(list string) {
	for number := range strings.SplitSeq(list, ",") {
		n, _ := strconv.Atoi(number)
		if is, kept := s.kept[n]; kept {
			s.red = append(s.red, is)
		}
	}
}

func (d *drawing) instead(n NodeID) NodeID {
	for {
		to, removed := d.moved[n]
		if !removed {
			return n
		}
		n = to
	}
}

// add draws the dynamic nodes and edges.
func (s *sketch) add() {
	g := s.graph
	for i := range g.dynamicNodes {
		if id := idOf(NodeID(len(g.Nodes) + i)); !s.removed(id) {
			s.states = append(s.states, "    "+id+`["`+flowchart.Text(g.dynamicNodes[i].Name)+`"]:::added`)
		}
	}
	for i := range g.dynamicTransitions {
		w := &g.dynamicTransitions[i]
		if w.Text != addedText || s.removed(idOf(w.From)) || slices.Contains(s.closed, pair{w.From, w.To}) {
			continue // or it was gone once, and is not an edge
		}
		label := ""
		if w.Max > 0 {
			label = `|"≤` + strconv.Itoa(int(w.Max)) + `"|`
		}
		to := idOf(s.instead(w.To))
		s.ended = s.ended || to == stopID
		s.links = append(s.links, "    "+idOf(w.From)+" ==>"+label+" "+to)
	}
	if s.ended && !slices.Contains(s.states, drawnEnd) {
		s.states = append(s.states, drawnEnd)
	}
}

func (s *sketch) String() string {
	lines := append(s.states, s.links...)
	if len(s.red) > 0 {
		list := make([]string, len(s.red))
		for i, n := range s.red {
			list[i] = strconv.Itoa(n)
		}
		lines = append(lines, styleStart+strings.Join(list, ",")+styleEnd)
	}
	if len(s.graph.dynamicNodes) > 0 {
		lines = append(lines, "    classDef added stroke-width:3px")
	}
	return strings.Join(lines, "\n") + "\n"
}
