package differential

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen/differential/player"
)

// An agents is what the models and tools of a run have done so far.
type agents struct {
	dialogs                map[string]*dialog // by node
	asked                  int                // calls of models
	made, failed, repeated int                // calls of tools
	pure                   map[player.Call]toolResult
	waiting                []player.Call // of the last message, until a node runs them
	given                  []toolResult  // what they gave, until a model says something
	results                []any         // of the nodes so far, as a judge is shown them
}

// A dialog is what a node and its model are at.
type dialog struct {
	prompt  string
	looping bool          // the node has run tools and is to be entered again
	heard   []toolResult  // what the model is told of them
	calls   []player.Call // that the node leaves to others
	since   toolCount     // since the prompt was written
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

// A toolResult is what a call of a tool gave, as a model is told it.
type toolResult struct {
	tool, text string
	fatal      *problem
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
	d := m.enter(v)
	heard := d.heard
	for repairs := repairs(v); ; repairs-- {
		if m.cancelled {
			return &problem{text: "interrupted"}
		}
		e, text := m.call(v, v.Name.V, true, d.prompt+listed(" heard ", heard))
		m.asked++
		p := m.ending(e, text, v.Name.V)
		if p != nil && p.messages == nil {
			return p
		}
		m.event("token %s step %d visit %d %s", v.Name.V, v.step, v.number, strings.TrimSpace(answerText(e, text)))
		heard = nil
		switch {
		case len(e.Calls) > 0 && len(v.tools) > 0 && !v.loops:
			d.calls = e.Calls
			return nil
		case len(e.Calls) > 0:
			results, p := m.callTools(v, e.Calls, &d.since)
			if p != nil {
				return p
			}
			if v.loops {
				d.looping, d.heard = true, results
				return nil
			}
			heard = results
		case fits(v, e):
			v.take(e)
			return p
		}
		if repairs <= 0 {
			return &problem{text: "malformed"}
		}
	}
}

// enter begins a turn: the prompt is written when the node is entered, and not in its tool
// loop.
func (m *model) enter(v *visit) *dialog {
	d := m.dialogs[v.Name.V]
	switch {
	case v.refusals > 0:
		d.heard = nil // the model is told what the guards said instead
	case v.attempt > 1:
	case d != nil && d.looping:
	default:
		d = &dialog{prompt: m.prompt(v)}
		if !v.loops && !v.has("isolated_context") && knows(v, m.given) {
			d.heard = m.given
		}
		m.dialogs[v.Name.V] = d
	}
	d.looping, d.calls = false, nil
	return d
}

// knows reports whether a node has the tools that gave something: else its model is told of
// them in words.
func knows(v *visit, given []toolResult) bool {
	return !slices.ContainsFunc(given, func(r toolResult) bool { return !slices.Contains(v.tools, r.tool) })
}

// prompt is what the model is shown: the instructions with the values of the fields, and
// the tools.
func (m *model) prompt(v *visit) string {
	text := placeholder.ReplaceAllStringFunc(v.shown, func(p string) string {
		switch value := m.state[strings.Trim(p, "{}")].(type) {
		case nil:
			return ""
		case string:
			return value
		default:
			return jsonText(value)
		}
	})
	if len(v.tools) > 0 {
		text += fmt.Sprintf(" tools %v", v.tools)
	}
	return text
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

func answerText(e player.Entry, text string) string {
	if e.Kind == player.Rejects {
		return `{"pass": false, "message": ` + strconv.Quote(text) + `}`
	}
	return e.Text
}

// fits reports whether an answer is of the node's output.
func fits(v *visit, e player.Entry) bool {
	switch {
	case e.Kind == player.Rejects:
		return true
	case v.kind == "prompt" && v.out.base == "string":
		return true
	case e.Text == player.Prose:
		return false
	case v.kind == "router":
		return e.Goto >= 1 && e.Goto <= len(v.choices)
	case v.kind == "guard":
		return true
	}
	return !slices.ContainsFunc(v.out.fields, func(f field) bool {
		n, ok := e.Out[f.name].(int)
		return ok && f.base == "enum" && (n < 1 || n > len(f.values))
	})
}

// take makes an answer the outcome.
func (v *visit) take(e player.Entry) {
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
	return v.asks && !v.cached && (d.looping || len(d.calls) > 0)
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
	m.waiting, m.given = d.calls, nil
	if len(d.calls) == 0 {
		return way{}, false
	}
	for _, e := range m.leaving(v.Name.V, "tool_call") {
		if m.open(e.edge, v.Name.V, e.To.V) {
			return m.take(v.Name.V, e.To.V, "edge"), true
		}
	}
	panic("a turn that calls tools has no way on")
}

// runPending runs the calls of the last message.
func (m *model) runPending(v *visit) *problem {
	if len(m.waiting) == 0 {
		return nil
	}
	results, p := m.callTools(v, m.waiting, &toolCount{})
	if p == nil {
		m.waiting, m.given = nil, results
	}
	return p
}

// callTools runs the calls of one turn. What a pure tool has given before is not asked for
// again.
func (m *model) callTools(v *visit, calls []player.Call, since *toolCount) ([]toolResult, *problem) {
	var results []toolResult
	var p *problem
	for i, c := range calls {
		same := slices.Index(calls[:i], c)
		known, ok := m.pure[c]
		pure := m.isPure(c.Tool)
		m.event("tool_start %s step %d visit %d %s", v.Name.V, v.step, v.number, c.Tool+" "+c.Args)
		var r toolResult
		since.calls++
		switch {
		case pure && same >= 0:
			m.repeated++
			r = results[same]
		case ok:
			m.repeated++
			r = known
		default:
			m.made++
			if r = m.callTool(c); r.failed() {
				m.failed++
				since.failures++
			}
		}
		if pure && !r.failed() {
			m.pure[c] = r
		}
		if p == nil {
			p = r.fatal
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

// callTool calls a tool, which does what its argument says.
func (m *model) callTool(c player.Call) toolResult {
	r := toolResult{tool: c.Tool}
	var args map[string]string
	if err := json.Unmarshal([]byte(c.Args), &args); err != nil {
		panic(err)
	}
	query, ok := args["query"]
	switch {
	case c.Tool == "find":
		ok = len(args) == 0
	case c.Tool != "look":
		ok = false
	}
	if !ok {
		return r
	}
	said := strings.TrimSpace(c.Tool + " " + query)
	m.got.Tools = append(m.got.Tools, said)
	switch kind, _, _ := strings.Cut(query, " "); kind {
	case player.Fails, player.Panics:
	case player.Fatal:
		r.fatal = &problem{text: "fatal(" + said + ")"}
	default:
		r.text = "found " + query
	}
	return r
}

// noted keeps an output for those who judge edges.
func (m *model) noted(v *visit) {
	if v.out != nil {
		m.results = append(m.results, map[string]any{"node": v.Name.V, "result": asJSON(*v.out, v.outcome.out)})
	}
}
