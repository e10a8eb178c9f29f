package differential

import (
	"cmp"
	"fmt"
	"maps"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/spec"
)

// work is a step without its failure: skipping, execution, commit, the choice of the way.
func (m *model) work(v *visit) (way, *problem) {
	if v.has("skip_on_error") && m.afterFailed {
		m.skips++
		v.skipped = true
		return m.skippedRoute(v)
	}
	p := m.gate(v)
	if p == nil {
		p = m.execute(v)
	}
	m.pausedAt(p)
	if p != nil {
		if to, ok := m.withheldRoute(v, p); ok {
			v.refused, m.feedback = true, nil // that of guards is for the next step alone
			return to, nil
		}
	}
	if p != nil && p.messages != nil {
		if to, ok := m.refusedRoute(v); ok {
			m.feedback = p.messages
			v.refused = true
			return to, nil
		}
	}
	switch {
	case p != nil && p.cancelled && !v.FailSoft.V:
		panic(cutOff{})
	case p != nil && v.FailSoft.V:
		f := m.record(v.nodeShape, fmt.Sprintf("node(%s step %d visit %d attempt %d line %d) %s", v.Name.V, v.step, v.number,
			v.attempt, v.Name.Pos.Line, p.text), true)
		m.event("node_error %s step %d visit %d: %s", v.Name.V, v.step, v.number, f.text)
		v.soft = p
		if p.stops {
			m.halted = p
			return way{}, nil
		}
		v.outcome = outcome{}
		if v.out != nil {
			v.outcome.out = zero(*v.out)
		}
		if p.spent { // a budget edge is all that may lead on
			return way{}, nil
		}
	case p != nil:
		return way{}, p
	default:
		if w, ok := m.turned(v); ok {
			return w, nil
		}
		m.commit(v)
		m.talked(v)
		m.noted(v)
		if w, ok := m.mutate(v); ok {
			return w, nil
		}
	}
	return m.route(v)
}

func (m *model) commit(v *visit) {
	if v.outcome.state != nil {
		m.state = v.outcome.state
	}
	for _, o := range v.Out {
		f := *m.s.state.field(o.Name.V)
		m.write(written{to: f}, v.outcome.out.(map[string]any)[f.name])
	}
	for _, w := range v.writes {
		add := v.outcome.out
		if !w.whole {
			add = add.(map[string]any)[w.from]
		}
		m.write(w, add)
	}
}

// execute executes the node until it succeeds or may not be tried again.
func (m *model) execute(v *visit) *problem {
	key := v.Name.V + " " + m.dump(v.in, m.state)
	if v.has("cacheable") {
		if kept, ok := m.cache[key]; ok {
			m.hits++
			v.cached, v.outcome = true, kept
			m.event("cache_hit %s step %d visit %d", v.Name.V, v.step, v.number)
			return nil
		}
	}
	tries, guardRetries := 1, v.GuardRetries.V
	before := m.snapshot()
	for {
		p := m.attempt(v)
		if p != nil && p.waits {
			return p
		}
		if p != nil && m.late() {
			return cancelled
		}
		v.justRefused = p != nil && p.messages != nil
		switch {
		case p == nil:
			if v.has("cacheable") {
				m.cache[key] = v.outcome
			}
			return nil
		case p.messages != nil:
			if guardRetries == 0 || m.cancelled || m.guardWayOpen(v) {
				return p
			}
			guardRetries--
			m.feedback = p.messages
		case tries >= attempts(v.nodeShape) || m.cancelled || p.cancelled || p.permanent || !p.transient && !retriesAny(v.nodeShape):
			return p
		default:
			tries++
			m.restore(before)
		}
		m.retries++
		m.event("retry %s step %d visit %d attempt %d: %s", v.Name.V, v.step, v.number, v.attempt, p.text)
		if m.stopped && p.messages == nil {
			return &problem{text: fmt.Sprintf("stop(%s)", v.Name.V), stops: true}
		}
		v.attempt++
	}
}

func attempts(n *nodeShape) int {
	f, ok := n.Flag(spec.Retryable)
	switch {
	case !ok:
		return 1
	case f.Retry == nil || !f.Retry.Attempts.IsSet():
		return 3
	}
	return f.Retry.Attempts.V
}

func retriesAny(n *nodeShape) bool {
	f, ok := n.Flag(spec.Retryable)
	return ok && f.Retry != nil && f.Retry.On.V == "any"
}

// attempt executes the node once, and then the guards of its output.
func (m *model) attempt(v *visit) *problem {
	v.outcome = outcome{}
	work := m.handle
	switch {
	case v.asks:
		work = m.ask
	case v.kind == "human":
		work = m.person
	case v.kind == "tool" && v.Tool.IsSet():
		work = m.byCaller
	case v.kind == "tool":
		work = m.runPending
	case v.composite():
		work = m.compose
	case v.kind == "subgraph":
		work = m.runInner
	case v.kind == "pass":
		work = func(*visit) *problem { return nil }
	case v.kind == "set":
		work = m.set
	case v.kind == "say":
		work = m.say
	}
	if p := work(v); p != nil || m.waits(v) {
		return p
	}
	if p := m.invalidChoice(v); p != nil {
		return p
	}
	return m.guards(v)
}

// say sends the message of a node: its text with the values of fields, and its payload as JSON.
func (m *model) say(v *visit) *problem {
	var payload []string
	for _, a := range v.Payload {
		if value := m.state[a.Field.V]; value != nil {
			payload = append(payload, strconv.Quote(a.Name.V)+":"+jsonText(value))
		}
	}
	data := ""
	if len(v.Payload) > 0 {
		data = "{" + strings.Join(payload, ",") + "}"
	}
	m.event("say %s step %d visit %d: %s %s", v.Name.V, v.step, v.number, strings.TrimSpace(m.filled(v.Say.V)), data)
	return nil
}

// set finds the values that a node of kind set writes. All see the state as it was before the node.
func (m *model) set(v *visit) (p *problem) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case badCondition:
			panic(r)
		default:
			p = &problem{text: "panic", permanent: true}
		}
	}()
	env := &environment{enums: m.s.enums, state: named(m.s.state, m.state)}
	out := map[string]any{}
	for _, a := range v.Set {
		out[a.Name.V] = env.value(a.Field.V)
	}
	v.outcome.out = out
	return nil
}

// handle executes the handler of a node.
func (m *model) handle(v *visit) *problem {
	given := ""
	switch {
	case v.reads:
		given = m.dump(v.in, m.state)
	case v.takesState:
		given = m.dump(m.s.state.fields, m.state)
	}
	name := cmp.Or(v.plays, v.Name.V)
	e, text := m.call(v, name, v.kind != "transform", given)
	v.outcome = outcome{goto_: e.Goto, label: e.Label, asked: e.Mutate}
	if v.takesState && !v.byValue {
		v.outcome.state = maps.Clone(m.state)
		maps.Copy(v.outcome.state, e.Set)
	}
	if v.out != nil {
		v.outcome.out = e.Out[""]
		if v.out.base == "struct" {
			filled := zero(*v.out).(map[string]any)
			maps.Copy(filled, e.Out)
			v.outcome.out = filled
		}
	}
	return m.ending(e, text, name)
}

// call plays the next entry of a handler, a guard or a model.
func (m *model) call(v *visit, name string, context bool, given string) (scriptdriver.Entry, string) {
	m.calls++
	if m.calls == m.script.Break {
		m.cancelled = m.cancelled || m.mode.Cancelled
		m.stopped = m.stopped || m.mode.Stopped
	}
	list := m.script.Nodes[name]
	key := name + m.elements(v.nodeShape)
	n := m.played[key]
	told := ""
	if m.script.Schedule > 0 {
		if m.deadline > 0 && m.now >= m.deadline {
			return scriptdriver.Entry{Kind: scriptdriver.Cancelled}, ""
		}
		told = scriptdriver.At(m.now)
		if !m.mode.AtOnce {
			m.now += scriptdriver.Takes(m.script.Schedule, key, n)
			if m.now == m.deadline { // what follows it may begin before others are told to end
				panic(unpredictable("an execution ends when it is cut short"))
			}
		}
	}
	m.played[key]++
	if asks := m.mode.Asks; context && asks > 0 && m.calls%asks == 0 {
		told += fmt.Sprintf("step %d visit %d attempt %d ", v.step, v.number, v.attempt)
		isolated := v.has("isolated_context") && name == v.Name.V && !v.asks
		if m.afterFailed && !isolated {
			f := m.failures[len(m.failures)-1]
			told += fmt.Sprintf("after %s@%d ", f.node, f.step)
		}
		if len(m.feedback) > 0 && !isolated {
			told += fmt.Sprintf("feedback %v ", m.feedback)
		}
	}
	m.got.Calls = append(m.got.Calls, key+" "+told+given)
	if context && m.deadline > 0 && m.now > m.deadline {
		m.now = m.deadline
		return scriptdriver.Entry{Kind: scriptdriver.Cancelled}, ""
	}
	e, text := list[scriptdriver.Turn(name, key, n, len(list))], fmt.Sprintf("%s#%d", key, n+1)
	if v.Transaction.V && name == v.Name.V && m.mode.Death != "" && m.ending(e, text, name) == nil {
		m.got.Rows = append(m.got.Rows, key)
	}
	return e, text
}

// ending is how an execution ends.
func (m *model) ending(e scriptdriver.Entry, text, guard string) *problem {
	switch e.Kind {
	case scriptdriver.Fails:
		return &problem{text: "error(" + text + ")"}
	case scriptdriver.Transient:
		return &problem{text: "transient(" + text + ")", transient: true}
	case scriptdriver.Panics:
		return &problem{text: "panic(" + text + ")", permanent: true}
	case scriptdriver.Rejects:
		return &problem{text: fmt.Sprintf("guards[{%s %s}]", guard, text), messages: []string{text}}
	case scriptdriver.Cancelled:
		return cancelled
	case scriptdriver.Waits:
		if m.cancelled {
			return &problem{text: "error(" + text + ")"}
		}
		return &problem{text: "timeout(node)", transient: true}
	}
	return nil
}

// invalidChoice checks what the handler chose.
func (m *model) invalidChoice(v *visit) *problem {
	wrong := func(what string, value, low, high int) *problem {
		if value >= low && value <= high {
			return nil
		}
		return &problem{text: fmt.Sprintf("choice(%s %d)", what, value), permanent: true}
	}
	what, low := "goto", 0
	if v.kind == "router" {
		what, low = "route", 1
	}
	if len(v.choices) > 0 {
		if p := wrong(what, v.outcome.goto_, low, len(v.choices)); p != nil {
			return p
		}
	}
	if len(v.labels) > 0 {
		if p := wrong("branch label", v.outcome.label, 1, len(v.labels)); p != nil {
			return p
		}
	}
	if by := v.by; by != nil && !by.optional && !v.mayGiveNothing() {
		what := by.name
		if what == "" {
			what = "output"
		}
		if p := wrong(what, v.classOf(v.outcome.out), 1, len(by.values)); p != nil {
			return p
		}
	}
	for _, f := range v.routeFields() {
		value := v.outcome.out.(map[string]any)[f.name]
		if f.base == "enum" && !f.optional {
			return wrong(f.name, value.(int), 1, len(f.values))
		}
		if present(f, value) {
			return nil
		}
	}
	return nil
}

// guards asks every guard of the output that is a method, and, if they accept it, a model for each of the others.
func (m *model) guards(v *visit) *problem {
	var methods, judged []spec.Guard
	for _, g := range v.Guards {
		if g.Judge.IsSet() {
			judged = append(judged, g)
		} else {
			methods = append(methods, g)
		}
	}
	p := m.byMethods(v, methods)
	for i := 0; i < len(judged) && p == nil; i++ {
		p = m.byModel(v, judged[i])
	}
	return p
}

// byModel has a model judge the output.
func (m *model) byModel(v *visit, g spec.Guard) *problem {
	if p := unset(*v.out, v.outcome.out); p != nil {
		return p
	}
	if m.cancelled {
		return &problem{text: "interrupted"}
	}
	if p := m.overBudget(); p != nil {
		return p
	}
	given := g.Judge.V + "\n\n"
	for _, f := range m.s.pick(g.Reads) {
		if value := m.state[f.name]; value != nil {
			given += fenced(f.name, f.shape, value, brief)
		}
	}
	value := asJSON(*v.out, v.outcome.out)
	if fields, is := value.(map[string]any); is && v.out.base == "struct" { // JSON has no fields that are absent
		maps.DeleteFunc(fields, func(_ string, value any) bool { return value == nil })
	}
	output := jsonText(value)
	if v.out.base == "string" {
		output = v.outcome.out.(string)
	}
	m.event("model_start %s step %d visit %d", v.Name.V, v.step, v.number)
	e, text := m.call(v, g.Name.V, true, given+scriptdriver.Canonical([]byte(strings.Trim(output, "`\n"))))
	m.asked++
	p := m.ending(e, text, g.Name.V)
	m.event("model_end %s step %d visit %d", v.Name.V, v.step, v.number)
	return p
}

// unset is the problem of an output that has no JSON, which no model can judge: an enum of it has no value.
func unset(out shape, value any) *problem {
	for _, f := range out.fields {
		if n, is := value.(map[string]any)[f.name].(int); is && f.base == "enum" && (n < 1 || n > len(f.values)) {
			if n != 0 {
				panic(unpredictable("an enum has a value that there is not"))
			}
			return &problem{text: fmt.Sprintf("*codec.Error(%s: %s is not set)", f.name, f.golang())}
		}
	}
	return nil
}

func (m *model) byMethods(v *visit, guards []spec.Guard) *problem {
	var refused *problem
	var failed *problem
	for _, g := range guards {
		given := ""
		if out := v.out; out.base == "struct" {
			given = m.dump(out.fields, v.outcome.out.(map[string]any))
		} else {
			given = "=" + scriptdriver.Text(v.outcome.out) + " "
		}
		e, text := m.call(v, g.Name.V, true, m.dump(m.s.pick(g.Reads), m.state)+given)
		p := m.ending(e, text, g.Name.V)
		switch {
		case p == nil:
		case e.Kind == scriptdriver.Panics, p.cancelled: // what the guards before it found decides nothing
			return p
		case p.messages == nil:
			if failed == nil {
				failed = p
			}
		case refused == nil:
			refused = p
		default:
			refused.messages = append(refused.messages, p.messages...)
			refused.text = fmt.Sprintf("guards[{%s %s} {%s %s}]", guards[0].Name.V, refused.messages[0], g.Name.V, text)
		}
	}
	if failed != nil {
		return failed
	}
	return refused
}
