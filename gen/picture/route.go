package picture

import (
	"cmp"
	"math"
	"slices"
)

// settleRows gives each row its y, and the boxes their places.
func (l *lay) settleRows() {
	l.widenBars()
	l.rowY, l.rowH = make([]float64, len(l.rows)), make([]float64, len(l.rows))
	left, right, y := math.Inf(1), math.Inf(-1), l.top()
	for r, row := range l.rows {
		far := 0.0
		for _, i := range row {
			l.rowH[r] = max(l.rowH[r], i.h)
			left, right = min(left, i.x-i.left), max(right, i.x+i.right)
			for _, up := range i.ups {
				far = max(far, math.Abs(up.x-i.x))
			}
		}
		if r > 0 {
			y += math.Round(min(gapY+float64(far*steepness), mostGapY))
		}
		l.rowY[r] = y
		y += math.Ceil(l.rowH[r])
	}
	shift := math.Round(l.side() - left)
	for _, row := range l.rows {
		for _, i := range row {
			i.x += shift
			if b := i.box; b != nil {
				dy := 0.0
				if b.Sign != NoSign {
					dy = (l.rowH[i.rank] - b.H) / 2
				}
				b.move(i.x-b.W/2, l.rowY[i.rank]+dy)
			}
		}
	}
	l.c.W, l.c.H = math.Ceil(right-left+2*l.side()), y
	if l.c.Region {
		l.c.H += 12
	}
}

// widenBars makes bars as wide as what they fork or join.
func (l *lay) widenBars() {
	for _, i := range l.list {
		if !i.box.Sign.bar() {
			continue
		}
		low, high := i.x, i.x
		for _, n := range append(slices.Clone(i.ups), i.downs...) {
			low, high = min(low, n.x), max(high, n.x)
		}
		i.x, i.box.W = math.Round((low+high)/2), 2*math.Round((high-low)/2)+36
		i.left, i.right = i.box.W/2, i.box.W/2
	}
}

// A port is an end of an edge at a box.
type port struct {
	near float64 // the x of the next item of the edge
	x    float64
}

// route draws the edges through their bends, from ports that are in the order of what they lead to.
func (l *lay) route() {
	upper, lower := map[*Edge]*port{}, map[*Edge]*port{}
	below, above := map[*item][]*port{}, map[*item][]*port{}
	for _, e := range l.c.Edges {
		p := l.paths[e]
		if p == nil {
			continue
		}
		top, bottom := p[0], p[len(p)-1]
		upper[e], lower[e] = &port{near: p[1].x}, &port{near: p[len(p)-2].x}
		below[top], above[bottom] = append(below[top], upper[e]), append(above[bottom], lower[e])
	}
	for _, i := range l.list {
		spread(i, below[i])
		spread(i, above[i])
	}
	for _, e := range l.c.Edges {
		if p := l.paths[e]; p != nil {
			l.snap(p[1:len(p)-1], upper[e].x)
			bends := slices.Clone(p[1 : len(p)-1])
			slices.Reverse(bends)
			l.snap(bends, lower[e].x)
			e.Lines = l.line(e, p, upper[e].x, lower[e].x)
		}
	}
}

// snap moves the first bends of a line, which are straight, to a port near by.
func (l *lay) snap(bends []*item, x float64) {
	if len(bends) == 0 || math.Abs(bends[0].x-x) > leastStep {
		return
	}
	end := 0
	for end < len(bends) && bends[end].x == bends[0].x {
		if low, high := l.room(bends[end]); x < low || x > high {
			return
		}
		end++
	}
	for _, i := range bends[:end] {
		i.x = x
	}
}

// spread gives the ports at one side of a box their places.
func spread(i *item, list []*port) {
	b := i.box
	if len(list) == 0 {
		return
	}
	if b.Sign.dot() {
		for _, p := range list {
			p.x = i.x
		}
		return
	}
	slices.SortStableFunc(list, func(a, b *port) int { return cmp.Compare(a.near, b.near) })
	in := formOf(b).inset
	low, high := b.X+in, b.X+b.W-in
	step := portStep
	if n := float64(len(list) - 1); n > 0 {
		step = min(step, (high-low)/n)
	}
	for k, p := range list {
		p.x = min(max(p.near, low+float64(step*float64(k))), high-float64(step*float64(len(list)-1-k)))
		if k > 0 {
			p.x = max(p.x, list[k-1].x+step)
		}
		p.x = half(p.x)
	}
	if len(list) == 1 && (list[0].near < low || list[0].near > high) { // from the middle, unless straight
		list[0].x = half(i.x)
	}
}

// line returns the line of an edge along its path, broken at the label.
func (l *lay) line(e *Edge, p []*item, from, to float64) (lines [][]Point) {
	top, bottom := p[0], p[len(p)-1]
	part := []Point{{from, top.box.Y + top.box.H}}
	add := func(x, y float64) {
		if last := part[len(part)-1]; last.X != x || last.Y != y {
			part = append(part, Point{x, y})
		}
	}
	add(from, l.rowY[top.rank]+math.Ceil(l.rowH[top.rank]))
	for _, i := range p[1 : len(p)-1] {
		y, end := l.rowY[i.rank], l.rowY[i.rank]+math.Ceil(l.rowH[i.rank])
		add(i.x, y)
		if i.label {
			middle := y + math.Ceil(l.rowH[i.rank])/2
			e.At = Point{i.x, middle}
			add(i.x, middle-i.h/2)
			lines, part = append(lines, part), []Point{{i.x, middle + i.h/2}}
		}
		add(i.x, end)
	}
	add(to, l.rowY[bottom.rank])
	add(to, bottom.box.Y)
	lines = append(lines, part)
	if e.back {
		slices.Reverse(lines)
		for _, part := range lines {
			slices.Reverse(part)
		}
	}
	return lines
}
