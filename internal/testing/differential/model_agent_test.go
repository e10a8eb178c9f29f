package differential

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/spec"
)

// An agents is what the models and tools of a run have done so far.
type agents struct {
	dialogs                map[string]*dialog // by node
	asked                  int                // calls of models
	made, failed, repeated int                // calls of tools
	pure                   map[pureCall]toolResult
	said                   int              // messages of models that later ones are shown
	left                   *left            // calls that a node has left, until one runs them
	ends                   *left            // with whose calls, or what they gave, the messages end
	threads                map[string]*left // calls that were run, by the node that has left them and is shown nothing else
	results                []any            // of the nodes so far, as a judge is shown them
	talks
}

// A pureCall is what is the same in calls of a pure tool that have the same result.
type pureCall struct {
	chat.ToolCall
	given string // what the tool reads of the state
}

// A dialog is what a node and its model are at.
type dialog struct {
	prompt  string
	looping bool            // the node has run tools and is to be entered again
	heard   []toolResult    // what the model is told of them
	calls   []chat.ToolCall // that the node leaves to others
	since   toolCount       // since the prompt was written
	before  int             // messages of models when it was written
	said    int             // more of them
	kept    int             // of these, those that later nodes are shown: what did not fit they are not
	added   int             // messages that the last answer is: one, or none where it says nothing
	mark    [2]int          // said and kept when the turn began
	turn    turn
}

// A toolCount counts calls of tools.
type toolCount struct{ calls, failures int }

// since is what tools have done since the prompt of a node was written.
func (m *model) since(v *visit) toolCount {
	if d := m.dialogs[v.Name.V]; v.asks && d != nil {
		return d.since
	}
	return toolCount{}
}

// A left is calls that a node leaves to others.
type left struct {
	by    string
	calls []chat.ToolCall
	said  int          // messages of models up to there, as the node is shown them
	given []toolResult // nil: they were not run
	turn  turn
}

// A toolResult is what a call of a tool gave, as a model is told it.
type toolResult struct {
	tool, text string
	fatal      *problem
	byCaller   bool // the caller of the machine reports that it failed
}

func (r toolResult) failed() bool { return r.text == "" }

func (r toolResult) String() string {
	if r.failed() {
		return r.tool + " failed"
	}
	return r.tool + " " + r.text
}

// ask makes a turn of a node that asks a model. It ends with an answer, or with calls of
// tools. What does not fit is asked for again.
func (m *model) ask(v *visit) *problem {
	d, p := m.enter(v)
	if p != nil {
		return p
	}
	heard := d.heard
	for repairs := repairs(v); ; repairs-- {
		if m.cancelled {
			return &problem{text: "interrupted"}
		}
		if p := m.overBudget(); p != nil {
			return p
		}
		m.event("model_start %s step %d visit %d", v.Name.V, v.step, v.number)
		e, text := m.call(v, v.Name.V, true, d.prompt+d.shownTo(v, heard))
		m.asked++
		p := m.ending(e, text, v.Name.V)
		answered := p == nil || p.messages != nil
		if answered {
			m.event("token %s step %d visit %d %s", v.Name.V, v.step, v.number, strings.TrimSpace(answerText(e, text)))
		}
		m.event("model_end %s step %d visit %d", v.Name.V, v.step, v.number)
		if !answered {
			return p
		}
		heard = nil
		d.said++
		answer := spoken(e, text)
		switch {
		case len(e.Calls) > 0 && len(v.tools) > 0 && !v.loops:
			d.calls = e.Calls
			d.kept++
			d.turn.add(answer)
			return nil
		case len(e.Calls) > 0 && !v.loops: // there are no tools
			m.made += len(e.Calls)
			m.failed += len(e.Calls)
		case len(e.Calls) > 0:
			results, p := m.callTools(v, v.nodeShape, e.Calls, &d.since)
			if p != nil {
				return p
			}
			d.looping, d.heard = true, results
			d.kept++
			d.turn.add(answer)
			d.turn.add(toolMessages(answer, results)...)
			return nil
		case fits(v, e):
			v.take(e)
			if d.added = 1; answerText(e, text) == "" {
				d.added = 0 // what says nothing is no message
			}
			d.said += d.added - 1
			d.kept += d.added
			if d.turn.answer = len(d.turn.kept); d.added > 0 {
				d.turn.add(answer)
			}
			return p
		}
		if repairs <= 0 {
			return &problem{text: "malformed"} // and what was said is forgotten
		}
		if answer.Text != "" {
			d.turn.unkept(chat.RoleAssistant, answer.Text)
		}
		d.turn.unkept(chat.RoleUser, scriptdriver.Repair)
	}
}

// enter begins a turn: the prompt is written when the node is entered, and not in its tool
// loop.
func (m *model) enter(v *visit) (*dialog, *problem) {
	d := m.dialogs[v.Name.V]
	var p *problem
	switch {
	case v.attempt > 1 && v.justRefused: // the model is told what the guards said
		d.kept -= d.added
		d.heard, d.mark = nil, [2]int{d.said, d.kept}
		d.turn.refuse(m.feedback)
	case v.attempt > 1 && !d.turn.failed:
		d.said, d.kept = d.mark[0], d.mark[1]
		d.turn.back()
	case d != nil && d.looping:
		d.mark = [2]int{d.said, d.kept}
		d.turn.marked()
	default:
		d, p = m.opened(v)
		m.dialogs[v.Name.V] = d
	}
	d.looping, d.calls = false, nil
	return d, p
}

// opened is a dialog that begins.
func (m *model) opened(v *visit) (*dialog, *problem) {
	d := &dialog{prompt: m.prompt(v), before: m.said}
	defer func() { d.turn.marked() }()
	thread := m.threads[v.Name.V]
	delete(m.threads, v.Name.V)
	switch {
	case thread != nil:
		d.before, d.heard = thread.said, thread.given
	case v.has("isolated_context"):
		d.before = 0
	case m.ends != nil && m.ends.by == v.Name.V && knows(v, m.ends.given):
		d.heard = m.ends.given
	}
	p := m.begun(v, &d.turn, len(d.heard) > 0)
	d.turn.failed = p != nil
	return d, p
}

// knows reports whether a node has the tools that gave something: else its model is told of
// them in words.
func knows(v *visit, given []toolResult) bool {
	return !slices.ContainsFunc(given, func(r toolResult) bool { return !slices.Contains(v.tools, r.tool) })
}

// prompt is what the model is shown: the instructions with the values of the fields, and
// the tools.
func (m *model) prompt(v *visit) string {
	text := m.filled(v.shown)
	if len(v.tools) > 0 {
		text += fmt.Sprintf(" tools %v", v.tools)
	}
	return text
}

// filled is a text with the values of the fields in place of their placeholders.
func (m *model) filled(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(p string) string {
		switch value := m.state[strings.Trim(p, "{}")].(type) {
		case nil:
			return ""
		case string:
			return value
		default:
			return jsonText(value)
		}
	})
}

func counted(title string, n int) string {
	if n == 0 {
		return ""
	}
	return title + strconv.Itoa(n)
}

func listed(title string, results []toolResult) string {
	if len(results) == 0 {
		return ""
	}
	var texts []string
	for _, r := range results {
		texts = append(texts, r.String())
	}
	return title + fmt.Sprintf("%q", texts)
}

func repairs(v *visit) int {
	if v.Prompt.Repair.IsSet() {
		return v.Prompt.Repair.V
	}
	return 1
}

func answerText(e scriptdriver.Entry, text string) string {
	if e.Kind == scriptdriver.Rejects {
		return `{"pass": false, "message": ` + strconv.Quote(text) + `}`
	}
	return e.Text
}

// fits reports whether an answer is of the node's output.
func fits(v *visit, e scriptdriver.Entry) bool {
	switch {
	case e.Kind == scriptdriver.Rejects:
		return true
	case v.kind == "prompt" && v.out.base == "string":
		return true
	case e.Text == scriptdriver.Prose:
		return false
	case v.kind == "router":
		return e.Goto >= 1 && e.Goto <= len(v.choices)
	case v.kind == "guard":
		return true
	}
	return valid(v.out, e.Out)
}

// valid reports whether every enum of an output has one of its values.
func valid(out *shape, values map[string]any) bool {
	return !slices.ContainsFunc(out.fields, func(f field) bool {
		n, ok := values[f.name].(int)
		return ok && f.base == "enum" && (n < 1 || n > len(f.values))
	})
}

// take makes an answer the outcome.
func (v *visit) take(e scriptdriver.Entry) {
	switch {
	case v.kind == "router":
		v.outcome.goto_ = e.Goto
	case v.kind == "guard":
	case v.out.base == "string":
		v.outcome.out = e.Text
	default:
		v.outcome.out = e.Out
	}
}

// waits reports whether the turn ended with calls of tools, so that there is no answer.
func (m *model) waits(v *visit) bool {
	d := m.dialogs[v.Name.V]
	return v.asks && !v.cached && !v.skipped && (d.looping || len(d.calls) > 0)
}

// turned is where a turn leads that ended with calls of tools: back to the node, or the
// ways of calls that are left to others. It commits nothing.
func (m *model) turned(v *visit) (way, bool) {
	if !v.asks || v.cached {
		return way{}, false
	}
	d := m.dialogs[v.Name.V]
	if d.looping {
		return m.way(v.Name.V, v.Name.V, "tool loop"), true
	}
	if v.has("no_history") { // others are not shown it
		return way{}, false
	}
	m.said += d.kept
	m.ends = nil
	if len(d.calls) == 0 {
		if m.left != nil && m.left.by == v.Name.V {
			m.left = nil
		}
		return way{}, false
	}
	m.left = &left{by: v.Name.V, calls: d.calls, said: d.before + d.said, turn: d.turn}
	m.ends = m.left
	for _, e := range m.leaving(v.Name.V, "tool_call") {
		named := len(e.Tools) == 0 || slices.ContainsFunc(d.calls, func(c chat.ToolCall) bool {
			return slices.ContainsFunc(e.Tools, func(tool spec.String) bool { return tool.V == c.Name })
		})
		if named && m.open(e.edge, v.Name.V, e.To.V) {
			return m.take(v.Name.V, e.To.V, "edge"), true
		}
	}
	panic("a turn that calls tools has no way on")
}

// runPending runs the calls that a node has left.
func (m *model) runPending(v *visit) *problem {
	l := m.left
	if l == nil {
		return nil
	}
	results, p := m.callTools(v, m.node(l.by), l.calls, &toolCount{})
	if p != nil {
		return p
	}
	l.given, m.left = results, nil
	m.ranCalls(l)
	if n := m.node(l.by); n.talk == "" && n.has("isolated_context") {
		m.threads[l.by] = l
	}
	return nil
}

// callTools runs the calls of one turn. What a pure tool has given before is not asked for
// again.
func (m *model) callTools(v *visit, by *nodeShape, calls []chat.ToolCall, since *toolCount) ([]toolResult, *problem) {
	if m.cancelled {
		return nil, &problem{text: "interrupted"}
	}
	free := m.unheld(by, calls)
	if slices.ContainsFunc(free, isFatal) {
		return nil, m.callFree(free)
	}
	turn, p := m.held(v, by, calls)
	if p != nil && p.cancelled { // while it waits, the others have been made
		_ = m.callFree(free)
	}
	if p != nil {
		return nil, p
	}
	var given, results []toolResult
	for i, c := range turn.calls {
		same := turn.same(i)
		key := pureCall{c, m.readBy(c.Name)}
		known, ok := m.pure[key]
		pure := m.isPure(c.Name)
		m.event("tool_start %s step %d visit %d %s", v.Name.V, v.step, v.number, c.Name+" "+c.Arguments)
		r, over := turn.ended[i]
		made, failed, repeated := m.made, m.failed, m.repeated
		switch {
		case over:
			m.endedByPerson(r)
		case pure && same >= 0:
			m.repeated++
			r = given[same]
		case ok:
			m.repeated++
			r = known
		default:
			m.made++
			if r = m.callTool(c); r.failed() {
				m.failed++
			}
		}
		since.calls += m.made - made + m.repeated - repeated
		since.failures += m.failed - failed
		if pure && !r.failed() {
			m.pure[key] = r
		}
		if p == nil {
			p = r.fatal
		}
		given = append(given, r)
		if c != calls[i] && !r.failed() {
			r.text = "A person changed the arguments of the call to " + c.Arguments + ". The result:\n" + r.text
		}
		results = append(results, r)
		m.event("tool_end %s step %d visit %d %s", v.Name.V, v.step, v.number, r)
	}
	return results, p
}

func (m *model) isPure(tool string) bool {
	for _, t := range m.s.Tools {
		if t.Name.V == tool {
			return t.Pure.V
		}
	}
	return false
}

// readBy is what a tool reads of the state.
func (m *model) readBy(tool string) string {
	for _, t := range m.s.Tools {
		if t.Name.V == tool {
			return m.dump(m.s.pick(t.Reads), m.state)
		}
	}
	return ""
}

// callTool calls a tool, which does what its argument says.
func (m *model) callTool(c chat.ToolCall) toolResult {
	r := toolResult{tool: c.Name}
	var args map[string]string
	if err := json.Unmarshal([]byte(c.Arguments), &args); err != nil {
		panic(err)
	}
	query, ok := args["query"]
	switch {
	case c.Name == "find":
		ok = len(args) == 0
	case c.Name != "look":
		ok = false
	}
	if !ok {
		return r
	}
	said := strings.TrimSpace(c.Name + " " + query)
	m.got.Tools = append(m.got.Tools, strings.TrimSpace(said+" "+m.readBy(c.Name)))
	switch kind, _, _ := strings.Cut(query, " "); kind {
	case scriptdriver.Fails, scriptdriver.Panics:
	case scriptdriver.Fatal:
		r.fatal = &problem{text: "fatal(" + said + ")"}
	default:
		r.text = "found " + query
	}
	return r
}

// noted keeps an output for those who judge edges.
func (m *model) noted(v *visit) {
	if v.out != nil {
		result := map[string]any{"node": v.Name.V, "result": nil} // what has no JSON is shown as null
		if v.out.base != "struct" || valid(v.out, v.outcome.out.(map[string]any)) {
			result["result"] = asJSON(*v.out, v.outcome.out)
		}
		m.results = append(m.results, result)
	}
}
