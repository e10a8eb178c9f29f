package differential

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/testing/scriptdriver"
	"github.com/graphgen/graphgen/spec"
)

// A model has no pauses in the middle of a run. It is run from the start, with the answers that are known and the moments
// at which they were given; what has no answer yet waits. Where the whole run waits, that is a pause: its first request is
// answered a moment later, and the run is run again from the start.

// waits is the end of what has no answer yet.
var waits = &problem{text: "waits", waits: true, permanent: true}

// hasPaused unwinds a run that waits.
type hasPaused struct{}

// A given is an answer, the moment at which the call began that gives it, and the moment at which the run goes on with it: before,
// another answer may have resumed the run.
type given struct {
	scriptdriver.Entry
	called, at int
}

// asking is what a run asks people. Branches have their own.
type asking struct {
	answers  map[string]given
	until    int       // the moment up to which answers are known; 0: all are
	requests []request // that wait for an answer
	branch   string    // names of the branches around, with slashes behind
	path     []string  // nodes around that run other graphs, with their visits
}

// A request is one that waits.
type request struct {
	graphgen.Request
	own           string // the part of the ID that is of its node
	since, within int    // when it was asked, and the ticks that an answer has; 0: any
}

// playOut runs a graph with its pauses to the end of the run. pairs has what was answered at each pause, if two requests were at
// some. It returns the model of the last pass. It is not ok where what is done depends on the schedule, and after mostPauses pauses: each pass begins
// anew, so that a run with thousands of them would take hours.
func playOut(s *shapes, script *scriptdriver.Script, mode scriptdriver.Mode, pairs []string) (m *model, r scriptdriver.Result, ok bool) {
	answers := map[string]given{}
	seen := map[string]bool{}
	var pauses []string
	var other *pairedAnswer
	for {
		m = newModel(s, script, mode)
		m.answers, m.seen = answers, seen
		reason, err, paused, known := m.runKnown()
		if !known {
			return m, r, false
		}
		open := slices.IndexFunc(m.requests, func(q request) bool { return other != nil && q.ID == other.id })
		r = m.result(reason, err)
		r.Pauses = pauses
		switch {
		case other != nil && (open >= 0) != other.accepted:
			r.Pauses = append(pauses, fmt.Sprintf("%s is open: %t", other.id, open >= 0))
			return m, r, true
		case !paused:
			return m, r, true
		}
		pauses = append(pauses, m.text())
		if len(pauses) > mostPauses {
			return m, r, false
		}
		if open >= 0 {
			other.given.at = max(m.now, other.given.at)
			answers[other.id], other = other.given, nil
			continue
		}
		if other, ok = m.answerNext(&pairs); !ok {
			r.Pauses = append(pauses, "a request that is answered is not open")
			return m, r, true
		}
	}
}

// mostPauses is how many pauses of a run the model follows. Of a hundred graphs one has a pool whose model calls tools of its caller in each turn.
const mostPauses = 100

// A pairedAnswer is one that is given concurrently with another.
type pairedAnswer struct {
	id       string
	accepted bool // though the other one was before
	given    given
}

// runKnown runs the graph with the answers that are known.
func (m *model) runKnown() (reason, err string, paused, known bool) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case unpredictable:
			known = false
		case hasPaused:
			paused, known = true, true
		default:
			panic(p)
		}
	}()
	reason, err = m.run()
	return reason, err, false, true
}

// unanswered lists the requests of a pause.
func (m *model) unanswered() (list []graphgen.Request) {
	for _, q := range m.requests {
		list = append(list, q.Request)
	}
	return list
}

// text is that of a pause.
func (m *model) text() string { return scriptdriver.PauseText(m.now, m.unanswered()) }

// answerNext answers a request of a pause: the one that is first in what was answered, or without that, the script's. It returns
// the answer to another one that is given concurrently; not ok where
// a request is not open.
func (m *model) answerNext(pairs *[]string) (other *pairedAnswer, ok bool) {
	m.saw("a pause with several requests", len(m.requests) > 1)
	list := []request{m.requests[scriptdriver.FirstAnswered(m.script, m.unanswered())]}
	if len(*pairs) > 0 {
		words := strings.Fields((*pairs)[0])
		*pairs = (*pairs)[1:]
		list = slices.DeleteFunc(slices.Clone(m.requests), func(q request) bool { return !slices.Contains(words, q.ID) })
		if len(list) != (len(words)+1)/2 {
			return nil, false
		}
		if list[0].ID != words[0] {
			slices.Reverse(list)
		}
		if len(words) > 1 {
			other = &pairedAnswer{id: words[2], accepted: words[1] == "then"}
		}
	}
	at := m.now + 1
	for _, q := range list {
		if scriptdriver.AnswerTo(m.script, q.Request).Kind == scriptdriver.Late && q.within > 0 {
			at = max(at, q.since+q.within+1)
		}
	}
	m.answers[list[0].ID] = given{scriptdriver.AnswerTo(m.script, list[0].Request), at, at}
	if other != nil {
		other.given = given{scriptdriver.AnswerTo(m.script, list[1].Request), at, at}
	}
	return other, true
}

// answerTo waits for the answer to a request, and returns it. It is late where it was given after the deadline.
func (m *model) answerTo(q request) (a given, late bool, p *problem) {
	q.since = m.now
	a, ok := m.answers[q.ID]
	if !ok || m.until > 0 && a.at > m.until {
		if m.deadline > 0 && m.until == 0 {
			m.now = max(m.now, m.deadline)
			m.saw("a request is withdrawn", true)
			return a, false, cancelled
		}
		m.requests = append(m.requests, q)
		return a, false, waits
	}
	if m.deadline > 0 && a.at >= m.deadline {
		m.now = max(m.now, m.deadline)
		return a, false, cancelled
	}
	m.now = a.at
	m.saw("a request in a branch", m.branch != "")
	m.saw("a request in a branch of a branch", strings.Count(m.branch, "/") > 1)
	m.saw("a request of a run within", len(m.path) > 0)
	m.saw("a request of a run within a branch", len(m.path) > 0 && m.branch != "")
	return a, q.within > 0 && a.called > q.since+q.within, nil
}

// requestOf is a request of a node, in its visit of that number.
func (m *model) requestOf(n *nodeShape, kind string, visit, attempt int, suffix string) request {
	id := n.Name.V + "." + strconv.Itoa(visit)
	if attempt > 1 {
		id += "." + strconv.Itoa(attempt)
	}
	within := make([]string, len(m.path))
	for i, part := range m.path {
		within[i], _, _ = strings.Cut(part, ".")
	}
	return request{own: id, Request: graphgen.Request{
		ID: m.branch + strings.Join(append(slices.Clone(m.path), id), "/") + suffix, Kind: graphgen.RequestKind(kind), Within: strings.Join(within, "/"),
		Where: graphgen.Where{Node: n.Name.V, Branch: strings.TrimSuffix(m.branch, "/"), Visit: visit},
	}}
}

// ticks is the time that an answer has, in ticks.
func ticks(v spec.Value[time.Duration]) int { return int(v.V.Microseconds()) }

// verdict makes a decision of an answer: nil is a yes.
func (m *model) verdict(a given, late bool) *problem {
	m.saw("a late answer", late)
	switch {
	case late:
		return &problem{text: "late", late: true}
	case a.Kind == scriptdriver.Denies:
		m.saw("a no", true)
		return &problem{text: "denied", denied: true}
	}
	return nil
}

// person executes a human node.
func (m *model) person(v *visit) *problem {
	kind := "decision"
	if v.out != nil {
		kind = "reply"
	}
	q := m.requestOf(v.nodeShape, kind, m.ran[v.Name.V], 0, "")
	q.Question, q.within = strings.TrimSpace("go by"+strings.TrimPrefix(m.filled(v.shown), "go by")), ticks(v.Timeout)
	q.Question = v.Name.V + ": " + q.Question
	q.Shown = m.shownTo(v)
	a, late, p := m.answerTo(q)
	if p != nil {
		return p
	}
	if kind == "reply" {
		m.saw("a reply", true)
		if late {
			m.saw("a late answer", true)
			return &problem{text: "late", late: true}
		}
		v.outcome.out = a.Out
		return nil
	}
	m.saw("a decision", true)
	return m.verdict(a, late)
}

// gate has a person approve a node with the flag requires_human, before it runs.
func (m *model) gate(v *visit) *problem {
	f, ok := v.Flag(spec.RequiresHuman)
	if !ok || f.Approval == nil || m.dialogs[v.Name.V] != nil && m.dialogs[v.Name.V].looping {
		return nil
	}
	q := m.requestOf(v.nodeShape, "decision", m.ran[v.Name.V], 0, "")
	q.Question, q.within = f.Approval.Question.V, ticks(f.Approval.Timeout)
	a, late, p := m.answerTo(q)
	if p != nil {
		return p
	}
	m.saw("a person approves a node", true)
	return m.verdict(a, late)
}

// shownTo is what a person is shown: the fields that the node reads, but for those that are in the question.
func (m *model) shownTo(v *visit) (shown []graphgen.Shown) {
	for _, f := range m.s.pick(v.Reads) {
		switch value := m.state[f.name].(type) {
		case nil:
		case string:
			shown = append(shown, graphgen.Shown{Name: f.name, Text: value})
		default:
			shown = append(shown, graphgen.Shown{Name: f.name, Text: jsonText(value), JSON: strings.Contains(f.base, "]")})
		}
	}
	return slices.DeleteFunc(shown, func(s graphgen.Shown) bool { return strings.Contains(v.shown, "{{"+s.Name+"}}") })
}

// withheldRoute is where a no, or a late answer, leads, if the node names that.
func (m *model) withheldRoute(v *visit, p *problem) (way, bool) {
	switch {
	case p.denied && v.OnDeny.IsSet():
		m.saw("a no takes its transition", true)
		return m.way(v.Name.V, v.OnDeny.V, "human"), true
	case p.late && v.OnTimeout.IsSet():
		m.saw("a late answer takes its transition", true)
		return m.way(v.Name.V, v.OnTimeout.V, "human"), true
	}
	return way{}, false
}

// pausedAt ends the pass where the run waits.
func (m *model) pausedAt(p *problem) {
	if p != nil && p.waits {
		panic(hasPaused{})
	}
}

// between ends the run where an interrupt between two steps is withdrawn: the next step has not begun.
func (m *model) between(p *problem) {
	m.pausedAt(p)
	if p != nil {
		panic(cutOff{})
	}
}

// interrupt waits before or behind a visit of a node where the graph says so.
func (m *model) interrupt(n *nodeShape, list []spec.String, side string, visit int) *problem {
	if !slices.ContainsFunc(list, func(name spec.String) bool { return name.V == n.Name.V }) {
		return nil
	}
	q := m.requestOf(n, "interrupt", visit, 0, "."+side)
	q.Question = "The run has paused " + side + " " + n.Name.V + ". Shall it continue?"
	_, _, p := m.answerTo(q)
	place := map[string]string{"before": "an interrupt before a node", "after": "an interrupt behind a node"}[side]
	m.saw(place, p == nil)
	return p
}

// A judgedTurn is the calls of a turn when their requests have answers.
type judgedTurn struct {
	calls  []chat.ToolCall    // as they are made
	ended  map[int]toolResult // how those have ended that are not
	repeat map[int]int        // which call of the turn one repeats for which no person was asked
}

// same is the call of the turn that answers one of a pure tool, -1 if none does. What a person changed may be the same
// as another call that was made.
func (t *judgedTurn) same(i int) int {
	if same, ok := t.repeat[i]; ok {
		return same
	}
	for same, c := range t.calls[:i] {
		if _, ended := t.ended[same]; c == t.calls[i] && !ended {
			return same
		}
	}
	return -1
}

// held waits for the answers to the requests of a turn, one for each call that a person approves or the caller runs.
func (m *model) held(v *visit, by *nodeShape, calls []chat.ToolCall) (t *judgedTurn, p *problem) {
	t = &judgedTurn{slices.Clone(calls), map[int]toolResult{}, map[int]int{}}
	asked, last := m.now, m.now
	defer func() { m.now = last }()
	for i, c := range calls {
		kind := m.heldAs(by, c)
		if kind == "" || !fitsTool(c) || m.known(c) {
			continue
		}
		if same := slices.Index(calls[:i], c); m.isPure(c.Name) && same >= 0 {
			t.calls[i], t.repeat[i] = t.calls[same], same
			continue
		}
		q := m.requestOf(v.nodeShape, kind, m.ran[v.Name.V], v.attempt, "."+c.Name+"."+strconv.Itoa(i+1))
		q.Tool, q.Arguments = c.Name, c.Arguments
		q.Question = "May " + v.Name.V + " call " + c.Name + " with " + c.Arguments + "?"
		if kind == "client_tool" {
			q.within = ticks(m.tool(c.Name).Timeout)
			q.Question = "What does " + c.Name + " return for " + c.Arguments + "?"
		} else {
			q.within = ticks(by.Prompt.ApproveTimeout)
		}
		m.now = asked
		a, late, waiting := m.answerTo(q)
		last = max(last, m.now)
		if waiting != nil {
			p = waiting
			continue
		}
		t.calls[i] = m.judged(c, kind, a, late, i, t.ended)
	}
	return t, p
}

// byCaller executes a node whose tool the caller runs.
func (m *model) byCaller(v *visit) *problem {
	turn, p := m.held(v, v.nodeShape, []chat.ToolCall{{Name: v.Tool.V, Arguments: "{}"}})
	if p != nil {
		return p
	}
	r := turn.ended[0]
	m.saw("a node of a tool that the caller runs", true)
	switch m.endedByPerson(r); {
	case r.byCaller:
		return &problem{text: "*chat.ToolError(no)"}
	case r.failed():
		return &problem{text: "*chat.ToolError(the tool gave no result in time)"}
	}
	v.outcome.out = r.text
	return nil
}

// unheld lists the calls of a turn that are made before people are asked about others of it: nothing, where all are made.
func (m *model) unheld(by *nodeShape, calls []chat.ToolCall) (free []chat.ToolCall) {
	held := false
	for i, c := range calls {
		kind := m.heldAs(by, c)
		held = held || kind != ""
		repeats := m.isPure(c.Name) && (m.known(c) || slices.Contains(calls[:i], c))
		if !repeats && (kind == "" || !fitsTool(c)) {
			free = append(free, c)
		}
	}
	if !held {
		return nil
	}
	return free
}

// isFatal reports whether a call fails its node.
func isFatal(c chat.ToolCall) bool {
	var args map[string]string
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return false
	}
	kind, _, _ := strings.Cut(args["query"], " ")
	return c.Name == "look" && kind == scriptdriver.Fatal
}

// callFree makes the calls of a turn of which one fails the node, so that no person is asked about the others.
func (m *model) callFree(calls []chat.ToolCall) (p *problem) {
	for _, c := range calls {
		key := pureCall{c, m.readBy(c.Name)}
		m.made++
		switch r := m.callTool(c); {
		case r.failed():
			m.failed++
			if p == nil {
				p = r.fatal
			}
		case m.isPure(c.Name):
			m.pure[key] = r
		}
	}
	return p
}

// judged is a call as a person has left it. How it ends if it is not made is added to ended.
func (m *model) judged(c chat.ToolCall, kind string, a given, late bool, i int, ended map[int]toolResult) chat.ToolCall {
	switch {
	case kind == "client_tool" && !late && a.Kind != scriptdriver.Fails:
		m.saw("the caller runs a tool", true)
		ended[i] = toolResult{tool: c.Name, text: "found it"}
	case late, kind == "client_tool", a.Kind == scriptdriver.Denies:
		m.saw("the caller's tool fails", kind == "client_tool")
		ended[i] = toolResult{tool: c.Name, byCaller: kind == "client_tool" && !late}
	default:
		m.saw("a person approves a call", true)
		if len(a.Calls) > 0 && a.Calls[0].Name == c.Name {
			m.saw("a call has other arguments", true)
			return a.Calls[0]
		}
	}
	return c
}

// endedByPerson counts a call that was not made here. One that is denied, or whose result is late, is no call.
func (m *model) endedByPerson(r toolResult) {
	if !r.failed() || r.byCaller {
		m.made++
	}
	if r.byCaller {
		m.failed++
	}
}

// heldAs is the kind of the request that a call of a tool makes, empty if it makes none.
func (m *model) heldAs(by *nodeShape, c chat.ToolCall) string {
	switch {
	case m.tool(c.Name) != nil && m.tool(c.Name).Client.V:
		return "client_tool"
	case slices.ContainsFunc(by.Prompt.Approve, func(name spec.String) bool { return name.V == c.Name }):
		return "tool_approval"
	}
	return ""
}

func (m *model) tool(name string) *spec.ToolDecl {
	for _, t := range m.s.Tools {
		if t.Name.V == name {
			return t
		}
	}
	return nil
}

// fitsTool reports whether the arguments of a call fit its tool.
func fitsTool(c chat.ToolCall) bool {
	var args map[string]string
	if json.Unmarshal([]byte(c.Arguments), &args) != nil {
		return false
	}
	_, ok := args["query"]
	return c.Name == "look" && ok || (c.Name == "find" || c.Name == "ask") && len(args) == 0
}

// known reports whether a call of a pure tool has been made before in the run.
func (m *model) known(c chat.ToolCall) bool {
	_, known := m.pure[pureCall{c, m.readBy(c.Name)}]
	return known
}
