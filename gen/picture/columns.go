package picture

import (
	"math"
	"slices"
)

// columnRounds is how often all rows are placed by their neighbours; in the last of them by both.
const columnRounds, bothRounds = 36, 12

// setColumns gives each item an x near its neighbours, row after row.
func (l *lay) setColumns() {
	for _, row := range l.rows {
		x := 0.0
		for k, i := range row {
			if k > 0 {
				x += between(row[k-1], i)
			}
			i.x = x
		}
	}
	for round := range columnRounds {
		both := round >= columnRounds-bothRounds
		if round%2 == 0 {
			for _, row := range l.rows {
				settle(row, true, both)
			}
		} else {
			for _, row := range slices.Backward(l.rows) {
				settle(row, both, true)
			}
		}
	}
	for _, row := range l.rows { // to whole pixels, left to right, so that the distances stay
		for k, i := range row {
			i.x = math.Round(i.x)
			if k > 0 {
				i.x = max(i.x, math.Ceil(row[k-1].x+between(row[k-1], i)))
			}
		}
	}
}

// between is the least distance of two items side by side.
func between(a, b *item) float64 {
	gap := gapX
	if a.box == nil || b.box == nil {
		gap = gapLine
	}
	return a.right + b.left + gap
}

// A block is a part of a row whose items are as near to one another as possible.
type block struct {
	sum, weight float64 // of the wishes of its items
	items       int
}

func (b block) x() float64 { return b.sum / b.weight }

// settle places the items of a row as near to their neighbours as their order and distances allow: the least squares, exactly.
func settle(row []*item, ups, downs bool) {
	offsets := make([]float64, len(row))
	var blocks []block
	for k, i := range row {
		if k > 0 {
			offsets[k] = offsets[k-1] + between(row[k-1], i)
		}
		wish, weight := wishOf(i, ups, downs)
		b := block{wish - float64(weight*offsets[k]), weight, 1}
		for len(blocks) > 0 && blocks[len(blocks)-1].x() > b.x() {
			last := blocks[len(blocks)-1]
			b = block{b.sum + last.sum, b.weight + last.weight, b.items + last.items}
			blocks = blocks[:len(blocks)-1]
		}
		blocks = append(blocks, b)
	}
	k := 0
	for _, b := range blocks {
		for range b.items {
			row[k].x = b.x() + offsets[k]
			k++
		}
	}
}

// wishOf returns the sum of the places of an item's neighbours, and of their weights: long lines are to be straight above all.
func wishOf(i *item, ups, downs bool) (wish, weight float64) {
	pull := func(list []*item) {
		for _, n := range list {
			w := 1.0
			switch {
			case i.leaf() || n.leaf():
				w = 0.001 // it gives way
			case i.bar() || n.bar():
				w = 0.1 // it becomes as wide as it has to be
			case i.box == nil && n.box == nil:
				w = 8
			case i.box == nil || n.box == nil:
				w = 2
			}
			wish += float64(w * n.x)
			weight += w
		}
	}
	if ups {
		pull(i.ups)
	}
	if downs {
		pull(i.downs)
	}
	if weight == 0 {
		return float64(i.x * 0.01), 0.01
	}
	return wish, weight
}

// straighten makes the lines of edges that cross rows straight, as far as the items beside them allow.
func (l *lay) straighten() {
	for range 3 {
		for _, e := range l.c.Edges {
			if p := l.paths[e]; len(p) > 2 {
				l.straightenPath(p)
			}
		}
	}
}

// straightenPath gives as many bends of a path as possible the same x, from the upper one on, if possible one of a port at its ends.
func (l *lay) straightenPath(p []*item) {
	bends := p[1 : len(p)-1]
	for at := 0; at < len(bends); {
		low, high, end, sum := math.Inf(-1), math.Inf(1), at, 0.0
		for ; end < len(bends); end++ {
			lo, hi := l.room(bends[end])
			if max(low, lo) > min(high, hi) {
				break
			}
			low, high, sum = max(low, lo), min(high, hi), sum+bends[end].x
		}
		if end == at { // there is no room
			at++
			continue
		}
		if lo, hi := ports(p[len(p)-1]); end == len(bends) && max(low, lo) <= min(high, hi) {
			low, high = max(low, lo), min(high, hi)
		}
		if lo, hi := ports(p[0]); at == 0 && max(low, lo) <= min(high, hi) {
			low, high = max(low, lo), min(high, hi)
		}
		x := math.Round(sum / float64(end-at))
		if x < low {
			x = math.Ceil(low)
		}
		if x > high {
			x = math.Floor(high)
		}
		for _, i := range bends[at:end] {
			if x >= low {
				i.x = x
			}
		}
		at = end
	}
}

// ports returns where lines may begin and end at a box.
func ports(i *item) (low, high float64) {
	switch {
	case i.box.Sign.dot():
		return i.x, i.x
	case i.box.Sign.bar():
		return math.Inf(-1), math.Inf(1)
	}
	in := formOf(i.box).inset
	return i.x - i.box.W/2 + in, i.x + i.box.W/2 - in
}

// leaf reports whether the item is a sign with which one box ends, or on the way to it.
func (i *item) leaf() bool {
	b := i.box
	if b == nil {
		b = i.edge.To
	}
	return b.leaf
}

// bar reports whether the item is a bar.
func (i *item) bar() bool { return i.box != nil && i.box.Sign.bar() }

// room returns where a line may cross a row, between the items beside a bend.
func (l *lay) room(i *item) (low, high float64) {
	low, high = math.Inf(-1), math.Inf(1)
	row := l.rows[i.rank]
	if i.pos > 0 {
		low = row[i.pos-1].x + between(row[i.pos-1], i)
	}
	if i.pos+1 < len(row) {
		high = row[i.pos+1].x - between(i, row[i.pos+1])
	}
	return low, high
}
