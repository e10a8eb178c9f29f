package walks

import (
	"slices"

	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/resolve"
)

// A reading is one interpretation of a list of visits as those of a node: at of them belong to
// the node, which ended with end.
type reading struct {
	at   int
	end  fate
	soft bool // it failed softly, which counts as a success
}

// A reader reads a list of visits, branch by branch in written order, as what nodes run.
type reader struct {
	walk  *Walk
	names []string
	cut   bool // the steps are used up at the end of the list
	known map[question][]reading
}

// A question is what has been read before: nodes from a place to the end of a list.
type question struct {
	first   *resolve.Node
	at, end int
	cut     bool
}

// upTo reads a part of the list.
func (rd *reader) upTo(end int) *reader {
	return &reader{rd.walk, rd.names[:end], false, rd.known}
}

// Accept reads a list of visits as those of the nodes that the visited node runs. If last is set,
// the steps may be used up at its end. It returns the walks that continue from there.
func (v *Walk) Accept(names []string, last bool) []*Walk {
	if !v.At.Kind.Composite() {
		if len(names) > 0 {
			return nil
		}
		return []*Walk{v}
	}
	var out []*Walk
	rd := &reader{v, names, last, map[question][]reading{}}
	ends := rd.within(v.At, 0)
	if v.At.Has(spec.SkipOnError) && v.failed {
		ends = []reading{{end: succeeded}}
	}
	for _, r := range ends {
		if r.at != len(names) || v.Steps+len(names) > v.maxSteps() {
			continue
		}
		c := v.Clone()
		c.Steps += len(names)
		for _, n := range names {
			c.Visits[n]++
		}
		end := r.end
		c.inside = &end
		out = append(out, c)
	}
	return out
}

func add(list []reading, r reading) []reading {
	if slices.Contains(list, r) {
		return list
	}
	return append(list, r)
}

// chain reads nodes that run one after the other. The steps are used up where the list ends.
func (rd *reader) chain(nodes []*resolve.Node, at int) []reading {
	q := question{nodes[0], at, len(rd.names), rd.cut}
	out, ok := rd.known[q]
	if !ok {
		out = rd.anew(nodes, at)
		rd.known[q] = out
	}
	return out
}

func (rd *reader) anew(nodes []*resolve.Node, at int) []reading {
	open, out := make([][]reading, len(nodes)+1), []reading(nil) // where in the list a node may begin, and how the node before it ended
	open[0] = []reading{{at: at}}
	for i, n := range nodes {
		for _, before := range open[i] {
			if before.at == len(rd.names) {
				out = add(out, reading{at: before.at, end: stopped})
			}
			for _, r := range rd.child(n, before) {
				next, late, fails := []int{i + 1}, false, -1
				if n.Region.Graph {
					next, late = onward(nodes, n)
					fails = failsTo(nodes, n)
				}
				switch {
				case r.end == failed && fails >= 0:
					open[fails] = add(open[fails], reading{at: r.at, end: succeeded, soft: true})
					continue
				case r.end == spent: // it has not run
					r.end = failed
				}
				if routes := n.Spec.Routes; len(routes) > 0 && !r.soft {
					next = nil
					for _, route := range routes {
						next = append(next, place(nodes, route.V))
					}
				}
				if r.end != succeeded {
					out = add(out, r)
					continue
				}
				for _, to := range next {
					open[to] = add(open[to], r)
				}
				switch {
				case late && fails >= 0:
					open[fails] = add(open[fails], reading{at: r.at, end: succeeded, soft: true})
				case late:
					out = add(out, reading{at: r.at, end: failed})
				}
			}
		}
	}
	for _, r := range open[len(nodes)] {
		out = add(out, reading{at: r.at, end: succeeded})
	}
	return out
}

// onward returns the places to which the edges of a node may lead in a region that is a graph, and whether a condition may panic.
func onward(nodes []*resolve.Node, n *resolve.Node) (places []int, late bool) {
	for _, e := range n.Leaving {
		switch {
		case e.Spec.On.IsSet():
		case e.Spec.If.IsSet():
			places, late = append(places, place(nodes, e.Spec.To.V)), late || panics(e.Spec.If.V)
		default:
			return append(places, place(nodes, e.Spec.To.V)), late
		}
	}
	return append(places, len(nodes)), late
}

func (rd *reader) child(n *resolve.Node, before reading) []reading {
	at := before.at
	if at == len(rd.names) || rd.names[at] != n.Spec.Name.V {
		return nil
	}
	if before.soft && n.Has(spec.SkipOnError) {
		return []reading{{at + 1, succeeded, true}}
	}
	var read, out []reading
	if n.Kind.Composite() {
		read = rd.within(n, at+1)
	} else {
		most := visits(rd.walk.g, n)
		for visits := 1; ; visits++ {
			at++
			read = append(read, reading{at: at, end: succeeded}, reading{at: at, end: failed})
			if at == len(rd.names) {
				read = append(read, reading{at: at, end: stopped})
			}
			if n.Loops && visits == most {
				read = append(read, reading{at: at, end: spent})
			}
			if !n.Loops || visits == most || at == len(rd.names) || rd.names[at] != n.Spec.Name.V {
				break
			}
		}
	}
	for _, r := range read {
		switch {
		case r.end == failed && n.Spec.FailSoft.V:
			r.end, r.soft = succeeded, true
		case r.end == spent && !n.Region.Graph:
			r.end = failed
		}
		out = add(out, r)
	}
	return out
}

func (rd *reader) within(n *resolve.Node, at int) []reading {
	executions := 1
	if f, ok := n.Spec.Flag(spec.Retryable); ok {
		if executions = 3; f.Retry != nil && f.Retry.Attempts.IsSet() {
			executions = f.Retry.Attempts.V
		}
	}
	return rd.again(at, executions, func(at int) []reading {
		return rd.cutOff(n, at, func(rd *reader) []reading { return rd.once(n, at) })
	})
}

// cutOff reads an execution that the timeout of a node may end anywhere.
func (rd *reader) cutOff(n *resolve.Node, at int, read func(*reader) []reading) []reading {
	out := read(rd)
	if !n.Spec.Timeout.IsSet() {
		return out
	}
	for to := at; to <= len(rd.names); to++ {
		if to == at || slices.ContainsFunc(read(rd.upTo(to)), func(r reading) bool { return r.at == to }) {
			out = add(out, reading{at: to, end: failed})
		}
	}
	return out
}

// again reads what is tried again after it has failed.
func (rd *reader) again(at, times int, once func(at int) []reading) []reading {
	var out []reading
	open := []int{at}
	for range times {
		var next []int
		for _, at := range open {
			for _, r := range once(at) {
				out = add(out, r)
				if r.end == failed && !slices.Contains(next, r.at) {
					next = append(next, r.at)
				}
			}
		}
		open = next
	}
	return out
}

func (rd *reader) once(n *resolve.Node, at int) []reading {
	s := n.Spec
	times := map[string]int{"loop": 10, "retry": 3, "autonomous": 15}[n.Kind.Name]
	for _, v := range []int{s.MaxIterations.V, s.Retry.Attempts.V, s.MaxSteps.V} {
		if v > 0 {
			times = v
		}
	}
	switch n.Kind.Name {
	case "retry":
		return rd.again(at, times, func(at int) []reading { // each attempt has the timeout
			return rd.cutOff(n, at, func(rd *reader) []reading { return rd.chain(n.Regions[0].Nodes, at) })
		})
	case "loop":
		return rd.loop(n, at, times)
	case "autonomous":
		return rd.pool(n, nil, at, times)
	}
	return rd.fork(n, at)
}

func (rd *reader) loop(n *resolve.Node, at, times int) []reading {
	var out []reading
	open := []int{at}
	for i := range times {
		var next []int
		for _, at := range open {
			for _, r := range rd.chain(n.Regions[0].Nodes, at) {
				if r.end != succeeded {
					out = add(out, r)
					continue
				}
				if !slices.Contains(next, r.at) {
					next = append(next, r.at)
				}
				if n.Spec.Until.IsSet() || i == times-1 {
					out = add(out, r)
				}
				if panics(n.Spec.Until.V) {
					out = add(out, reading{at: r.at, end: failed})
				}
			}
		}
		open = next
	}
	return out
}

// pool reads picks.
func (rd *reader) pool(n *resolve.Node, ran []*resolve.Region, at, left int) []reading {
	s := n.Spec
	terminal := func(r *resolve.Region) bool {
		return slices.ContainsFunc(s.Terminal, func(t spec.String) bool { return t.V == r.Name.V })
	}
	out := []reading{{at: at, end: failed}} // more than are possible: of an only choice the model is not asked
	if len(s.Terminal) == 0 && (len(ran) > 0 || !s.PoolEntry.IsSet()) {
		out = add(out, reading{at: at, end: succeeded})
	}
	if at == len(rd.names) && left > 0 {
		return add(out, reading{at: at, end: stopped})
	}
	if left == 0 {
		return []reading{{at: at, end: succeeded}}
	}
	for _, r := range n.Regions {
		switch {
		case s.AllowRepeat.IsSet() && !s.AllowRepeat.V && slices.Contains(ran, r), rd.names[at] != r.Name.V,
			len(ran) == 0 && s.PoolEntry.IsSet() && s.PoolEntry.V != r.Name.V,
			left == 1 && len(s.Terminal) > 0 && len(ran) > 0 && !terminal(r):
			continue
		}
		for _, end := range rd.chain(r.Nodes, at) {
			if end.end != succeeded || terminal(r) {
				out = add(out, end)
				continue
			}
			for _, more := range rd.pool(n, append(slices.Clone(ran), r), end.at, left-1) {
				out = add(out, more)
			}
		}
	}
	return out
}

// A joining is how branches can be read that were begun in written order: those that had ended
// before it was known how the node ends, and those that were under way then. Of these no more
// run at once than may, and while they are as many no further one begins.
type joining struct {
	at        int
	won, lost int
	stopped   int // by others, or because the steps are used up
	under     int // under way, at most as many as may be
	late      int // that won under way
	left      int // that were not started
}

// branch adds a branch that is read so. It returns nil where the branch cannot have begun.
func (j joining) branch(r reading, join string, width, count int) []joining {
	if r.at > j.at && j.under == width {
		return nil
	}
	ended, under := j, j
	ended.at, under.at = r.at, r.at
	under.under = min(j.under+1, width)
	switch fast := join == "" || join == "fail_fast"; r.end {
	case succeeded:
		ended.won++
		under.late++
		switch {
		case join != "first":
			return []joining{ended}
		case j.won == count-1: // one more would have ended the others
			return []joining{under}
		}
		return []joining{ended, under}
	case failed:
		ended.lost++
		under.lost++
		if !fast {
			return []joining{ended}
		}
	default:
		under.stopped++
	}
	return []joining{under}
}

// fork reads branches, one after the other.
func (rd *reader) fork(n *resolve.Node, at int) []reading {
	s := n.Spec
	most, width := len(n.Regions), 8
	if s.Prompt.MaxParallel.IsSet() {
		width = s.Prompt.MaxParallel.V
	}
	var out []reading
	if n.Kind.Name == "map" {
		most = 1 << 30
		for _, f := range rd.walk.g.Spec.State {
			if f.Name.V == s.Over.V && f.MaxLength.IsSet() {
				most = f.MaxLength.V
				out = add(out, reading{at: at, end: failed}) // the list is longer
			}
		}
	}
	if slices.ContainsFunc(n.Regions, func(r *resolve.Region) bool { return r.May() && panics(r.Branch.If.V) }) {
		out = add(out, reading{at: at, end: failed}) // a condition panics
	}
	open := []joining{{at: at}}
	for i := 0; i < most && len(open) > 0; i++ {
		var next []joining
		seen, branches := map[joining]bool{}, map[int][]reading{} // the second by where the branch begins
		for _, j := range open {
			if n.Kind.Name == "map" {
				out = rd.joined(n, j, i, out)
			}
			region := n.Regions[min(i, len(n.Regions)-1)]
			if region.May() {
				left := j
				left.left++
				next, seen[left] = append(next, left), true
			}
			if _, known := branches[j.at]; !known {
				branches[j.at] = slices.Concat(rd.chain(region.Nodes, j.at), rd.prefixes(region.Nodes, j.at))
			}
			for _, r := range branches[j.at] {
				for _, to := range j.branch(r, s.Join.V, width, max(1, s.Count.V)) {
					if !seen[to] && (n.Kind.Name != "map" || to.at > j.at) {
						next, seen[to] = append(next, to), true
					}
				}
			}
		}
		open = next
	}
	for _, j := range open {
		out = rd.joined(n, j, most, out)
	}
	return out
}

// prefixes are the readings of a branch that is stopped: after any of its steps, or before the
// first.
func (rd *reader) prefixes(nodes []*resolve.Node, at int) []reading {
	out := []reading{{at: at, end: stopped}}
	for to := at; to <= len(rd.names); to++ {
		cut := rd.upTo(to)
		if slices.Contains(cut.chain(nodes, at), reading{at: to, end: stopped}) {
			out = add(out, reading{at: to, end: stopped})
		}
	}
	return out
}

// joined adds the readings of a join whose branches ended as j counts.
func (rd *reader) joined(n *resolve.Node, j joining, branches int, out []reading) []reading {
	count := max(1, n.Spec.Count.V)
	if branches -= j.left; branches == 0 && j.left > 0 {
		return add(out, reading{at: j.at, end: succeeded})
	}
	cancels := n.Spec.Join.V != "all" && n.Spec.Join.V != "settled"
	if j.at == len(rd.names) && (rd.cut || j.stopped > 0) {
		out = add(out, reading{at: j.at, end: stopped})
	}
	if j.stopped > 0 && !cancels {
		return out
	}
	switch n.Spec.Join.V {
	case "first", "settled":
		if j.won+j.late >= count || branches == 0 {
			out = add(out, reading{at: j.at, end: succeeded})
		}
		if j.lost >= branches-count+1 && j.under == 0 {
			out = add(out, reading{at: j.at, end: failed})
		}
	default:
		if j.won == branches {
			out = add(out, reading{at: j.at, end: succeeded})
		}
		if j.lost > 0 {
			out = add(out, reading{at: j.at, end: failed})
		}
	}
	return out
}
