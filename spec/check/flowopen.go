package check

// spread finds, for every point, the fields that may hold nothing there. It takes every
// move for one that can be made, and a field that was looked at for one that was told of:
// so it finds too much, never too little. The result holds every field that something
// looks at in vain.
func (f *flow) spread() (suspect bits) {
	suspect = newBits(len(f.fields))
	f.opens = make([]bits, len(f.points))
	if f.unset.isEmpty() {
		return suspect
	}
	words := len(f.unset)
	all := make(bits, words*len(f.points))
	scratch := make(bits, words)
	queued := make([]bool, len(f.points))
	var queue []int
	enter := func(at int, facts bits) {
		new := f.opens[at] == nil
		if new {
			f.opens[at] = all[at*words : (at+1)*words]
		}
		if f.opens[at].take(facts) || new {
			if !queued[at] {
				queued[at] = true
				queue = append(queue, at)
			}
		}
	}
	look := func(facts bits, i int) {
		if facts.has(i) {
			suspect.add(i)
			facts.remove(i)
		}
	}
	enter(f.entry, f.unset)
	for head := 0; head < len(queue); head++ {
		at := queue[head]
		queued[at] = false
		p := &f.points[at]
		for _, r := range p.reads {
			if f.opens[at].has(r) {
				suspect.add(r)
			}
		}
		for i := range p.outcomes {
			o := &p.outcomes[i]
			copy(scratch, f.opens[at])
			p.pass(o, scratch)
			for j := range o.moves {
				m := &o.moves[j]
				for _, a := range m.asks {
					look(scratch, a)
				}
				if m.to != theEnd {
					enter(m.to, scratch)
					continue
				}
				for w := range scratch {
					suspect[w] |= scratch[w] & f.gives[w]
				}
			}
		}
		if head > len(f.points) { // what was taken from the queue makes room
			queue = append(queue[:0], queue[head+1:]...)
			head = -1
		}
	}
	return suspect
}

// pass takes away the fields that something has looked at or that are written when an outcome
// is over.
func (p *point) pass(o *outcome, facts bits) {
	switch {
	case !o.executes():
		return
	case p.effect != nil:
		open := p.effect.after(o).open
		for i := range facts {
			facts[i] &= open[i]
		}
		return
	}
	for _, r := range p.reads {
		facts.remove(r)
	}
	switch {
	case !o.commits:
	case p.writesAll:
		clear(facts)
	default:
		for _, w := range p.writes {
			facts.remove(w)
		}
	}
}

// after is where the node leaves a run that comes out so.
func (w *effect) after(o *outcome) front {
	if o.ending == succeeds {
		return w.succeeds
	}
	return w.fails
}
