package pipeline

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A Transcript is the transcript of one node in a run: the prompt with which it was entered, the request that was made of it, and the messages
// since. The zero Transcript is ready.
type Transcript struct {
	name         string // of a node that a run has added; else empty
	node         *Node
	run          *engine.Run
	conversation *Conversation
	own          chat.Model // the machine's

	prompt   Prompt
	fresh    bool // the prompt is being written
	request  request
	messages messages
	turn     turn
	session  session // of the calls of the turn
	past     past
}

// A request is what a transcript asks its model.
type request struct {
	chat.Request
	model   chat.Model                               // that is asked
	meter   callMeter                                // of its calls
	schema  *chat.Schema                             // of the answer, instead of the node's; nil: the node's
	restore func(*Transcript, context.Context) error // makes the request again, as another process was in the tool loop; else nil
	replay  bool                                     // the thread replayed the run when the model was found: its price is not checked
}

// The messages of a transcript begin with what its node is shown, and continue with its turns. They are replaced when a prompt is sent.
type messages struct {
	list    []chat.Message
	shown   int            // how many of them are of earlier nodes
	whole   bool           // these are the conversation as it is
	mark    int            // how many there were before the turn
	user    []chat.Message // the user's turn, as the conversation that the node continues has it: one message, or none
	from    int            // where the rest of the turn begins
	refused []span         // refused answers, and the replies to them
	answer  int            // the index of the answer's message
}

// A turn is one execution of the node.
type turn struct {
	held    *heldTurn         // its calls wait for people; nil: none does
	looping bool              // it ended with tools that were run
	calls   []chat.ToolCall   // that are left to others
	changes []mutation.Change // that the answer requests
}

// A past is what earlier turns leave to later ones.
type past struct {
	visits    int    // those by a tool loop not counted
	answer    string // the last one
	answered  bool   // it is of this visit or the one before
	looping   bool   // the node is entered again to see what its tools gave
	called    []string
	thread    []chat.Message // that others have answered, of a node which sees nothing of the conversation
	repliedTo string         // the last call that others have answered, up to the answer; empty: none
}

// A span is the messages from one up to another.
type span struct{ from, to int }

// Enter begins a turn. It returns the prompt where it has to be written, and nil in a tool loop and
// for a retry of a turn whose prompt was sent. fields writes the fields of the state; it may be nil where the node reads none.
func (tr *Transcript) Enter(run *engine.Run, conversation *Conversation, model chat.Model, node *Node, fields Placer) *Prompt {
	if tr.turn.held != nil {
		return nil // the turn continues
	}
	first := run.Execution().Attempt() == 1
	if first && tr.past.looping && run.Path().InToolLoop() { // all else is as the turn before left it
		if tr.request.restore != nil {
			node = tr.named(node)
			tr.node, tr.run, tr.conversation, tr.own = node, run, conversation, model
			tr.session = session{run: run, conversation: conversation, node: node}
		}
		tr.past.looping, tr.turn.looping, tr.messages.mark = false, false, len(tr.messages.list)
		tr.hasCalled()
		return nil
	}
	node = tr.named(node)
	tr.node, tr.run, tr.conversation, tr.own = node, run, conversation, model
	tr.turn = turn{}
	if !first && !tr.fresh {
		tr.retry()
		return nil
	}
	if first {
		tr.past.visits++
	}
	tr.begin(fields)
	return &tr.prompt
}

// named returns a node under the name of the transcript, which is another one where a run has added the node from a template.
func (tr *Transcript) named(node *Node) *Node {
	if tr.name == "" || node.Name == tr.name {
		return node
	}
	own := *node
	own.Name, own.texts = tr.name, node.Name
	return &own
}

// begin begins a prompt.
func (tr *Transcript) begin(fields Placer) {
	run, node := tr.run, tr.node
	run.Agent().Open()
	tr.fresh, tr.past.looping, tr.past.called, tr.request.restore = true, false, nil, nil
	tr.session = session{run: run, conversation: tr.conversation, node: node}
	tr.prompt = Prompt{
		System: tr.prompt.System[:0], Message: tr.prompt.Message[:0], User: tr.prompt.User[:0], Reads: tr.prompt.Reads[:0],
		Run: run, model: tr.own,
	}
	tr.prompt.write(node, fields)
}

// hasCalled lifts the requirement to call a tool once the model has called one.
func (tr *Transcript) hasCalled() {
	if c := &tr.request.Choice; c.Mode == chat.Required || c.Mode == chat.Named {
		*c = chat.ToolChoice{}
	}
}

// retry goes back to the beginning of the turn. It keeps an answer that guards refused, with
// their feedback.
func (tr *Transcript) retry() {
	if tr.run.Execution().Declined {
		tr.messages.list = append(tr.messages.list, chat.UserText(
			"The answer was not accepted: "+strings.Join(tr.run.Execution().Feedback, "; ")+". Answer again."))
		tr.messages.mark = len(tr.messages.list)
		tr.messages.refused = append(tr.messages.refused, span{tr.messages.answer, tr.messages.mark})
		return
	}
	tr.messages.list = tr.messages.list[:tr.messages.mark]
	for len(tr.messages.refused) > 0 && tr.messages.refused[len(tr.messages.refused)-1].to > tr.messages.mark {
		tr.messages.refused = tr.messages.refused[:len(tr.messages.refused)-1]
	}
}

// Looping reports whether the turn ended with tool calls, so that the node is entered again and
// continues with their results. It is not called for a node that fails, for example because it
// was late: such a node starts from its prompt when it is entered again. So does one that is not entered again
// because it has no visits left.
func (tr *Transcript) Looping() bool {
	tr.past.looping = tr.turn.looping
	return tr.turn.looping
}

// Called reports whether the model requested tools in this turn that a tool node calls.
func (tr *Transcript) Called() bool { return len(tr.turn.calls) > 0 }

// Calls reports whether the model requested one of some tools in this turn that a tool node calls.
func (tr *Transcript) Calls(tools ...string) bool {
	return slices.ContainsFunc(tr.turn.calls, func(c chat.ToolCall) bool { return slices.Contains(tools, c.Name) })
}

// Waiting reports whether the turn ended with calls of tools, so that there is no answer.
func (tr *Transcript) Waiting() bool { return tr.turn.looping || tr.Called() }

// Has reports whether the model has called a tool since the prompt was written.
func (tr *Transcript) Has(tool string) bool { return slices.Contains(tr.past.called, tool) }

// Changes returns the changes of the graph that the answer requests.
func (tr *Transcript) Changes() []mutation.Change { return tr.turn.changes }

// Text returns the answer as text.
func (tr *Transcript) Text() string { return tr.past.answer }

// AskText makes the turn, as Ask does, and returns the answer as text.
func (tr *Transcript) AskText(ctx context.Context, tools Caller, after ...Filter) (string, error) {
	err := tr.Ask(ctx, tools, nil, after...)
	return tr.past.answer, err
}

// Ask makes the turn: it calls the model, which answers or calls tools. It decodes an answer into
// out, unless out is nil, and runs the tools. An invalid answer is sent back with the error, as
// often as the node allows.
func (tr *Transcript) Ask(ctx context.Context, tools Caller, out codec.Unmarshaler, after ...Filter) error {
	if tr.request.replay {
		if err := tr.checkModel(); err != nil {
			return err
		}
	}
	if tr.turn.held != nil {
		return tr.runTools(ctx, tools, tr.turn.held.resp)
	}
	if tr.fresh {
		if err := tr.open(ctx); err != nil {
			return err
		}
	}
	if tr.request.restore != nil {
		if err := tr.request.restore(tr, ctx); err != nil {
			return err
		}
	}
	for repairs := tr.node.Repair; ; repairs-- {
		resp, err := tr.askModel(ctx)
		if err != nil {
			return err
		}
		if calls := len(resp.Message.Calls); calls > 0 && calls <= tr.run.Settings().MostTurnCalls() && tr.mayCall() && !isCut(resp) {
			if tr.node.Loop {
				return tr.runTools(ctx, tools, resp)
			}
			tr.leaveCalls(resp)
			return nil
		}
		wrong := tr.takeAnswer(ctx, resp, out, after)
		if wrong == nil {
			return nil
		}
		if fatal, ok := wrong.(*filterError); ok {
			return fatal.err
		}
		if repairs <= 0 {
			return malformed(resp, wrong)
		}
		tr.complain(resp, wrong)
	}
}

// runTools runs the calls of a turn and appends the results, in the order of the calls.
func (tr *Transcript) runTools(ctx context.Context, caller Caller, resp *chat.Response) error {
	from := len(tr.messages.list)
	if tr.turn.held == nil {
		tr.noteCalled(resp.Message.Calls)
	}
	tr.session.caller, tr.session.count, tr.session.saved = caller, graphgen.ToolCount{}, 0
	tr.session.took, tr.session.by = 0, int(tr.request.meter.call)
	messages, err := tr.session.makeAll(ctx, resp, append(tr.messages.list, resp.Message), &tr.turn.held)
	if tr.turn.held != nil {
		return err // as long as answers are missing, the transcript is as it was before the turn
	}
	tr.messages.list = messages
	tr.turn.looping = err == nil
	if len(tr.request.Tools) == 0 { // providers refuse calls in a request without tools
		var r retelling
		tr.messages.list = r.inWords(tr.messages.list[:from:from], tr.messages.list[from:])
	}
	return err
}

// isCut reports whether the last call of an answer lacks its arguments because the answer
// was cut off before them. Incomplete arguments are invalid for the tool instead.
func isCut(resp *chat.Response) bool {
	return resp.Finish == chat.Length && resp.Message.Calls[len(resp.Message.Calls)-1].Arguments == ""
}

// complain asks the model to correct its answer. Calls without a result are left out, as
// providers refuse them.
func (tr *Transcript) complain(resp *chat.Response, wrong error) {
	from := len(tr.messages.list)
	if m := resp.Message; m.Text != "" {
		if len(m.Calls) > 0 {
			m.Calls, m.Reasoning = nil, nil
		}
		tr.messages.list = append(tr.messages.list, m)
	}
	tr.messages.list = append(tr.messages.list, chat.UserText(complaint(wrong)))
	tr.messages.refused = append(tr.messages.refused, span{from, len(tr.messages.list)})
}

// findModel finds the model of the request. override is the name of another model for the provider to use.
func (tr *Transcript) findModel() (override string, err error) {
	t := tr.run.Thread()
	tr.request.replay = t != nil && t.Replays()
	tr.request.model, override, err = tr.run.Agent().Model(tr.own, tr.node.Model, tr.node.Light)
	return override, err
}

// checkModel checks the model of a request that was made in a replay, before the run goes on: no call that waited is made where the next one of the
// model may not be.
func (tr *Transcript) checkModel() error {
	override, err := tr.findModel()
	if tr.request.Model = override; err != nil {
		tr.turn.held = nil
	}
	return err
}

// open makes the request of the transcript: the model, the system prompt, the tools, and the
// messages before the first turn.
func (tr *Transcript) open(ctx context.Context) error {
	n := tr.node
	override, err := tr.findModel()
	if err != nil {
		return err
	}
	if err := tr.prompt.err; err != nil {
		return err
	}
	if n.Fit != nil {
		n.Fit(&tr.prompt, n.Budget, len(n.After))
	}
	tr.prompt.System = append(tr.prompt.System, n.After...)
	var kept chat.Message
	if n.Continues != "" {
		kept = tr.prompt.userTurn()
	}
	output := n.Output
	if n.Change != nil {
		var told string
		output, told = n.Change.open(tr.run)
		tr.prompt.System = append(tr.prompt.System, told...)
	}
	tr.addFeedback()
	specs, err := tr.tools(ctx)
	if err != nil {
		return err
	}
	system := n.System
	if string(tr.prompt.System) != system { // else all runs share it
		system = string(tr.prompt.System)
	}
	tr.write(override, system, specs, output)
	before, replies := tr.earlier(specs)
	if len(tr.past.thread) > 0 {
		before, replies = tr.past.thread, true
	}
	tr.past.thread = nil
	all := tr.conversation.messages
	tr.messages = messages{
		list: make([]chat.Message, len(before), len(before)+roomFor(n)), shown: len(before),
		whole: n.Continues == "" && len(before) == len(all) && (len(before) == 0 || &before[0] == &all[0]),
	}
	copy(tr.messages.list, before)
	switch {
	case replies:
		tr.hasCalled()
	case n.Continues != "":
		tr.addPrompt(kept)
	default:
		tr.messages.list = append(tr.messages.list, chat.Message{Role: chat.RoleUser, Text: tr.prompt.message(), Media: tr.prompt.Media})
	}
	tr.fresh, tr.messages.mark, tr.messages.from = false, len(tr.messages.list), len(tr.messages.list)
	return nil
}

// write makes the request without its messages.
func (tr *Transcript) write(model, system string, tools []chat.ToolSpec, output *chat.Schema) {
	n := tr.node
	tr.request.meter.under(tr.version())
	tr.request.Request = chat.Request{
		Purpose: cmp.Or(n.Purpose, chat.Answer), Model: model, System: system,
		Tools: tools, Choice: n.Choice, Output: cmp.Or(tr.request.schema, output),
		Temperature: n.Temperature, MaxTokens: n.MaxTokens, Cache: true,
	}
	if len(tools) == 0 {
		tr.request.Choice = chat.ToolChoice{} // there is nothing to choose from, as providers say
	}
}

// earlier returns the messages before the turn that the node is shown, as shownTo does.
func (tr *Transcript) earlier(tools []chat.ToolSpec) (before []chat.Message, replies bool) {
	if tr.node.Continues != "" {
		return tr.earlierOfState(tools)
	}
	return tr.conversation.shownTo(tr.node, tools)
}

// roomFor estimates how many messages a turn adds: the prompt and the answer, and two for each of ten rounds of tools.
func roomFor(n *Node) int {
	if n.Loop {
		return 22
	}
	return 2
}

// addFeedback adds the answer of the visit before and the feedback of guards to the prompt.
func (tr *Transcript) addFeedback() {
	t, p := &tr.prompt.User, &tr.past
	if tr.node.Revisit && p.visits > 1 && p.answered {
		t.String("This is visit ").Int(p.visits).String(" of this step. Your answer of the visit before:\n\n").String(p.answer).String("\n\nMake it better.\n")
	}
	for _, said := range tr.run.Execution().Feedback {
		t.String("An answer was not accepted: ").String(said).String("\n")
	}
}

// askModel calls the model once, within the budget.
func (tr *Transcript) askModel(ctx context.Context) (*chat.Response, error) {
	tr.request.Messages = slices.Clip(tr.messages.list)
	observed := tr.node.Observable && tr.run.Settings().Observed()
	if observed {
		tr.run.Agent().Progress("prompt", tr.transcript())
	}
	resp, err := tr.request.meter.ask(ctx, tr.run, tr.request.model, &tr.request.Request, !tr.node.Quiet)
	if observed && err == nil {
		tr.run.Agent().Progress("answer", resp.Message.Text)
	}
	return resp, err
}

// transcript returns the request as text, the system prompt first.
func (tr *Transcript) transcript() string {
	t := Text(tr.request.System)
	for i := range tr.messages.list {
		m := &tr.messages.list[i]
		t.String("\n\n").String(m.Role.String()).String(": ").String(m.Text)
		for _, c := range m.Calls {
			t.String(" ").String(c.Name).String(c.Arguments)
		}
	}
	return string(t)
}

// takeAnswer decodes an answer. It returns the error of an invalid one.
func (tr *Transcript) takeAnswer(ctx context.Context, resp *chat.Response, out codec.Unmarshaler, after []Filter) error {
	m := resp.Message
	switch calls := m.Calls; {
	case len(calls) > 0 && !tr.mayCall():
		tr.run.Agent().CountTools(graphgen.ToolCount{Made: len(calls), Failed: len(calls)}, 0)
		return &callsError{}
	case len(calls) > tr.run.Settings().MostTurnCalls():
		return &crowdError{len(calls), tr.run.Settings().MostTurnCalls()}
	case len(calls) == 0 && resp.Finish == chat.ToolCalls && m.Text == "":
		return &lostError{}
	case len(calls) > 0, resp.Finish == chat.Length && (out != nil || tr.node.MaxTokens == 0):
		return &cutError{}
	}
	if c := tr.node.Change; c != nil {
		var err error
		if m.Text, tr.turn.changes, err = c.split(m.Text, tr.run.Changes().Allowed()); err != nil {
			return err
		}
	}
	if len(after) > 0 { // what filters leave out, later nodes are not shown
		var err error
		if m.Text, err = tr.filtered(ctx, resp, m.Text, after); err != nil {
			return &filterError{err}
		}
	}
	if out != nil {
		if err := decode(m.Text, out); err != nil {
			return err
		}
	}
	tr.past.answer, tr.past.answered, tr.messages.answer = m.Text, true, len(tr.messages.list)
	if m.Text != "" { // providers refuse messages that say nothing
		tr.messages.list = append(tr.messages.list, m)
	}
	if tr.node.Verbose {
		tr.run.Agent().RecordAnswer(m.Text)
	}
	return nil
}

// filtered returns what filters make of the text of an answer.
func (tr *Transcript) filtered(ctx context.Context, resp *chat.Response, text string, filters []Filter) (string, error) {
	a := Answer{Text: text, Response: resp, Run: tr.run, model: tr.own}
	for _, filter := range filters {
		if err := filter(ctx, &a); err != nil {
			return "", err
		}
	}
	return a.Text, nil
}

// leaveCalls leaves the calls of a turn to a tool node.
func (tr *Transcript) leaveCalls(resp *chat.Response) {
	tr.messages.list = append(tr.messages.list, resp.Message)
	tr.turn.calls = resp.Message.Calls
	tr.noteCalled(tr.turn.calls)
}

// noteCalled records which tools were called, if the graph needs it.
func (tr *Transcript) noteCalled(calls []chat.ToolCall) {
	if !tr.node.Tracked {
		return
	}
	for i := range calls {
		tr.past.called = append(tr.past.called, calls[i].Name)
	}
}

// A filterError is the failure of a filter.
type filterError struct{ err error }

func (e *filterError) Error() string { return e.err.Error() }
