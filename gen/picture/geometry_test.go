package picture_test

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A drawn picture is what an SVG shows, read from its text alone: by its elements, not by the data that it was made of.
type drawn struct {
	w, h   float64
	shapes []*shape
	edges  []*stroke
	texts  []*words
	unfit  []string // faults of texts
	ids    map[string]bool
}

// A shape is a node, a region or a sign.
type shape struct {
	id     string
	within *shape
	region bool
	sign   bool
	frame  // of its outline
}

// A stroke is an edge.
type stroke struct {
	id, from, to string
	within       *shape
	points       []point // along its line
	tip          []point
}

// words are a line of text.
type words struct {
	text string
	of   *shape  // the node that shows it; nil: a label
	on   *stroke // the edge that it labels; nil: none
	frame
}

type point struct{ x, y float64 }

type frame struct{ left, top, right, bottom float64 }

func (f frame) String() string {
	return fmt.Sprintf("%g,%g-%g,%g", f.left, f.top, f.right, f.bottom)
}

// overlaps reports whether two frames have more than a hair in common.
func (f frame) overlaps(g frame) bool {
	const hair = 0.2
	return f.left < g.right-hair && g.left < f.right-hair && f.top < g.bottom-hair && g.top < f.bottom-hair
}

// encloses reports whether a frame is in another one.
func (f frame) encloses(g frame) bool {
	return g.left >= f.left && g.top >= f.top && g.right <= f.right && g.bottom <= f.bottom
}

// has reports whether a point is in a frame, not at its border.
func (f frame) has(p point) bool {
	const hair = 0.6
	return p.x > f.left+hair && p.x < f.right-hair && p.y > f.top+hair && p.y < f.bottom-hair
}

func frameOf(points []point) frame {
	f := frame{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range points {
		f.left, f.top, f.right, f.bottom = min(f.left, p.x), min(f.top, p.y), max(f.right, p.x), max(f.bottom, p.y)
	}
	return f
}

// An element is an element of an SVG.
type element struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []*element `xml:",any"`
}

// allowed are the elements that a picture may have: none of them runs anything or loads anything.
var allowed = map[string]bool{"svg": true, "title": true, "desc": true, "style": true, "rect": true, "g": true, "path": true, "circle": true, "text": true}

// at returns an attribute, number the same as a number.
func (e *element) at(name string) string {
	for _, a := range e.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

func (e *element) number(name string) float64 {
	n, _ := strconv.ParseFloat(e.at(name), 64)
	return n
}

func (e *element) has(class string) bool {
	return slices.Contains(strings.Fields(e.at("class")), class)
}

// read reads an SVG.
func read(text []byte) (*drawn, error) {
	root := new(element)
	dec := xml.NewDecoder(bytes.NewReader(text))
	if err := dec.Decode(root); err != nil {
		return nil, err
	}
	d := &drawn{w: root.number("width"), h: root.number("height"), ids: map[string]bool{}}
	return d, d.read(root, nil, nil)
}

// read reads an element, within a shape or an edge.
func (d *drawn) read(e *element, in *shape, on *stroke) error {
	if !allowed[e.XMLName.Local] {
		return fmt.Errorf("there is an element %s", e.XMLName.Local)
	}
	for _, a := range e.Attrs {
		if strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Name.Local, "href") || a.Name.Local == "style" || strings.Contains(a.Value, "url(") {
			return fmt.Errorf("there is an attribute %s=%q", a.Name.Local, a.Value)
		}
	}
	if id := e.at("id"); id != "" {
		if d.ids[id] {
			return fmt.Errorf("two elements have the id %s", id)
		}
		d.ids[id] = true
	}
	switch name := e.XMLName.Local; {
	case name == "g" && e.has("edge"):
		on = &stroke{id: e.at("id"), from: e.at("data-from"), to: cmp.Or(e.at("data-end"), e.at("data-to")), within: in}
		d.edges = append(d.edges, on)
	case name == "g" && (e.has("node") || e.has("sign")):
		in = &shape{id: e.at("id"), within: in, region: e.has("region"), sign: e.has("sign"), frame: frameOf(nil)}
		d.shapes = append(d.shapes, in)
	case name == "path" && e.at("transform") == "": // not an icon
		points, err := walk(e.at("d"))
		switch {
		case err != nil:
			return err
		case on != nil && e.at("fill") == "none":
			on.points = points
		case on != nil:
			on.tip = points
		default:
			in.add(frameOf(points))
		}
	case name == "circle":
		x, y, r := e.number("cx"), e.number("cy"), e.number("r")
		in.add(frame{x - r, y - r, x + r, y + r})
	case name == "rect" && in != nil:
		in.add(frame{e.number("x"), e.number("y"), e.number("x") + e.number("width"), e.number("y") + e.number("height")})
	case name == "text":
		d.addText(e, in, on)
	}
	for _, c := range e.Children {
		if err := d.read(c, in, on); err != nil {
			return err
		}
	}
	return nil
}

func (s *shape) add(f frame) {
	s.frame = frame{min(s.left, f.left), min(s.top, f.top), max(s.right, f.right), max(s.bottom, f.bottom)}
}

// addText adds a line of text, as wide as it is fitted to be in every font: about as its characters are in Helvetica.
func (d *drawn) addText(e *element, in *shape, on *stroke) {
	size, x, y := e.number("font-size"), e.number("x"), e.number("y")
	width, known := e.number("textLength"), advance(e.Text, e.at("font-weight") != "")*size/1000
	if width == 0 || known > 0 && (width > known+0.01 || width < 0.85*known) {
		d.unfit = append(d.unfit, fmt.Sprintf("the text %q is fitted to %g pixels: in Helvetica it has about %g", e.Text, width, known))
	}
	if e.at("text-anchor") == "middle" {
		x -= width / 2
	}
	w := &words{text: e.Text, of: in, on: on, frame: frame{x, y - 0.73*size, x + width, y + 0.21*size}}
	if on != nil {
		w.of = nil
	}
	d.texts = append(d.texts, w)
}

// advance returns at least the width of a text in Helvetica or Helvetica Bold, in thousandths of its size; 0: it has other characters. The widths
// are written by groups of characters, apart from the table that the layout has.
func advance(text string, bold bool) (w float64) {
	groups := []struct {
		chars         string
		regular, bold float64
	}{
		{"ijl", 222, 278}, {"'", 191, 238}, {" ,./\\\u00b7I:;![]ft", 278, 333}, {"-()r`", 333, 389}, {"|", 260, 280},
		{"{}\"*", 389, 474}, {"ckvxyzsJ", 500, 611},
		{"abdeghnopqu0123456789?_$#L", 556, 611}, {"+<=>~^×", 584, 584}, {"≤", 549, 549}, {"FTZ", 611, 611}, {"ABEKPSVXY&", 667, 722}, {"CDHNRUw", 722, 778},
		{"GOQ", 778, 778}, {"mM", 833, 889}, {"%W", 944, 944}, {"@…—→", 1015, 1015},
	}
	for _, c := range text {
		known := false
		for _, g := range groups {
			if known = strings.ContainsRune(g.chars, c); known {
				if bold {
					w += g.bold
				} else {
					w += g.regular
				}
				break
			}
		}
		if !known {
			return 0
		}
	}
	return w
}

// walk returns points along a path, near to one another. A path has absolute coordinates and the commands M, L, C and Z alone. A gap
// between two parts of it has no points.
func walk(d string) (points []point, err error) {
	var at, start point
	numbers := func(text string) (list []float64) {
		for _, f := range strings.Fields(text) {
			n, e := strconv.ParseFloat(f, 64)
			if e != nil {
				err = fmt.Errorf("a path has the number %q", f)
			}
			list = append(list, n)
		}
		return list
	}
	to := func(p point) {
		steps := int(math.Hypot(p.x-at.x, p.y-at.y)/2) + 1
		for k := 1; k <= steps; k++ {
			t := float64(k) / float64(steps)
			points = append(points, point{at.x + t*(p.x-at.x), at.y + t*(p.y-at.y)})
		}
		at = p
	}
	for d != "" && err == nil {
		end := strings.IndexAny(d[1:], "MLCZ") + 1
		if end == 0 {
			end = len(d)
		}
		n := numbers(d[1:end])
		switch {
		case d[0] == 'M' && len(n) == 2:
			at = point{n[0], n[1]}
			start, points = at, append(points, at)
		case d[0] == 'L' && len(n) == 2:
			to(point{n[0], n[1]})
		case d[0] == 'Z' && len(n) == 0:
			to(start)
		case d[0] == 'C' && len(n) == 6:
			a, b, c, e := at, point{n[0], n[1]}, point{n[2], n[3]}, point{n[4], n[5]}
			const steps = 48
			for k := 1; k <= steps; k++ {
				t := float64(k) / steps
				u := 1 - t
				mix := func(a, b, c, d float64) float64 { return u*u*u*a + 3*u*u*t*b + 3*u*t*t*c + t*t*t*d }
				to(point{mix(a.x, b.x, c.x, e.x), mix(a.y, b.y, c.y, e.y)})
			}
		default:
			return nil, fmt.Errorf("a path has %q", d[:end])
		}
		d = d[end:]
	}
	return points, err
}

// faults returns what is wrong with the geometry of a picture.
func (d *drawn) faults() (list []string) {
	fault := func(format string, values ...any) { list = append(list, fmt.Sprintf(format, values...)) }
	list = append(list, d.unfit...)
	whole := frame{0, 0, d.w, d.h}
	for k, s := range d.shapes {
		if !whole.encloses(s.frame) {
			fault("%s is outside of the picture", s.id)
		}
		if s.within != nil {
			inner := s.within.frame
			inner.top += 36 // the header
			if !inner.encloses(s.frame) {
				fault("%s is outside of %s: %v, %v", s.id, s.within.id, s.frame, inner)
			}
		}
		for _, other := range d.shapes[k+1:] {
			if s.overlaps(other.frame) && !inside(s, other) && !inside(other, s) {
				fault("%s is over %s: %v, %v", s.id, other.id, s.frame, other.frame)
			}
		}
	}
	for k, w := range d.texts {
		if !whole.encloses(w.frame) {
			fault("the text %q is outside of the picture", w.text)
		}
		if w.of != nil && !w.of.encloses(w.frame) {
			fault("the text %q is wider than %s", w.text, w.of.id)
		}
		for _, other := range d.texts[k+1:] {
			if w.overlaps(other.frame) {
				fault("the text %q is over the text %q: %v, %v", w.text, other.text, w.frame, other.frame)
			}
		}
		for _, s := range d.shapes {
			if w.on != nil && s.overlaps(w.frame) && !inside(w.on.within, s) {
				fault("the label %q is over %s", w.text, s.id)
			}
			if w.on != nil && inside(w.on.within, s) && !s.encloses(w.frame) {
				fault("the label %q is outside of %s", w.text, s.id)
			}
		}
	}
	for _, e := range d.edges {
		list = append(list, d.edgeFaults(e)...)
	}
	return list
}

// edgeFaults returns what is wrong with an edge: it has to end at its boxes, and to be in no other and in no text.
func (d *drawn) edgeFaults(e *stroke) (list []string) {
	fault := func(format string, values ...any) { list = append(list, fmt.Sprintf(format, values...)) }
	if len(e.points) < 2 {
		return []string{e.id + " has no line"}
	}
	extent := frameOf(append(slices.Clone(e.points), e.tip...))
	end := e.points[len(e.points)-1]
	if len(e.tip) > 0 {
		end = e.tip[0]
	}
	ends := map[string]point{e.from: e.points[0], e.to: end}
	for _, s := range d.shapes {
		if p, ok := ends[s.id]; ok && (e.from != e.to || s.id != e.from) {
			if near := (frame{s.left - 1, s.top - 1, s.right + 1, s.bottom + 1}); !near.has(p) {
				fault("%s does not end at %s: %v, %v", e.id, s.id, p, s.frame)
			}
			delete(ends, s.id)
		}
		if !s.overlaps(extent) || inside(e.within, s) || e.from == e.to && s.id == e.from {
			continue
		}
		for _, p := range append(slices.Clone(e.points), e.tip...) {
			if s.has(p) {
				fault("%s is in %s at %v", e.id, s.id, p)
				break
			}
		}
	}
	if e.from != e.to && len(ends) > 0 {
		fault("%s leads to a box that is not there: %v", e.id, ends)
	}
	for _, w := range d.texts {
		if !w.overlaps(extent) {
			continue
		}
		for _, p := range append(slices.Clone(e.points), e.tip...) {
			if w.has(p) {
				fault("%s is in the text %q at %v", e.id, w.text, p)
				break
			}
		}
	}
	return list
}

// inside reports whether a shape is another one, or in it.
func inside(s, other *shape) bool {
	for ; s != nil; s = s.within {
		if s == other {
			return true
		}
	}
	return false
}
