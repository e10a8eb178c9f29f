package cfg

import "slices"

// A Pool is the rule by which the model of an autonomous node picks the regions that run, one after the other.
type Pool struct {
	Size   int    // regions
	Entry  int    // the region that runs first; -1: the model picks it
	Last   []bool // by region: the pool is over after it
	Lasts  int    // how many are
	Most   int    // regions that run at most
	Repeat bool   // a region may run again
}

// Pool returns the rule of an autonomous node.
func (n *Node) Pool() *Pool {
	s := n.Spec.Spec
	p := &Pool{Entry: -1, Most: n.Runs(), Repeat: !s.AllowRepeat.IsSet() || s.AllowRepeat.V}
	for i, r := range n.Regions {
		last := r.Nodes[len(r.Nodes)-1].Spec
		if p.Last = append(p.Last, slices.Contains(n.Spec.Finals, last)); p.Last[i] {
			p.Lasts++
		}
		if last == n.Spec.First {
			p.Entry = i
		}
	}
	p.Size = len(p.Last)
	return p
}

// Asks reports whether the model is asked for the next region after a number of them have run. It is not asked about an only choice.
func (p *Pool) Asks(ran int) bool {
	choices := p.Size
	switch {
	case p.Lasts > 0 && ran == p.Most-1:
		choices = p.Lasts
	case !p.Repeat:
		choices -= ran
	}
	if p.Lasts == 0 {
		choices++ // to end
	}
	return choices > 1 && ran < p.Most && (ran > 0 || p.Entry < 0)
}

// Runs reports whether a region may run after a number of others. The last one that may run is one after which the pool is over.
func (p *Pool) Runs(region, ran int) bool {
	if ran == 0 && p.Entry >= 0 {
		return region == p.Entry
	}
	return p.Lasts == 0 || p.Last[region] || ran != p.Most-1
}

// Over reports whether the pool may be over after a number of regions of which this is the last.
func (p *Pool) Over(region, ran int) bool {
	return p.Lasts == 0 || p.Last[region] || ran == p.Most && p.Runs(region, ran-1)
}

// RunsNothing reports whether the model may end the pool before the first region.
func (p *Pool) RunsNothing() bool { return p.Lasts == 0 && p.Entry < 0 }
