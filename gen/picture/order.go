package picture

import (
	"math"
	"slices"
	"sort"
)

// order sorts each row so that few edges cross.
func (l *lay) order() {
	l.number()
	rounds := 24
	if len(l.list) > 200 {
		rounds = 8
	}
	least, best := math.MaxInt, [][]*item(nil)
	for round := 0; ; round++ {
		if n := l.crossings(); n < least {
			least, best = n, clone(l.rows)
		}
		if least == 0 || round == rounds {
			break
		}
		if round%2 == 0 {
			for _, row := range l.rows[1:] {
				sortBy(row, func(i *item) []*item { return i.ups })
			}
		} else {
			for _, row := range slices.Backward(l.rows[:len(l.rows)-1]) {
				sortBy(row, func(i *item) []*item { return i.downs })
			}
		}
		l.transpose()
	}
	l.rows = best
	l.number()
}

// number gives the items of each row their positions.
func (l *lay) number() {
	for _, row := range l.rows {
		for p, i := range row {
			i.pos = p
		}
	}
}

func clone(rows [][]*item) [][]*item {
	out := make([][]*item, len(rows))
	for k, row := range rows {
		out[k] = slices.Clone(row)
	}
	return out
}

// sortBy sorts a row by the mean of the positions of its items' neighbours.
func sortBy(row []*item, neighbours func(*item) []*item) {
	keys := make(map[*item]float64, len(row))
	for _, i := range row {
		list := neighbours(i)
		sum := 0
		for _, n := range list {
			sum += n.pos
		}
		if keys[i] = float64(i.pos); len(list) > 0 {
			keys[i] = float64(sum) / float64(len(list))
		}
	}
	sort.SliceStable(row, func(a, b int) bool { return keys[row[a]] < keys[row[b]] })
	for p, i := range row {
		i.pos = p
	}
}

// transpose swaps neighbours while that saves crossings.
func (l *lay) transpose() {
	for better, pass := true, 0; better && pass < 4; pass++ {
		better = false
		for _, row := range l.rows {
			for k := range len(row) - 1 {
				a, b := row[k], row[k+1]
				if crossed(a.ups, b.ups)+crossed(a.downs, b.downs) > crossed(b.ups, a.ups)+crossed(b.downs, a.downs) {
					row[k], row[k+1] = b, a
					a.pos, b.pos, better = k+1, k, true
				}
			}
		}
	}
}

// crossed counts the crossings of lines of two items side by side, to the neighbours a of the left one and b of the right one.
func crossed(a, b []*item) (n int) {
	for _, x := range a {
		for _, y := range b {
			if x.pos > y.pos {
				n++
			}
		}
	}
	return n
}

// crossings counts the crossings of all lines, with a tree of counts for each pair of rows.
func (l *lay) crossings() (n int) {
	for r := range len(l.rows) - 1 {
		var ends []int
		for _, i := range l.rows[r] {
			at := len(ends)
			for _, d := range i.downs {
				ends = append(ends, d.pos)
			}
			slices.Sort(ends[at:])
		}
		tree := make([]int, len(l.rows[r+1])+1)
		for _, end := range slices.Backward(ends) {
			for p := end; p > 0; p -= p & -p {
				n += tree[p]
			}
			for p := end + 1; p < len(tree); p += p & -p {
				tree[p]++
			}
		}
	}
	return n
}
