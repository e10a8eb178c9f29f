package picture

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/spec"
)

// A Style is how a picture is written.
type Style struct {
	Theme  Theme
	Prefix string // of all identifiers, where a page has several pictures
	Bare   bool   // without a style sheet, which the page has

	links func(b *Box) (id string) // the element that shows the graph that a node runs; nil: none
}

// SVG writes the picture. It refers to nothing outside of itself, and every text of an author is text in it.
func (p *Picture) SVG(s Style) []byte {
	w := &svg{Style: s, fade: p.fade}
	r := p.Root
	w.printf(`<svg xmlns="http://www.w3.org/2000/svg" class="graphgen" width="%s" height="%s" viewBox="0 0 %s %s" role="img" font-family="%s">`+"\n",
		num(r.W), num(r.H), num(r.W), num(r.H), families)
	w.printf("<title>%s</title>\n", escaped("graph "+p.Name))
	if p.Doc != "" {
		w.printf("<desc>%s</desc>\n", escaped(p.Doc))
	}
	if s.Theme == Auto && !s.Bare {
		w.printf("<style>@media (prefers-color-scheme:dark){%s}</style>\n", sheet(".graphgen"))
	}
	w.printf(`<rect %s width="%s" height="%s"/>`+"\n", s.Theme.fill(ground), num(r.W), num(r.H))
	w.contents(r)
	w.printf("</svg>\n")
	return w.Bytes()
}

// families are fonts of the widths that texts are measured with.
const families = "Helvetica, Arial, &quot;Liberation Sans&quot;, Arimo, sans-serif"

// An svg is a picture as it is written.
type svg struct {
	bytes.Buffer
	Style
	fade bool // what has no mark is faint
}

// faintness is the opacity of what has no mark where others have.
const faintness = "0.45"

// faint reports whether what has a mark, or none, is faint.
func (w *svg) faint(m Mark) bool { return w.fade && m.State == Unmarked }

// class returns the class of what has a mark.
func (m Mark) class(fade bool) string {
	switch {
	case m.State != Unmarked:
		return " " + states[m.State].class
	case fade:
		return " faint"
	}
	return ""
}

// badge writes the text of the mark of a box.
func (w *svg) badge(b *Box, x, y float64) {
	t := b.badge()
	if len(t.Lines) == 0 {
		return
	}
	fill := w.Theme.fill(states[b.Mark.State].role)
	w.printf(`<rect %s x="%s" y="%s" width="%s" height="%s" rx="7"/>`, fill, num(x), num(y), num(t.W+2*badgePad), num(badgeHeight))
	w.text(x+badgePad+t.W/2, y+10.5, t, 0, badgeFont, card, "middle")
}

func (w *svg) printf(format string, values ...any) { fmt.Fprintf(w, format, values...) }

// num writes a number with at most two digits after the point.
func num(x float64) string { return strconv.FormatFloat(math.Round(x*100)/100, 'f', -1, 64) }

// escaped writes a text as XML.
func escaped(text string) string {
	var b strings.Builder
	xml.EscapeText(&b, []byte(text))
	return b.String()
}

func (w *svg) contents(c *Box) {
	for _, b := range c.Children {
		w.box(b)
	}
	for _, e := range c.Edges {
		w.edge(e)
	}
}

// box writes a box, with all in it.
func (w *svg) box(b *Box) {
	if b.Sign != NoSign {
		w.sign(b)
		return
	}
	if id := w.linked(b); id != "" {
		w.printf(`<a href="#%s">`, id)
		defer w.printf("</a>\n")
	}
	class, data := "node", ""
	if b.Region {
		class += " region"
	}
	if b.Kind != nil {
		class += " kind-" + b.Kind.Name
	}
	if class += b.Mark.class(w.fade); b.Node != "" {
		data = fmt.Sprintf(` data-node="%s"`, escaped(shown(b.Node)))
	}
	w.printf(`<g class="%s" id="%s%s"%s><title>%s</title>`, class, w.Prefix, b.ID, data, escaped(b.title()))
	faint := w.faint(b.Mark)
	if faint {
		w.printf(`<g opacity="%s">`, faintness)
	}
	w.outline(b)
	left, top, icon := b.X+(b.W-textLeft-textRight-b.textWidth())/2, b.Y+(b.H-cardHeight)/2, addIcon
	if b.Region {
		left, top = b.X, b.Y+2
	}
	if b.Kind != nil {
		icon = Icon(b.Kind)
	}
	w.printf(`<path %s stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" transform="translate(%s %s)" d="%s"/>`,
		w.Theme.stroke(roleOf(b)), num(left+18), num(top+13), icon)
	w.text(left+textLeft, top+18, b.Name, 0, nameFont, ink, "start")
	w.text(left+textLeft, top+32, b.Sub, 0, subFont, muted, "start")
	if faint {
		w.printf("</g>")
	}
	w.badge(b, left+textLeft+b.Name.W+badgeGap, top+6.5)
	if len(b.Children) > 0 {
		w.printf("\n")
		w.contents(b)
	}
	w.printf("</g>\n")
}

// linked returns the element that shows the graph that a box runs; none if the box shows it.
func (w *svg) linked(b *Box) string {
	if w.links == nil || b.Opens == "" || b.Region {
		return ""
	}
	return w.links(b)
}

// outline writes the form of a box. What runs for each element of a list has a second sheet behind it.
func (w *svg) outline(b *Box) {
	fill, stroke, width := card, roleOf(b), "1.4"
	if b.Region {
		fill, stroke, width = regionGround, regionBorder, "1"
	}
	if b.Mark.State != Unmarked {
		stroke, width = states[b.Mark.State].role, "2.4"
	}
	var d pathText
	right, bottom := b.W, b.H
	if b.Region && b.Kind != nil && b.Kind.Each {
		right, bottom = b.W-4, b.H-4
		var sheet pathText
		sheet.move(b.X+10, b.Y+bottom)
		sheet.to(b.X+10, b.Y+b.H)
		sheet.to(b.X+b.W, b.Y+b.H)
		sheet.to(b.X+b.W, b.Y+10)
		sheet.to(b.X+right, b.Y+10)
		w.printf(`<path %s stroke-width="1" d="%s"/>`, w.Theme.stroke(regionBorder), sheet.String())
	}
	formOf(b).draw(&d, b.X, b.Y, right, bottom)
	if b.Opens != "" && b.Region {
		d.rounded(b.X+3.5, b.Y+3.5, right-7, bottom-7, 7)
	}
	w.printf(`<path %s stroke-width="%s" d="%s"/>`, w.Theme.both(fill, stroke), width, d.String())
}

// title returns the whole text of a box.
func (b *Box) title() string {
	parts := []string{b.Name.Whole, b.Sub.Whole}
	if b.Line > 0 {
		parts = append(parts, "line "+strconv.Itoa(b.Line))
	}
	title := strings.Join(parts, ", ")
	if b.Doc != "" {
		title += ": " + b.Doc
	}
	for _, text := range []string{b.Mark.Text, b.Mark.Note} {
		if text = shown(text); text != "" {
			title += "; " + text
		}
	}
	return title
}

// sign writes a sign.
func (w *svg) sign(b *Box) {
	x, y := num(b.X+b.W/2), num(b.Y+b.H/2)
	w.printf(`<g class="sign %s" id="%s%s">`, b.Sign, w.Prefix, b.ID)
	switch b.Sign {
	case StartSign:
		w.printf(`<title>start</title><circle %s cx="%s" cy="%s" r="7"/>`, w.Theme.fill(lines), x, y)
	case EndSign:
		w.printf(`<title>end</title><circle %s stroke-width="1.6" cx="%s" cy="%s" r="9"/><circle %s cx="%s" cy="%s" r="5"/>`,
			w.Theme.both(card, lines), x, y, w.Theme.fill(lines), x, y)
	case FailureSign:
		var d pathText
		d.rounded(b.X, b.Y, b.W, b.H, 3)
		w.printf(`<title>a failure that no node handles</title>`)
		w.printf(`<path %s stroke-width="1.4" stroke-dasharray="4 3" d="%s"/>`, w.Theme.stroke(failing), d.String())
		w.text(b.X+b.W/2, b.Y+16, b.Name, 0, labelFont, failing, "middle")
	case ToSign:
		color := lines
		if b.failure {
			color = failing
		}
		var d pathText
		d.rounded(b.X, b.Y, b.W, b.H, b.H/2)
		w.printf(`<title>%s</title><path %s stroke-width="1.2" d="%s"/>`, escaped(b.Name.Whole), w.Theme.stroke(color), d.String())
		w.text(b.X+b.W/2, b.Y+16, b.Name, 0, labelFont, pick(b.failure, failing, ink), "middle")
	case EnterSign, LeaveSign:
		w.printf(`<circle %s cx="%s" cy="%s" r="3"/>`, w.Theme.fill(lines), x, y)
	default:
		w.printf(`<rect %s x="%s" y="%s" width="%s" height="4" rx="2"/>`, w.Theme.fill(lines), num(b.X), num(b.Y), num(b.W))
	}
	w.printf("</g>\n")
}

// text writes one line of a text. A font may have other widths than Helvetica, such as DejaVu Sans: the text is fitted to its length.
func (w *svg) text(x, y float64, t Text, line int, f font, r role, anchor string) {
	weight, fit := "", ""
	if f.bold {
		weight = ` font-weight="700"`
	}
	if anchor != "start" {
		anchor = fmt.Sprintf(` text-anchor="%s"`, anchor)
	} else {
		anchor = ""
	}
	text := t.Lines[line]
	if text != "" {
		fit = fmt.Sprintf(` textLength="%s" lengthAdjust="spacingAndGlyphs"`, num(f.length(text)))
	}
	w.printf(`<text %s x="%s" y="%s" font-size="%s"%s%s%s>%s</text>`, w.Theme.fill(r), num(x), num(y), num(f.size), weight, anchor, fit, escaped(text))
}

// edge writes an edge, with its label.
func (w *svg) edge(e *Edge) {
	class, data, color, dash, width := "edge", "", lines, "", "1.5"
	if e.Failure {
		class, color, dash = "edge failure", failing, ` stroke-dasharray="5 3"`
	}
	text := ink
	if e.Failure {
		text = failing
	}
	if e.Mark.State != Unmarked {
		color, width = states[e.Mark.State].role, "2.4"
	}
	faint := ""
	if w.faint(e.Mark) {
		faint = fmt.Sprintf(` opacity="%s"`, faintness)
	}
	if e.Number > 0 {
		data = fmt.Sprintf(` data-transition="%d"`, e.Number)
	}
	to := e.To
	if e.Leads != nil {
		to, data = e.Leads, data+fmt.Sprintf(` data-end="%s%s"`, w.Prefix, e.To.ID)
	}
	w.printf(`<g class="%s"%s id="%s%s"`, class+e.Mark.class(w.fade), faint, w.Prefix, e.ID)
	w.printf(` data-from="%s%s" data-to="%s%s"%s>`, w.Prefix, e.From.ID, w.Prefix, to.ID, data)
	if title := e.title(); title != "" {
		w.printf(`<title>%s</title>`, escaped(title))
	}
	w.printf(`<path %s stroke-width="%s"%s d="%s"/>`, w.Theme.stroke(color), width, dash, e.path())
	if tip := e.tip(); tip != "" {
		w.printf(`<path %s d="%s"/>`, w.Theme.fill(color), tip)
	}
	for k := range e.Label.Lines {
		y := e.At.Y + labelLeading*(float64(k)-float64(len(e.Label.Lines))/2) + 10.5
		if e.Mark.Text != "" && k == len(e.Label.Lines)-1 {
			text = color
		}
		w.text(e.At.X, y, e.Label, k, labelFont, text, "middle")
	}
	w.printf("</g>\n")
}

// title returns the whole text of an edge.
func (e *Edge) title() string {
	end := cmp.Or(e.Leads, e.To)
	if e.From.Node == "" || end.Node == "" && end.Sign != EndSign {
		return e.Label.Whole
	}
	to := end.Name.Whole
	if e.To.Sign == EndSign {
		to = spec.End
	}
	title := e.From.Name.Whole + " → " + to
	if e.Label.Whole != "" {
		title += ": " + e.Label.Whole
	}
	if note := shown(e.Mark.Note); note != "" {
		title += "; " + note
	}
	return title
}

// Lengths of the tips of edges in pixels.
const tipLength, tipWidth = 8.0, 7.0

// hasTip reports whether an edge ends in a tip: not where it only joins others.
func (e *Edge) hasTip() bool { return e.To.Sign != LeaveSign && e.To.Sign != JoinSign }

// path returns the line of an edge.
func (e *Edge) path() string {
	var d pathText
	if e.Loop != nil {
		d.move(e.Loop[0].X, e.Loop[0].Y)
		d.curve(e.Loop[1], e.Loop[2], Point{e.Loop[3].X + tipLength - 1, e.Loop[3].Y})
		return d.String()
	}
	for n, part := range e.Lines {
		d.move(part[0].X, part[0].Y)
		for k := 1; k < len(part); k++ {
			from, to := part[k-1], part[k]
			if n == len(e.Lines)-1 && k == len(part)-1 && e.hasTip() {
				to.Y -= math.Copysign(tipLength-1, to.Y-from.Y)
			}
			if from.X == to.X {
				d.to(to.X, to.Y)
				continue
			}
			middle := (from.Y + to.Y) / 2
			d.curve(Point{from.X, middle}, Point{to.X, middle}, to)
		}
	}
	return d.String()
}

// tip returns the tip of an edge.
func (e *Edge) tip() string {
	if !e.hasTip() {
		return ""
	}
	var d pathText
	if e.Loop != nil {
		end := e.Loop[3]
		d.polygon(end.X, end.Y, end.X+tipLength, end.Y-tipWidth/2, end.X+tipLength, end.Y+tipWidth/2)
		return d.String()
	}
	last := e.Lines[len(e.Lines)-1]
	end, before := last[len(last)-1], last[len(last)-2]
	y := end.Y - math.Copysign(tipLength, end.Y-before.Y)
	d.polygon(end.X, end.Y, end.X-tipWidth/2, y, end.X+tipWidth/2, y)
	return d.String()
}

// A pathText is the text of a path: its commands have absolute coordinates.
type pathText struct{ strings.Builder }

func (d *pathText) command(c byte, points ...float64) {
	d.WriteByte(c)
	for k, p := range points {
		if k > 0 {
			d.WriteByte(' ')
		}
		d.WriteString(num(p))
	}
}

func (d *pathText) move(x, y float64)   { d.command('M', x, y) }
func (d *pathText) to(x, y float64)     { d.command('L', x, y) }
func (d *pathText) curve(a, b, c Point) { d.command('C', a.X, a.Y, b.X, b.Y, c.X, c.Y) }

func (d *pathText) line(x1, y1, x2, y2 float64) {
	d.move(x1, y1)
	d.to(x2, y2)
}

// polygon writes a closed line through points.
func (d *pathText) polygon(points ...float64) {
	for k := 0; k < len(points); k += 2 {
		if k == 0 {
			d.move(points[0], points[1])
			continue
		}
		d.to(points[k], points[k+1])
	}
	d.WriteByte('Z')
}

// rounded writes a rectangle with round corners.
func (d *pathText) rounded(x, y, w, h, r float64) {
	r = min(r, w/2, h/2)
	k := r * 0.4477 // of the control points of a quarter of a circle, from the corner
	d.move(x+r, y)
	d.to(x+w-r, y)
	d.curve(Point{x + w - k, y}, Point{x + w, y + k}, Point{x + w, y + r})
	d.to(x+w, y+h-r)
	d.curve(Point{x + w, y + h - k}, Point{x + w - k, y + h}, Point{x + w - r, y + h})
	d.to(x+r, y+h)
	d.curve(Point{x + k, y + h}, Point{x, y + h - k}, Point{x, y + h - r})
	d.to(x, y+r)
	d.curve(Point{x, y + k}, Point{x + k, y}, Point{x + r, y})
	d.WriteByte('Z')
}
