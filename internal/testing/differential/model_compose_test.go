package differential

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/spec"
)

// A region is what a composite node runs as one: nodes that run one after the other.
type region struct {
	name  string
	start spec.String // the condition of a branch
	nodes []*nodeShape
	graph bool       // transitions lead from node to node; else they run one after the other
	early bool       // a graph may end before its final node
	final *nodeShape // whose output is that of the region; nil: it has none
}

// compose finds out which nodes run which, and around which elements.
func (s *shapes) compose() {
	for _, n := range s.nodes {
		switch n.kind {
		case "loop", "retry", "map":
			n.regions = []*region{s.region(n, "", n.Body, n.BodyGraph)}
		case "autonomous":
			n.regions = []*region{s.region(n, "", n.Pool, false)}
		case "parallel":
			for _, b := range n.Branches {
				r := s.region(n, b.Name.V, b.Nodes, b.Graph)
				r.start = b.If
				n.regions = append(n.regions, r)
			}
		}
	}
	for _, n := range s.nodes {
		for at := n.host; at != nil; at = at.host {
			if at.kind == "map" {
				n.items = append(n.items, *s.state.field(at.Item.V))
			}
		}
		if last := n.last(); last != nil && (n.kind == "loop" || n.kind == "retry") {
			n.out = last.out
		}
	}
}

func (s *shapes) region(host *nodeShape, name string, names []spec.String, graph bool) *region {
	if graph {
		return s.graphOf(host, name, names[0].V)
	}
	r := &region{name: name}
	for _, name := range names {
		n := s.node(name.V)
		n.host = host
		r.nodes = append(r.nodes, n)
		r.final = n
	}
	return r
}

func (s *shapes) node(name string) *nodeShape {
	return s.nodes[slices.IndexFunc(s.nodes, func(n *nodeShape) bool { return n.Name.V == name })]
}

// composite reports whether the node runs others.
func (n *nodeShape) composite() bool { return n.regions != nil }

// last is the node whose output is that of a loop or a retry; nil: there is none.
func (n *nodeShape) last() *nodeShape {
	for n != nil && (n.kind == "loop" || n.kind == "retry") {
		n = n.regions[0].final
	}
	return n
}

// branches is where a model is that runs a branch of a parallel or a map. Time is that of
// the player's clock: nothing but a handler takes any.
type branches struct {
	forked   bool
	now      int
	deadline int      // from when on what runs is cancelled; 0: never
	log      []logged // what was written, for the join
	kept     int      // steps of nodes before which branches wait, or waited until they were cut: no other branch has them until then
}

// A logged is one write.
type logged struct {
	written
	add any
}

// unpredictable is why a model cannot say what a run does.
type unpredictable string

// usedUp unwinds a run whose steps are used up.
type usedUp struct {
	node  string
	vague bool // it depends on the schedule which branch was cut
}

// cancelled is the end of what others have decided.
var cancelled = &problem{text: "cancelled", cancelled: true, permanent: true}

// elements tells for which elements of the maps around it a node runs.
func (m *model) elements(n *nodeShape) string {
	s := ""
	for _, f := range n.items {
		s += "@" + scriptdriver.Text(m.state[f.name])
	}
	return s
}

// compose executes a composite node.
func (m *model) compose(v *visit) *problem {
	switch v.kind {
	case "loop":
		return m.loop(v)
	case "retry":
		return m.retry(v)
	case "autonomous":
		return m.pick(v)
	}
	return m.fanOut(v)
}

// pick has the model pick nodes of a pool, and runs them.
func (m *model) pick(v *visit) *problem {
	r, feedback := v.regions[0], m.feedback
	m.enterRegion(r)
	for range v.MaxSteps.V {
		m.feedback = feedback
		d, p := m.opened(v)
		m.feedback = nil
		if p != nil {
			return p
		}
		e, text := m.call(v, v.Name.V, true, d.prompt+d.shownTo(v, nil))
		m.asked++
		if p := m.ending(e, text, v.Name.V); p != nil || e.Goto == 0 {
			m.saw("a pool ends before its last pick", p == nil)
			return p
		}
		n := r.nodes[e.Goto-1]
		for at := (way{from: v.Name.V, to: n.Name.V, rule: "branch"}); ; at = (way{from: n.Name.V, to: n.Name.V, rule: "tool loop"}) {
			last, p := m.runChild(n, at, m.childVisit)
			if p != nil {
				return p
			}
			if m.saw("a node of a pool runs", true); !m.waits(last) {
				break
			}
		}
	}
	return nil
}

func (m *model) loop(v *visit) *problem {
	most := spec.DefaultBodyIterations
	if v.MaxIterations.IsSet() {
		most = v.MaxIterations.V
	}
	for v.iterations = 1; ; v.iterations++ {
		last, p := m.runRegion(v, v.regions[0])
		if p != nil {
			return p
		}
		v.outcome.out = last.outcome.out
		holds, p := m.holds(v, &spec.Edge{If: v.Until})
		if p != nil {
			p.permanent = true
			return p
		}
		if holds || v.iterations == most {
			m.saw("a loop ends by its condition", holds && v.iterations > 1)
			m.saw("a loop ends by its bound", !holds)
			return nil
		}
	}
}

func (m *model) retry(v *visit) *problem {
	before := m.snapshot()
	attempts := 3
	if v.Retry.Attempts.IsSet() {
		attempts = v.Retry.Attempts.V
	}
	finished := false
	defer func() {
		if !finished { // the run's steps are used up: what is not complete is undone
			m.restore(before)
		}
	}()
	for try := 1; ; try++ {
		last, p := m.runRegion(v, v.regions[0])
		if p != nil && p.waits {
			finished = true
			return p
		}
		if finished = p == nil; finished {
			v.outcome.out = last.outcome.out
			return nil
		}
		m.restore(before)
		m.saw("a retry is tried again", try > 1)
		if p.cancelled || try == attempts || p.permanent || !p.transient && v.Retry.On.V != "any" {
			return p
		}
		m.retries++
	}
}

// A snapshot is what trying again begins with.
type snapshot struct {
	state map[string]any
	log   []logged
}

func (m *model) snapshot() snapshot {
	return snapshot{maps.Clone(m.state), slices.Clip(m.log)}
}

func (m *model) restore(s snapshot) { m.state, m.log = maps.Clone(s.state), s.log }

// runRegion runs the nodes of a region, the visits of which are counted anew, and returns
// the last visit.
func (m *model) runRegion(host *visit, r *region) (last *visit, p *problem) {
	m.enterRegion(r)
	if r.graph {
		return m.runGraph(host, r)
	}
	at := way{from: host.Name.V, rule: "branch"}
	for i := 0; i < len(r.nodes); {
		n := r.nodes[i]
		at.to = n.Name.V
		if last, p = m.runChild(n, at, m.childVisit); p != nil {
			return nil, p
		}
		if m.waits(last) {
			if m.steps > m.maxSteps() {
				panic(unpredictable("a branch uses the steps up"))
			}
			at = way{from: n.Name.V, rule: "tool loop"}
			m.saw("a tool loop in a region", true)
			continue
		}
		at = way{from: n.Name.V, rule: "next"}
		i++
		if n.kind != "router" || last.outcome.goto_ == 0 {
			continue
		}
		at.rule = "goto"
		skipped := i
		if i = r.place(n.choices[last.outcome.goto_-1]); i == len(r.nodes) {
			at.to = spec.End
			m.follow(at)
			last = r.nothing()
		}
		m.saw("a router skips nodes", i > skipped && i < len(r.nodes))
		m.saw("a router ends a region", i == len(r.nodes))
	}
	return last, nil
}

// enterRegion counts the visits of a region anew. What a guard before it has refused is no feedback for its nodes.
func (m *model) enterRegion(r *region) {
	m.afterFailed, m.feedback = false, nil
	for _, n := range r.nodes {
		m.forget(n)
	}
}

// place returns the place of a node in a region; that of end is behind the last.
func (r *region) place(name string) int {
	if i := slices.IndexFunc(r.nodes, func(n *nodeShape) bool { return n.Name.V == name }); i >= 0 {
		return i
	}
	return len(r.nodes)
}

// nothing is what a region gives that ends before its last node.
func (r *region) nothing() *visit {
	n := r.final
	v := &visit{nodeShape: n}
	if n != nil && n.out != nil {
		v.outcome.out = zero(*n.out)
	}
	return v
}

func (m *model) forget(n *nodeShape) {
	delete(m.visits, n.Name.V)
	for _, r := range n.regions {
		for _, inner := range r.nodes {
			m.forget(inner)
		}
	}
}

// runChild makes a step of a node that another runs.
func (m *model) runChild(n *nodeShape, at way, visit func(*nodeShape) (*visit, *problem)) (*visit, *problem) {
	switch {
	case m.deadline > 0 && m.now >= m.deadline:
		return nil, cancelled
	case !m.forked && m.steps >= m.maxSteps():
		panic(usedUp{node: n.Name.V})
	}
	m.follow(at)
	if p := m.interrupt(n, m.s.InterruptBefore, "before", m.ran[n.Name.V]+1); p != nil {
		m.kept++
		if p.cancelled {
			m.ways[at.from+">"+at.to+" "+at.rule]-- // it leads to no step
		}
		return nil, p
	}
	v, p := visit(n)
	if p == nil {
		p = m.interrupt(n, m.s.InterruptAfter, "after", m.ran[n.Name.V])
	}
	return v, p
}

// childVisit makes a visit of a node that another runs.
func (m *model) childVisit(n *nodeShape) (*visit, *problem) {
	v := m.begin(n)
	if v.out != nil {
		v.outcome.out = zero(*v.out)
	}
	if v.has("skip_on_error") && m.afterFailed {
		m.skips++
		v.skipped = true
		return v, nil
	}
	p := m.gate(v)
	if p == nil {
		p = m.execute(v)
	}
	m.feedback = nil
	_, gated := v.Flag(spec.RequiresHuman)
	m.saw("a router in a region that a person approves", v.kind == "router" && gated && p == nil)
	m.saw("a guard in a region passes", v.kind == "guard" && p == nil)
	m.saw("a guard in a region refuses", v.kind == "guard" && p != nil && p.messages != nil)
	switch {
	case p == nil && m.waits(v):
		return v, nil
	case p == nil:
		m.commit(v)
		m.afterFailed = false
		return v, nil
	case p.cancelled, p.waits:
		return nil, p
	}
	told := *p
	told.text = m.where(v) + " " + p.text
	told.permanent = p.permanent || p.messages != nil
	told.messages, told.line, told.denied, told.late = nil, 0, false, false
	if !v.FailSoft.V {
		return nil, &told
	}
	m.record(n, told.text, true)
	v.outcome = outcome{}
	if v.out != nil {
		v.outcome.out = zero(*v.out)
	}
	return v, nil
}

// A branch is one execution of a region beside others.
type branch struct {
	*region
	label string
	item  any // of a map
	start int
	model *model
	p     *problem
}

func (p *problem) isCancelled() bool { return p != nil && p.cancelled }

// fanOut runs the branches of a parallel or a map, and joins them.
func (m *model) fanOut(v *visit) *problem {
	list, p := m.branchesOf(v)
	if p != nil {
		return p
	}
	most := spec.DefaultMaxParallel
	if v.Prompt.MaxParallel.IsSet() {
		most = v.Prompt.MaxParallel.V
	}
	slots := slices.Repeat([]int{m.now}, most)
	for _, b := range list {
		at := slices.Index(slots, slices.Min(slots))
		b.start = slots[at]
		m.runBranch(v, b, m.deadline)
		if b.model.late() {
			b.p = cancelled
		}
		slots[at] = b.model.now
		if most < len(list) {
			slots[at] = m.released(v, *b)
			m.saw("a branch begins when another waits", b.start > m.now)
		}
	}
	var decided int
	decided, p = m.decide(v, list)
	m.see(v, list, decided, p)
	uncut := m.steps
	for _, b := range list {
		uncut += b.model.steps + b.model.kept
		if decided > 0 && (b.p.isCancelled() || b.p != nil && b.p.waits || b.model.now > decided) {
			m.runBranch(v, b, decided)
			b.p = cancelled // though it may not have been told
		}
	}
	for _, b := range list {
		m.absorb(b, p)
	}
	if most := m.maxSteps(); !m.forked && (m.steps+m.kept > most || p != nil && uncut > most) {
		if p != nil || m.kept > 0 {
			panic(unpredictable("a branch fails, or waits before a node, while others use the steps up"))
		}
		panic(usedUp{vague: true})
	}
	if !m.forked {
		m.kept = 0
	}
	if p != nil {
		return p
	}
	for _, b := range list {
		if b.p == nil {
			m.mergeBranch(v, b)
		}
	}
	return nil
}

// released is when a branch lets another one begin: at its end, or when it first waits. No answer that is given once all
// wait lets any begin.
func (m *model) released(v *visit, b branch) int {
	f := *m
	f.until, f.seen = m.now, map[string]bool{}
	f.runBranch(v, &b, m.deadline)
	return b.model.now
}

// late reports whether the run has been cancelled, though what ran was not told: a transform
// has no context.
func (m *model) late() bool { return m.deadline > 0 && m.now > m.deadline }

// see notes what happens to the branches of a node.
func (m *model) see(v *visit, list []*branch, decided int, p *problem) {
	join := cmp.Or(v.Join.V, "fail_fast")
	m.saw("a "+v.kind+" joined by "+join+" succeeds", p == nil && len(list) > 1)
	m.saw("a "+v.kind+" joined by "+join+" fails", p != nil && !p.cancelled && len(list) > 1)
	m.saw("a map of nothing", len(list) == 0)
	m.saw("a branch of a branch", m.forked && len(list) > 1)
	for _, b := range list {
		m.saw("a branch waits", b.start > m.now)
		m.saw("a branch does not begin", decided > 0 && b.start >= decided)
		m.saw("a branch is cut short", decided > 0 && b.start < decided && b.model.now > decided)
		m.saw("a branch fails and the node does not", p == nil && b.p != nil && !b.p.cancelled)
		m.saw("a branch keeps what a map's element wrote", v.kind == "map" && slices.ContainsFunc(b.model.log, func(w logged) bool { return w.to.merge == "" }))
	}
}

// saw notes that something has happened.
func (m *model) saw(what string, is bool) {
	if is {
		m.seen[what] = true
	}
}

// branchesOf are the branches of a node that are started, those of a map by its list.
func (m *model) branchesOf(v *visit) (out []*branch, p *problem) {
	if v.kind == "parallel" {
		for _, r := range v.regions {
			starts, p := true, (*problem)(nil)
			if r.start.IsSet() {
				starts, p = m.holds(v, &spec.Edge{If: r.start})
			}
			if p != nil {
				p.permanent = true
				m.saw("the condition of a branch fails", true)
				return nil, p
			}
			if starts {
				out = append(out, &branch{region: r, label: r.name})
			}
			m.saw("a branch is not started", !starts)
		}
		m.saw("no branch is started", len(out) == 0)
		return out, nil
	}
	switch list := m.state[v.Over.V].(type) {
	case []int:
		for i, x := range list {
			out = append(out, &branch{region: v.regions[0], label: strconv.Itoa(i), item: x})
		}
	case []string:
		for i, x := range list {
			out = append(out, &branch{region: v.regions[0], label: strconv.Itoa(i), item: x})
		}
	}
	return out, nil
}

// runBranch runs a branch on a model of its own, from a time on.
func (m *model) runBranch(v *visit, b *branch, deadline int) {
	f := *m
	f.branches = branches{forked: true, now: b.start, deadline: deadline}
	f.requests, f.branch = nil, m.branch+b.label+"/"
	if deadline > 0 {
		f.now = min(f.now, deadline) // it does not begin any more
	}
	f.state, f.visits, f.ran = maps.Clone(m.state), map[string]int{}, maps.Clone(m.ran)
	f.played, f.cache = maps.Clone(m.played), maps.Clone(m.cache)
	f.failures, f.pending, f.stuck = nil, nil, nil
	f.got, f.ways, f.dialogs = scriptdriver.Result{}, map[string]int{}, maps.Clone(m.dialogs)
	f.steps, f.retries, f.hits, f.skips, f.calls = 0, 0, 0, 0, 0
	f.asked, f.made, f.failed, f.repeated = 0, 0, 0, 0
	if v.kind == "map" {
		f.state[v.Item.V] = b.item
	}
	b.model = &f
	_, b.p = f.runRegion(v, b.region)
}

// decide finds out when a join is decided before all have come to their ends, if so, and
// whether it fails.
func (m *model) decide(v *visit, list []*branch) (at int, p *problem) {
	var failed, good []*branch
	waiting := false
	for _, b := range list {
		switch {
		case b.p.isCancelled():
		case b.p != nil && b.p.waits:
			waiting = true
		case b.p == nil:
			good = append(good, b)
		default:
			failed = append(failed, b)
		}
	}
	byTime := func(a, b *branch) int { return cmp.Compare(a.model.now, b.model.now) }
	over := len(failed)+len(good) == len(list)
	count := 1
	if v.Count.IsSet() {
		count = v.Count.V
	}
	switch join := cmp.Or(v.Join.V, "fail_fast"); {
	case len(list) == 0:
		return 0, nil
	case join == "fail_fast" && len(failed) > 0:
		first := slices.MinFunc(failed, byTime)
		return m.moment(list, first), first.p
	case join == "first" && len(good) >= count:
		slices.SortStableFunc(good, byTime)
		return m.moment(list, good[count-1]), nil
	case waiting:
		return 0, waits
	case !over:
		return 0, cancelled
	case join == "all" && len(failed) == 1:
		return 0, failed[0].p
	case join == "all" && len(failed) > 0, (join == "settled" || join == "first") && len(good) < count:
		return 0, shortOf(list, failed, len(good))
	}
	return 0, nil
}

// shortOf is the failure of a join for which too few branches have succeeded.
func shortOf(list, failed []*branch, good int) *problem {
	p := &problem{}
	var texts []string
	for _, b := range failed {
		texts = append(texts, counts.ReplaceAllString(b.p.text, "$2)"))
		p.transient, p.permanent = p.transient || b.p.transient, p.permanent || b.p.permanent
	}
	p.text = scriptdriver.Branches(good, len(list), texts)
	return p
}

// moment is when a branch decided a join. Where another comes to its end at the same time,
// nobody knows which is first.
func (m *model) moment(list []*branch, by *branch) int {
	if len(list) == 1 {
		return 0
	}
	if by.model.now == m.now {
		panic(unpredictable("a branch ends when others begin"))
	}
	for _, b := range list {
		if b != by && b.model.now == by.model.now && !b.p.isCancelled() {
			panic(unpredictable("two branches end at once"))
		}
	}
	return by.model.now
}

// absorb takes over what a branch has done, but not what it has written. Failures of
// branches of a node that does not fail are soft ones. A node that is cut off has no failure of its own
// that would hold them.
func (m *model) absorb(b *branch, joined *problem) {
	f := b.model
	if b.p != nil && b.p.waits {
		m.requests = append(m.requests, f.requests...)
	}
	m.now = max(m.now, f.now)
	m.got.Path = append(m.got.Path, f.got.Path...)
	m.got.Calls = append(m.got.Calls, f.got.Calls...)
	m.got.Nested = append(m.got.Nested, f.got.Nested...)
	m.countCalls(f)
	m.failures = append(m.failures, f.failures...)
	if b.p != nil && !b.p.cancelled && !b.p.waits && (joined == nil || joined.cancelled) { // it is not what the node fails with
		m.failures = append(m.failures, &failure{text: b.p.text, soft: joined == nil})
	}
	m.steps += f.steps
	m.kept += f.kept
	m.retries += f.retries
	m.hits += f.hits
	m.skips += f.skips
	m.calls += f.calls
	for way, times := range f.ways {
		m.ways[way] += times
	}
	for _, name := range f.got.Path {
		m.ran[name]++
	}
	for key, times := range f.played {
		m.played[key] = max(m.played[key], times)
	}
	if b.p == nil && joined == nil { // what others have cached depends on the schedule
		maps.Copy(m.cache, f.cache)
	}
}

// countCalls adds the calls of models and tools of another model.
func (m *model) countCalls(f *model) {
	m.got.Tools = append(m.got.Tools, f.got.Tools...)
	m.asked += f.asked
	m.made += f.made
	m.failed += f.failed
	m.repeated += f.repeated
}

// mergeBranch writes what a branch has written, in its order. What a map's branch has
// written without a merge rule is its own.
func (m *model) mergeBranch(v *visit, b *branch) {
	for _, w := range b.model.log {
		if v.kind == "map" && w.to.merge == "" {
			continue
		}
		m.write(w.written, w.add)
	}
}

// write merges a value into a field.
func (m *model) write(w written, add any) {
	m.state[w.to.name] = merge(w.to, w.elem, m.state[w.to.name], add)
	if m.forked {
		m.log = append(m.log, logged{w, add})
	}
}

// where is the head of an error of the node's.
func (m *model) where(v *visit) string {
	return fmt.Sprintf("node(%s step %d visit %d attempt %d line %d)", v.Name.V, v.step, m.ran[v.Name.V], v.attempt, v.Name.Pos.Line)
}
