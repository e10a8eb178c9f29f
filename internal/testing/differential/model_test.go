package differential

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/spec"
	"github.com/graphgen/graphgen/spec/cfg"
)

// A model is a run of a graph as SEMANTICS has it, by plain interpretation of the spec.
// It shares no code with the compiler and the kernel, except which nodes only people bound: it does one thing at a time, keeps
// everything, and optimizes nothing.
type model struct {
	s      *shapes
	script *scriptdriver.Script
	mode   scriptdriver.Mode

	state  map[string]any
	visits map[string]int
	ran    map[string]int    // how often nodes ran in the whole run
	pairs  map[[2]string]int // edges followed, by their ends
	ways   map[string]int
	cache  map[string]outcome
	played map[string]int
	calls  int

	cancelled, stopped bool
	overdrawn          bool     // the model may not judge what follows
	broke              string   // how the run ends because a budget is spent; empty: it does not
	unjudged           bool     // the run was cancelled before a model chose what follows
	halted             *problem // of a soft failure: a stop was requested while the node waited to be tried again

	failures    []*failure
	afterFailed bool       // the node before failed
	feedback    []string   // of guards, for the next execution
	stuck       *failure   // can no longer be cleared
	pending     []*failure // wait for a success
	detours     int

	agents
	branches
	asking
	overlay
	final                                 *problem        // the failure that ended the run, or that came last
	seen                                  map[string]bool // what happens in nodes that run others
	vague                                 bool            // what was done last depends on the schedule
	steps, retries, hits, skips, rejected int
	got                                   scriptdriver.Result
}

// A failure is a node's failure.
type failure struct {
	node          string
	step          int
	text          string
	soft, cleared bool
	problem       *problem
}

// A visit is the step that is under way.
type visit struct {
	*nodeShape
	step, number, attempt int
	outcome               outcome
	soft                  error // the failure of a fail_soft node
	cached, skipped       bool
	refused               bool // the guards' way was taken
	justRefused           bool // the attempt before was one of them
	declined              bool // the model says that the one way it was shown is not to be taken
	iterations            int  // of a loop
	told                  int  // mutations that it has asked for
}

// An outcome is what an execution gave.
type outcome struct {
	out   any // map[string]any by field name, or a plain value
	goto_ int
	label int
	asked []mutation.Change
	state map[string]any // what a handler that takes the state made of it
}

// A problem is an error of an execution.
type problem struct {
	text      string
	transient bool
	permanent bool     // trying again is pointless
	messages  []string // of guards that refused
	line      int      // of the condition that panicked
	cancelled bool     // others have decided that it is over
	stops     bool     // a stop was requested while the node waited to be tried again
	waits     bool     // an answer is not known yet
	denied    bool     // a person said no
	late      bool     // an answer was given after its deadline
	spent     bool     // a budget is
}

func (p *problem) Error() string { return p.text }

// expect returns what a run of the graph does.
func expect(s *shapes, script *scriptdriver.Script, mode scriptdriver.Mode) scriptdriver.Result {
	m := newModel(s, script, mode)
	reason, err := m.run()
	return m.result(reason, err)
}

func newModel(s *shapes, script *scriptdriver.Script, mode scriptdriver.Mode) *model {
	m := &model{
		s: s, script: script, mode: mode, state: map[string]any{}, visits: map[string]int{}, ran: map[string]int{},
		pairs: map[[2]string]int{}, ways: map[string]int{}, cache: map[string]outcome{}, played: map[string]int{},
		agents: agents{dialogs: map[string]*dialog{}, pure: map[pureCall]toolResult{}, threads: map[string]*left{},
			talks: talks{map[string]string{}, map[string]messages{}}},
		branches: branches{now: scriptdriver.Start}, overlay: newOverlay(), seen: map[string]bool{},
	}
	for _, f := range s.state.fields {
		m.state[f.name] = zero(f.shape)
		if v, ok := script.Input[f.name]; ok {
			m.state[f.name] = v
		}
	}
	return m
}

// run makes the steps. It returns why the run ended, and its error.
func (m *model) run() (reason, err string) {
	m.event("run_start")
	at := way{to: m.entry(), rule: "entry"}
	m.event("route  step 0 visit 0 to %s by entry", at.to)
	for {
		at.to = m.instead(at.to)
		to := at.to
		if to == spec.End {
			m.follow(at)
			reason, err = m.arrived("completed")
			if reason == "completed" {
				m.got.Ending = at.end
			}
			return reason, err
		}
		n := m.node(to)
		switch {
		case m.cancelled:
			return "stopped", fmt.Sprintf("run(stopped) cancelled(%s) true", to)
		case m.stopped:
			return "stopped", fmt.Sprintf("run(stopped) stop(%s)", to)
		case m.deadline > 0 && m.now >= m.deadline:
			panic(cutOff{})
		case m.steps >= m.maxSteps():
			return m.cutShort(usedUp{node: to})
		}
		var next way
		var failed *failure
		var short *usedUp
		if m.visits[n.Name.V] >= m.maxVisits(n) {
			next, failed = m.passOver(n)
		} else {
			m.follow(at)
			m.detours = 0
			m.between(m.interrupt(n, m.s.InterruptBefore, "before", m.ran[n.Name.V]+1))
			next, failed, short = m.visited(n)
			if failed == nil && short == nil && m.halted == nil && !m.stopsDry(n) {
				m.between(m.interrupt(n, m.s.InterruptAfter, "after", m.ran[n.Name.V]))
			}
		}
		if short != nil {
			return m.cutShort(*short)
		}
		if m.broke != "" {
			return "budget", "run(budget) " + m.broke
		}
		if failed != nil {
			if m.deadline > 0 && m.now >= m.deadline { // it failed while it was cancelled, which a transform is not told
				panic(cutOff{})
			}
			if m.cancelled {
				return "stopped", strings.TrimSpace(fmt.Sprintf("run(stopped) cancelled(%s) true %s", to, failed.text))
			}
			if failed.problem != nil && failed.problem.stops {
				return "stopped", "run(stopped) " + failed.problem.text
			}
			return "failed", "run(failed) " + failed.text
		}
		if m.halted != nil {
			return "stopped", "run(stopped) " + m.halted.text
		}
		if m.stopsDry(n) {
			return "stopped", ""
		}
		if next.ends != "" {
			return m.arrived(next.ends)
		}
		at = next
	}
}

// visited makes one step, or says that within it the run's steps are used up.
func (m *model) visited(n *nodeShape) (next way, failed *failure, short *usedUp) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case usedUp:
			short = &r
		default:
			panic(r)
		}
	}()
	next, failed = m.visit(n)
	return next, failed, nil
}

// cutShort ends a run whose steps are used up.
func (m *model) cutShort(short usedUp) (reason, err string) {
	m.final = nil // what failed before led on
	if short.vague {
		m.vague, m.steps = true, m.maxSteps()
	}
	if o := m.s.Limits.OnMaxSteps.V; o == "last" || o == "flag" {
		return "max_steps", ""
	}
	return "max_steps", fmt.Sprintf("run(max_steps) steps(%s %d)", short.node, m.maxSteps())
}

// entry is the first node: the graph says which, or the node itself.
func (m *model) entry() string {
	for _, n := range m.s.nodes {
		if n.has("entry") {
			return n.Name.V
		}
	}
	return m.s.Entry.V
}

// arrived ends a run that came to an end its author wired.
func (m *model) arrived(reason string) (string, string) {
	if m.stuck != nil && reason != "stopped" { // a dry run that stops is at no end
		m.final = m.stuck.problem
		return "failed", "run(failed) " + m.stuck.text
	}
	return reason, ""
}

func (m *model) maxSteps() int {
	if m.s.Limits.MaxSteps.IsSet() {
		return m.s.Limits.MaxSteps.V
	}
	return 50
}

func (m *model) maxVisits(n *nodeShape) int {
	switch {
	case n.MaxVisits.IsSet():
		return n.MaxVisits.V
	case m.s.Limits.MaxVisits.IsSet():
		return m.s.Limits.MaxVisits.V
	case m.s.attended[n.Name.V]:
		return cfg.NoLimit
	}
	return 25
}

func (m *model) node(name string) *nodeShape {
	if n := m.nodes[name]; n != nil {
		return n
	}
	return m.s.node(name)
}

// passOver goes round a node whose visits are used up.
func (m *model) passOver(n *nodeShape) (way, *failure) {
	m.detours++
	f := m.record(n, fmt.Sprintf("node(%s step %d visit %d attempt 0 line %d) visits(%d)",
		n.Name.V, m.steps, m.visits[n.Name.V], n.Name.Pos.Line, m.maxVisits(n)), false)
	m.event("node_error %s step %d visit %d: %s", n.Name.V, m.steps, m.visits[n.Name.V], f.text)
	m.feedback, m.final = nil, nil
	to, ok := m.errorTransition(n)
	if m.detours > len(m.s.nodes) {
		ok = false
	}
	if !ok {
		m.event("route %s step %d visit %d to end by error", n.Name.V, m.steps, m.visits[n.Name.V])
		return way{}, f
	}
	m.event("route %s step %d visit %d to %s by %s", n.Name.V, m.steps, m.visits[n.Name.V], m.instead(to.to), to.rule)
	m.settle(false, to)
	return to, nil
}

// errorTransition is the way of a failure that no edge takes.
func (m *model) errorTransition(n *nodeShape) (way, bool) {
	for _, t := range n.Transitions {
		if t.Key.V == "error" {
			return m.way(n.Name.V, t.To.V, "error"), true
		}
	}
	if e := m.s.OnError.V; e != "" && e != n.Name.V {
		return way{to: e, rule: "error"}, true
	}
	return way{}, false
}

// visit makes one step: it executes the node, commits, and chooses the next one.
func (m *model) visit(n *nodeShape) (way, *failure) {
	v := m.begin(n)
	m.event("node_start %s step %d visit %d", n.Name.V, v.step, v.number)
	next, p := m.work(v)
	over := m.overdrawn
	if soft, _ := v.soft.(*problem); soft != nil {
		over = over || soft.spent
	}
	if m.overdrawn = false; over {
		p = nil
		if next, over = m.budgetRoute(v); over {
			m.event("budget %s step %d visit %d", n.Name.V, v.step, v.number)
		}
		over = !over
	}
	told := ""
	if p != nil {
		var f *failure
		next, f = m.fail(v, p)
		m.tellMutations(v)
		if f != nil {
			if !p.stops && !p.spent {
				m.event("route %s step %d visit %d to end by error", n.Name.V, v.step, v.number)
			}
			return way{}, f
		}
	} else if v.soft == nil {
		told = fmt.Sprintf("node_end %s step %d visit %d", n.Name.V, v.step, v.number)
		if v.skipped {
			told += " skipped"
		}
		m.event("%s", told)
		m.tellMutations(v)
	}
	if over {
		m.breaks(v)
		return way{}, nil
	}
	if m.halted != nil {
		return next, nil
	}
	to := m.instead(next.to)
	if next.ends != "" {
		to = spec.End
	}
	if m.deadline > 0 && m.now >= m.deadline && to == spec.End && v.soft != nil { // as below, where another branch is why
		panic(cutOff{})
	}
	if m.cancelled && to == spec.End && (p != nil || v.soft != nil || m.unjudged) { // that may be why
		m.event("route %s step %d visit %d to end by error", n.Name.V, v.step, v.number)
		cut := &failure{}
		if p != nil || v.soft != nil {
			cut = m.failures[len(m.failures)-1]
		} else if !v.refused && !v.skipped {
			m.settle(true, next)
		}
		return way{}, cut
	}
	m.event("route %s step %d visit %d to %s by %s", n.Name.V, v.step, v.number, to, next.rule)
	if !v.refused {
		m.feedback = nil
	}
	switch {
	case m.stopsDry(n):
	case p != nil:
		m.settle(false, next)
	case v.refused:
		m.afterFailed = false
	case v.skipped:
		if len(m.pending) > 0 && m.stuck == nil {
			m.stuck = m.pending[len(m.pending)-1]
		}
		m.pending = nil
	case v.soft != nil:
		m.afterFailed = true
	default:
		m.settle(true, next)
	}
	return next, nil
}

// begin enters a node.
func (m *model) begin(n *nodeShape) *visit {
	m.visits[n.Name.V]++
	m.ran[n.Name.V]++
	m.steps++
	v := &visit{nodeShape: n, step: m.steps, number: m.visits[n.Name.V], attempt: 1}
	m.got.Path = append(m.got.Path, n.Name.V)
	return v
}

// settle clears the failures before a success, and a failure whose way leads to end.
func (m *model) settle(success bool, next way) {
	m.afterFailed = !success
	if !success && m.instead(next.to) != spec.End {
		return
	}
	for _, f := range m.pending {
		f.cleared = true
	}
	m.pending = nil
}

// fail records a node's failure and finds its way on; without one it is the run's.
func (m *model) fail(v *visit, p *problem) (way, *failure) {
	if p.cancelled {
		panic(cutOff{})
	}
	m.final = p
	line := v.Name.Pos.Line
	if p.line > 0 {
		line = p.line
	}
	f := m.record(v.nodeShape, fmt.Sprintf("node(%s step %d visit %d attempt %d line %d) %s", v.Name.V, v.step, v.number, v.attempt, line, p.text), false)
	f.problem = p
	if v.soft == nil { // else the step has told its end
		m.event("node_error %s step %d visit %d: %s", v.Name.V, v.step, v.number, f.text)
	}
	if p.spent {
		if w, ok := m.budgetRoute(v); ok {
			m.event("budget %s step %d visit %d", v.Name.V, v.step, v.number)
			return w, nil
		}
		m.breaks(v)
		return way{}, f
	}
	if v.has("critical") || p.stops {
		return way{}, f
	}
	for _, e := range m.leaving(v.Name.V, "error") {
		if m.open(e.edge, v.Name.V, e.To.V) {
			return m.take(v.Name.V, e.To.V, "error"), nil
		}
	}
	if to, ok := m.errorTransition(v.nodeShape); ok {
		return to, nil
	}
	return way{}, f
}

// overBudget is the problem of a node for which there is no call of a model left.
func (m *model) overBudget() *problem {
	most := m.s.Limits.MaxModelCalls
	if !most.IsSet() || m.asked < most.V {
		return nil
	}
	return &problem{text: fmt.Sprintf("budget(model calls %d)", most.V), permanent: true, spent: true}
}

// budgetRoute is where a node goes that finds a budget spent.
func (m *model) budgetRoute(v *visit) (way, bool) {
	if v.has("critical") {
		return way{}, false
	}
	for _, e := range m.leaving(v.Name.V, "budget") {
		if m.open(e.edge, v.Name.V, e.To.V) {
			m.saw("a budget edge", true)
			return m.take(v.Name.V, e.To.V, "budget"), true
		}
	}
	return way{}, false
}

// breaks ends the run at a node that finds a budget spent.
func (m *model) breaks(v *visit) {
	m.event("budget %s step %d visit %d", v.Name.V, v.step, v.number)
	m.broke = fmt.Sprintf("hook(budget %s) %s", v.Name.V, m.overBudget().text)
}

func (m *model) record(n *nodeShape, text string, soft bool) *failure {
	f := &failure{node: n.Name.V, step: m.steps, text: text, soft: soft}
	m.failures = append(m.failures, f)
	m.afterFailed = true
	if !soft {
		m.pending = append(m.pending, f)
	}
	return f
}

func (m *model) event(format string, args ...any) {
	if m.mode.Observed {
		m.got.Events = append(m.got.Events, fmt.Sprintf(format, args...))
	}
}

// result tells the run as the player does.
func (m *model) result(reason, err string) scriptdriver.Result {
	r := m.got
	r.Reason, r.Err, r.Steps = reason, err, m.steps
	r.State = m.dump(m.s.state.fields, m.state)
	output := m.state
	if err != "" { // a call that returns an error returns the zero output
		output = map[string]any{}
		for _, f := range m.s.state.fields {
			output[f.name] = zero(f.shape)
		}
	}
	r.Output = m.dump(m.s.pick(m.s.Output), output)
	if m.s.Limits.OnMaxSteps.V == "flag" {
		r.Output += fmt.Sprintf("flag=%t ", reason == "max_steps")
	}
	r.Counts = fmt.Sprintf("retries %d, cache hits %d, skips %d, rejected %d, models %d, tools %d failed %d repeated %d",
		m.retries, m.hits, m.skips, m.rejected, m.asked, m.made, m.failed, m.repeated)
	r.Path = numbered(r.Path)
	slices.Sort(r.Tools)
	slices.Sort(r.Rows)
	r.Events = scriptdriver.SortTools(r.Events)
	for _, f := range m.failures {
		r.Failures = append(r.Failures, fmt.Sprintf("%s soft=%t cleared=%t", f.text, f.soft, f.cleared))
	}
	for w, n := range m.ways {
		if n > 0 {
			r.Transitions = append(r.Transitions, fmt.Sprintf("%s ×%d", w, n))
		}
	}
	slices.Sort(r.Transitions)
	if m.mode.Observed {
		r.Events = append(r.Events, "run_end: "+err)
	}
	return r
}

// numbered gives the nodes of a path the numbers of their visits.
func numbered(path []string) []string {
	var out []string
	visits := map[string]int{}
	for _, name := range path {
		visits[name]++
		out = append(out, fmt.Sprintf("%s/%d", name, visits[name]))
	}
	return out
}

func (m *model) dump(fields []field, values map[string]any) string {
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "%s=%s ", f.name, scriptdriver.Text(values[f.name]))
	}
	return b.String()
}

// zero is the value of a type that nobody has set.
func zero(s shape) any {
	if s.optional {
		return nil
	}
	switch s.base {
	case "int", "enum":
		return 0
	case "float":
		return 0.0
	case "string":
		return ""
	case "bool":
		return false
	case "[]int":
		return []int{}
	case "[]string":
		return []string{}
	case "map[string]int":
		return map[string]int{}
	case "messages":
		return messages{}
	case "image":
		return ""
	case "[]audio":
		return []string{}
	}
	out := map[string]any{}
	for _, f := range s.fields {
		out[f.name] = zero(f.shape)
	}
	return out
}

// merge puts a value into what a state field has, by the field's rule.
func merge(f field, elem bool, have, add any) any {
	switch f.merge {
	case "append":
		return appended(have, add, elem, false)
	case "union":
		if h, ok := have.(map[string]int); ok {
			out := maps.Clone(h)
			maps.Copy(out, add.(map[string]int))
			return out
		}
		return appended(have, add, elem, true)
	case "sum":
		if h, ok := have.(float64); ok {
			return h + add.(float64)
		}
		return have.(int) + add.(int)
	case "custom":
		return 3*have.(int) + add.(int)
	case "max", "min":
		if have == nil || add == nil {
			return cmp.Or(have, add)
		}
		if greater(add, have) == (f.merge == "max") {
			return add
		}
		return have
	}
	return add
}

func greater(a, b any) bool {
	if s, ok := a.(string); ok {
		return s > b.(string)
	}
	return a.(int) > b.(int)
}

func appended(have, add any, elem, unique bool) any {
	if h, ok := have.(messages); ok {
		return slices.Concat(h, add.(messages))
	}
	if h, ok := have.([]int); ok {
		if elem {
			add = []int{add.(int)}
		}
		return joined(h, add.([]int), unique)
	}
	if elem {
		add = []string{add.(string)}
	}
	return joined(have.([]string), add.([]string), unique)
}

func joined[T comparable](have, add []T, unique bool) []T {
	out := slices.Clone(have)
	for _, x := range add {
		if !unique || !slices.Contains(out, x) {
			out = append(out, x)
		}
	}
	return out
}
