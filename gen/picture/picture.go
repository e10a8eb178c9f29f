// Package picture lays a planned machine out and writes it as SVG. The layout has layers from top to bottom; a node that runs others
// is a box around them. It is a pure function of the plan, and the same plan gives the same bytes.
package picture

import (
	"fmt"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// A Picture is a machine laid out. All coordinates are pixels from its upper left corner.
type Picture struct {
	Name string // of the graph
	Doc  string
	Root *Box

	fade bool // what has no mark is faint
}

// A Point is a place in a picture.
type Point struct{ X, Y float64 }

// A Box is a node, a region around the nodes that a node runs, or a sign.
type Box struct {
	ID   string // of the SVG element: node-NAME, with the path of the nodes that run its graph as in node-look/judge
	Sign Sign

	Node  string     // the name of the node; empty: it is a sign
	Kind  *spec.Kind // of the node; nil: it is a sign, or the box of templates
	Line  int        // of the node in its spec; 0: none
	Name  Text       // what it shows
	Sub   Text       // below the name, smaller
	Doc   string     // of the node
	Opens string     // the graph that it runs
	Mark  Mark       // what a run, or another version, has made of it

	Region   bool // it encloses its children, below a header
	Pool     bool // its children have no order
	Children []*Box
	Edges    []*Edge // between its children

	X, Y, W, H float64

	loops float64 // the width of the edges to itself, at its right
	own   []*Edge // to itself

	failure bool // of a sign: failures lead there
	leaf    bool // a sign to which one box leads, beside others
}

// A Sign is a box that does not show a node.
type Sign uint8

const (
	NoSign      Sign = iota
	StartSign        // the run begins
	EndSign          // the run ends
	FailureSign      // any failure that no node handles
	EnterSign        // what a region runs begins
	ForkSign         // all branches of a region begin
	LeaveSign        // what a region runs ends
	JoinSign         // all branches of a region end
	ToSign           // a run goes to the node that is named
)

var signNames = [...]string{"node", "start", "end", "failure", "enter", "fork", "leave", "join", "to"}

// String returns the name of the sign.
func (s Sign) String() string { return signNames[s] }

// bar reports whether the sign is a bar, as wide as what it forks or joins.
func (s Sign) bar() bool { return s == ForkSign || s == JoinSign }

// dot reports whether lines meet in the middle of the sign.
func (s Sign) dot() bool { return s == StartSign || s == EndSign || s == EnterSign || s == LeaveSign }

// An Edge is a line between two boxes of the same box.
type Edge struct {
	ID       string // of the SVG element: edge-N, with the path of the nodes as in edge-look/3
	Number   int    // of the transition, from 1, as graphgen.Route has it; 0: it shows none
	From, To *Box
	Leads    *Box // where it leads; nil: To, else that is a sign with the name of the box
	Failure  bool
	Label    Text
	Mark     Mark
	Lines    [][]Point // broken at the label: straight down between points of one X, else a curve that begins and ends vertically
	Loop     []Point   // instead of Lines: the cubic curve of an edge to the same box
	At       Point     // the middle of the label

	back bool // it leads up
}

// String prints the boxes and edges of the picture, one a line.
func (p *Picture) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %gx%g\n", p.Name, p.Root.W, p.Root.H)
	p.Root.print(&b, "\t")
	return b.String()
}

func (b *Box) print(out *strings.Builder, indent string) {
	for _, c := range b.Children {
		fmt.Fprintf(out, "%s%s at %g,%g %gx%g", indent, c.ID, c.X, c.Y, c.W, c.H)
		if c.Kind != nil {
			fmt.Fprintf(out, " %s", c.Kind.Name)
		}
		for _, l := range append(append([]string(nil), c.Name.Lines...), c.Sub.Lines...) {
			fmt.Fprintf(out, " %q", l)
		}
		if c.Mark.State != Unmarked {
			fmt.Fprintf(out, " %s %q", states[c.Mark.State].class, c.Mark.Note)
		}
		out.WriteString("\n")
		c.print(out, indent+"\t")
	}
	for _, e := range b.Edges {
		fmt.Fprintf(out, "%s%s %s -> %s", indent, e.ID, e.From.ID, e.To.ID)
		if e.Failure {
			out.WriteString(" failure")
		}
		if e.Mark.State != Unmarked {
			fmt.Fprintf(out, " %s %q", states[e.Mark.State].class, e.Mark.Note)
		}
		for k, l := range e.Label.Lines {
			if k == 0 {
				fmt.Fprintf(out, " at %g,%g", e.At.X, e.At.Y)
			}
			fmt.Fprintf(out, " %q", l)
		}
		for _, line := range append(e.Lines, e.Loop) {
			for k, p := range line {
				fmt.Fprintf(out, "%s%g,%g", map[bool]string{true: ": ", false: " "}[k == 0], p.X, p.Y)
			}
		}
		out.WriteString("\n")
	}
}

// move moves a box with all in it.
func (b *Box) move(dx, dy float64) {
	b.X, b.Y = b.X+dx, b.Y+dy
	b.moveContents(dx, dy)
}

// moveContents moves all that is in a box.
func (b *Box) moveContents(dx, dy float64) {
	for _, c := range b.Children {
		c.move(dx, dy)
	}
	for _, e := range b.Edges {
		for _, line := range append(e.Lines, e.Loop) {
			for k := range line {
				line[k].X, line[k].Y = line[k].X+dx, line[k].Y+dy
			}
		}
		e.At.X, e.At.Y = e.At.X+dx, e.At.Y+dy
	}
}
