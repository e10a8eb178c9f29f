package picture

import (
	"cmp"
	"math"
	"slices"
)

// Distances in pixels.
const (
	cardHeight   = 42
	textLeft     = 42 // of a name, right of the icon
	textRight    = 14
	gapX         = 28.0 // between boxes
	gapLine      = 16.0 // between a line and what is beside it
	gapY         = 19.0 // between a row of boxes and a row of labels
	steepness    = 0.07 // more of gapY for lines that go far to a side
	mostGapY     = 44.0
	margin       = 20.0 // around a picture
	pad          = 18.0 // within a region
	headerHeight = 46.0
	portStep     = 16.0
	leastStep    = 9.0  // from a bend to a port, so that the line between them looks bent
	loopReach    = 24.0 // of the edge of a box to itself
	loopGap      = 5.0  // between that and its label
	barHeight    = 4.0
	dotSize      = 6.0
	toWidth      = 120.0 // of the name in such a sign
	farEnd       = 2     // ranks to end above which an edge gets a sign of its own
	farAway      = 12    // ranks to any other box above which an edge leads to a sign with the name of the box
)

// An item is what a row has: a box, or where an edge crosses the row, as a bend or with its label.
type item struct {
	box         *Box
	edge        *Edge // of a bend or a label
	label       bool
	left, right float64 // how far it reaches from x
	x, h        float64
	rank, pos   int
	ups, downs  []*item // its neighbours in the rows above and below
}

// A lay is the layout of what one box encloses.
type lay struct {
	c     *Box
	items map[*Box]*item
	list  []*item // of boxes, in the order of the box
	rows  [][]*item
	paths map[*Edge][]*item // from the upper end of the edge to the lower
	rowY  []float64
	rowH  []float64
}

// layout places all that is in a picture.
func layout(root *Box) {
	place(root)
	root.moveContents(margin, margin)
	root.W, root.H = root.W+2*margin, root.H+2*margin
}

// size sets the size of a box that encloses nothing.
func size(b *Box) {
	switch b.Sign {
	case NoSign:
		b.W, b.H = 2*math.Ceil((textLeft+b.textWidth()+textRight)/2), cardHeight
	case StartSign:
		b.W, b.H = 14, 14
	case EndSign:
		b.W, b.H = 18, 18
	case FailureSign, ToSign:
		b.W, b.H = 2*math.Ceil(b.Name.W/2)+24, 24
	case EnterSign, LeaveSign:
		b.W, b.H = dotSize, dotSize
	case ForkSign, JoinSign:
		b.W, b.H = 40, barHeight
	}
}

// place places what is in a box, innermost first, relative to it, and sets its size.
func place(c *Box) {
	for _, b := range c.Children {
		if len(b.Children) > 0 {
			place(b)
		}
	}
	reserveLoops(c)
	l := &lay{c: c, items: map[*Box]*item{}, paths: map[*Edge][]*item{}}
	apart := l.setApart()
	for _, b := range c.Children {
		i := &item{box: b}
		l.items[b], l.list = i, append(l.list, i)
	}
	if c.Pool && !slices.ContainsFunc(c.Edges, func(e *Edge) bool { return e.From != e.To }) {
		l.grid()
	} else {
		l.rank()
		l.shorten()
		l.expand()
		l.order()
		l.setColumns()
		l.straighten()
		l.settleRows()
		l.route()
	}
	for _, e := range c.Edges {
		if e.From == e.To {
			loopOf(e)
		}
	}
	l.below(apart)
	if header := textLeft + c.textWidth() + textRight; c.Region && header > c.W {
		c.moveContents(math.Round((header-c.W)/2), 0)
		c.W = math.Ceil(header)
	}
}

// setApart takes a box that no edge leads to or from out of a picture, to be placed below it.
func (l *lay) setApart() (apart []*Box) {
	if l.c.Region {
		return nil
	}
	l.c.Children = slices.DeleteFunc(l.c.Children, func(b *Box) bool {
		is := b.Kind == nil && b.Region && !slices.ContainsFunc(l.c.Edges, func(e *Edge) bool { return e.From == b || e.To == b })
		if is {
			apart = append(apart, b)
		}
		return is
	})
	return apart
}

// below places boxes below all others.
func (l *lay) below(apart []*Box) {
	for _, b := range apart {
		l.c.W = max(l.c.W, b.W)
		b.move(math.Round((l.c.W-b.W)/2), l.c.H+2*gapY)
		l.c.H = b.Y + b.H
		l.c.Children = append(l.c.Children, b)
	}
}

// reserveLoops keeps room at the right of boxes for their edges to themselves, one below the other.
func reserveLoops(c *Box) {
	high := map[*Box]float64{}
	for _, e := range c.Edges {
		if e.From == e.To {
			e.From.own = append(e.From.own, e)
			e.From.loops = max(e.From.loops, loopReach+loopGap+e.Label.W+4)
			high[e.From] += e.loopHeight()
		}
	}
	for b, h := range high {
		b.H = max(b.H, h+12)
	}
}

// loopHeight is the height of an edge of a box to itself, with its label.
func (e *Edge) loopHeight() float64 { return max(24, e.labelHeight()+6) }

func (e *Edge) labelHeight() float64 { return float64(labelLeading * float64(len(e.Label.Lines))) }

// loopOf draws an edge of a box to itself, at the right side of the box.
func loopOf(e *Edge) {
	b, y, all := e.From, 0.0, 0.0
	for _, other := range b.own {
		if other == e {
			y = all
		}
		all += other.loopHeight()
	}
	y += b.Y + (b.H-all)/2 + e.loopHeight()/2
	at := func(dy float64) Point {
		return Point{half(b.X + b.W - formOf(b).dent(y+dy-b.Y-b.H/2, b.H)), half(y + dy)}
	}
	from, to := at(7), at(-7)
	reach := b.X + b.W + float64(loopReach*1.25)
	e.Loop = []Point{from, {half(reach), from.Y + 2}, {half(reach), to.Y - 2}, to}
	e.At = Point{half(b.X + b.W + loopReach + loopGap + e.Label.W/2), half(y)}
}

// half rounds to half a pixel.
func half(x float64) float64 { return math.Round(x*2) / 2 }

// grid places the boxes of a pool, which have no order.
func (l *lay) grid() {
	n := len(l.list)
	columns := int(math.Ceil(math.Sqrt(float64(n))))
	wide := make([]float64, columns)
	for k, i := range l.list {
		wide[k%columns] = max(wide[k%columns], i.box.W+i.box.loops)
	}
	y, right := l.top(), 0.0
	for at := 0; at < n; at += columns {
		x, high := l.side(), 0.0
		for k, i := range l.list[at:min(at+columns, n)] {
			i.box.move(x, y)
			x += wide[k] + gapX
			high = max(high, i.box.H)
		}
		right = max(right, x-gapX)
		y += high + gapX
	}
	l.c.W, l.c.H = right+l.side(), y-gapX+l.side()
}

// top is where the rows of a box begin; side is the room at its other sides.
func (l *lay) top() float64 {
	if l.c.Region {
		return headerHeight + 6
	}
	return 0
}

func (l *lay) side() float64 {
	if l.c.Region {
		return pad
	}
	return 0
}

// rank gives each box the row below all boxes that lead to it, not counting edges that lead back.
func (l *lay) rank() {
	out, state := map[*Box][]*Edge{}, map[*Box]int{}
	for _, e := range l.c.Edges {
		if e.back = false; e.From != e.To {
			out[e.From] = append(out[e.From], e)
		}
	}
	var sorted []*Box
	var walk func(b *Box)
	walk = func(b *Box) {
		state[b] = 1
		for _, e := range out[b] {
			switch state[e.To] {
			case 0:
				walk(e.To)
			case 1:
				e.back = true
			}
		}
		state[b] = 2
		sorted = append(sorted, b)
	}
	for _, i := range l.list {
		if state[i.box] == 0 {
			walk(i.box)
		}
	}
	forward := map[*Box][]*Box{}
	for _, e := range l.c.Edges {
		switch {
		case e.From == e.To:
		case e.back:
			forward[e.To] = append(forward[e.To], e.From)
		default:
			forward[e.From] = append(forward[e.From], e.To)
		}
	}
	if first := l.list[0]; first.box.Sign == EnterSign || first.box.Sign == ForkSign { // it has a row of its own, wherever routers of the region lead
		for _, i := range l.list[1:] {
			i.rank = 1
		}
	}
	last := 0
	for _, b := range slices.Backward(sorted) {
		for _, to := range forward[b] {
			l.items[to].rank = max(l.items[to].rank, l.items[b].rank+1)
			last = max(last, l.items[to].rank)
		}
	}
	for _, i := range l.list {
		switch i.box.Sign {
		case FailureSign: // right above what it leads to
			i.rank = last
			for _, to := range forward[i.box] {
				i.rank = max(0, min(i.rank, l.items[to].rank-1))
			}
		case LeaveSign, JoinSign:
			for _, other := range l.list {
				if other != i {
					i.rank = max(i.rank, other.rank+1)
				}
			}
		}
	}
}

// shorten replaces the far end of a long edge by a sign near its beginning: end by another one, and a node by one with its name. So a
// graph has no bundles of lines beside it, and the rows that edges cross are few.
func (l *lay) shorten() {
	own := map[string]*Box{}
	for _, e := range l.c.Edges {
		from := l.items[e.From]
		far := l.items[e.To].rank - from.rank
		sign := &Box{ID: e.To.ID + "." + idText(cmp.Or(e.From.Node, e.From.Sign.String())), Sign: e.To.Sign}
		switch {
		case e.To.Sign == EndSign && far > farEnd:
		case e.To.Sign == NoSign && (far > farAway || far < -farAway):
			sign = &Box{ID: "to-" + e.ID, Sign: ToSign, Name: labelFont.one("→ "+e.To.Name.Whole, toWidth), failure: e.Failure}
			e.Leads = e.To
		default:
			continue
		}
		if own[sign.ID] == nil {
			sign.leaf = true
			size(sign)
			i := &item{box: sign, rank: from.rank + 1}
			own[sign.ID], l.items[sign] = sign, i
			l.list, l.c.Children = append(l.list, i), append(l.c.Children, sign)
		}
		e.To, e.back = own[sign.ID], false
	}
}

// expand puts an item into each row that an edge crosses. Labels are in rows between the rows of boxes, next to where their edges begin.
func (l *lay) expand() {
	last := 0
	for _, i := range l.list {
		i.rank *= 2
		last = max(last, i.rank)
	}
	l.rows = make([][]*item, last+1)
	add := func(i *item) { l.rows[i.rank] = append(l.rows[i.rank], i) }
	for _, i := range l.list {
		add(i)
	}
	for _, e := range l.c.Edges {
		if e.From == e.To {
			continue
		}
		top, bottom := l.items[e.From], l.items[e.To]
		if e.back {
			top, bottom = bottom, top
		}
		path := []*item{top}
		for r := top.rank + 1; r < bottom.rank; r++ {
			i := &item{rank: r, edge: e}
			if len(e.Label.Lines) > 0 && (!e.back && r == top.rank+1 || e.back && r == bottom.rank-1) {
				i.label, i.h = true, e.labelHeight()+2
				i.left, i.right = e.Label.W/2+3, e.Label.W/2+3
			}
			add(i)
			path = append(path, i)
		}
		path = append(path, bottom)
		for k := 1; k < len(path); k++ {
			path[k-1].downs = append(path[k-1].downs, path[k])
			path[k].ups = append(path[k].ups, path[k-1])
		}
		l.paths[e] = path
	}
	for _, i := range l.list {
		b := i.box
		if !b.Sign.dot() {
			wide := 2*formOf(b).inset + portStep*float64(max(len(i.ups), len(i.downs))-1)
			if wide > b.W && b.Region {
				b.moveContents(math.Round((wide-b.W)/2), 0)
			}
			b.W = max(b.W, wide)
		}
		i.h, i.left, i.right = b.H, b.W/2, b.W/2+b.loops
	}
}
