package dataflow

// A worklist is a queue of points, each of which is in it once at most.
type worklist struct {
	queue  []int
	queued []bool
}

func (w *worklist) add(at int) {
	if !w.queued[at] {
		w.queued[at] = true
		w.queue = append(w.queue, at)
	}
}

// next returns the next point; false without one.
func (w *worklist) next() (at int, ok bool) {
	if len(w.queue) == 0 {
		return 0, false
	}
	at, w.queue = w.queue[0], w.queue[1:]
	w.queued[at] = false
	return at, true
}

// findUnwritten finds, for every point, the fields that may be unwritten there. It takes every
// successor for possible, and a field that was read for one that was reported, so it finds too
// much, never too little. The result has each field that something may read unwritten.
func (f *Flow) findUnwritten() (suspect Set) {
	suspect = f.NewSet()
	f.unwritten = make([]Set, len(f.points))
	if f.Unset.isEmpty() {
		return suspect
	}
	words := len(f.Unset)
	all, facts := make(Set, words*len(f.points)), make(Set, words)
	work := &worklist{queued: make([]bool, len(f.points))}
	enter := func(at int, facts Set) {
		first := f.unwritten[at] == nil
		if first {
			f.unwritten[at] = all[at*words : (at+1)*words]
		}
		if f.unwritten[at].Union(facts) || first {
			work.add(at)
		}
	}
	enter(f.entry, f.Unset)
	for at, ok := work.next(); ok; at, ok = work.next() {
		p := &f.points[at]
		for _, r := range p.reads {
			if f.unwritten[at].Has(r) {
				suspect.Add(r)
			}
		}
		for i := range p.outcomes {
			o := &p.outcomes[i]
			copy(facts, f.unwritten[at])
			p.transfer(o, facts)
			for j := range o.successors {
				s := &o.successors[j]
				for _, r := range s.reads {
					if facts.Has(r) {
						suspect.Add(r)
						facts.Remove(r)
					}
				}
				if s.to != exit {
					enter(s.to, facts)
					continue
				}
				for w := range facts {
					suspect[w] |= facts[w] & f.Output[w]
				}
			}
		}
	}
	return suspect
}

// transfer removes the fields that were read or are written when the point has an outcome.
func (p *point) transfer(o *outcome, facts Set) {
	switch {
	case !o.executes():
		return
	case p.effect != nil:
		unwritten := p.effect.after(o).unwritten
		for i := range facts {
			facts[i] &= unwritten[i]
		}
		return
	}
	for _, r := range p.reads {
		facts.Remove(r)
	}
	switch {
	case o.refused():
		for _, w := range p.records {
			facts.Remove(w)
		}
	case !o.commits():
	case p.writesAll:
		clear(facts)
	default:
		for _, w := range p.writes {
			facts.Remove(w)
		}
	}
}
