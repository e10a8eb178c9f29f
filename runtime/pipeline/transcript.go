package pipeline

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/mutation"
	"github.com/graphgen/graphgen/runtime/codec"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A Transcript is the transcript of one node in a run: the prompt with which it was entered, and
// the messages since. The zero Transcript is ready.
type Transcript struct {
	name         string // of a node that a run has added; else empty
	node         *Node
	run          *engine.Run
	conversation *Conversation
	own          chat.Model // the machine's
	model        chat.Model // that is asked
	wire         wire       // to it

	prompt   Prompt
	request  chat.Request
	messages []chat.Message
	shown    int // how many of the messages are of earlier nodes
	mark     int // how many there were before the turn

	user []chat.Message // the user's turn, as the conversation that the node continues has it: one message, or none
	from int            // where the rest of the turn begins
	owes string         // the last call that others have answered, up to the answer; empty: none

	void []span // of the messages: refused answers, and the replies to them

	schema   *chat.Schema // of the answer, in place of the node's; nil: the node's
	session  session
	held     *heldTurn                                // a turn whose calls wait for people; nil: none does
	fresh    bool                                     // the prompt is being written
	looping  bool                                     // the turn ended with tools that were run
	goesOn   bool                                     // the node is entered again to see what they gave
	whole    bool                                     // the messages of earlier nodes are the conversation as it is
	answered bool                                     // the answer is of this visit or the one before
	restored func(*Transcript, context.Context) error // makes the request again: another process was in the tool loop; else nil
	called   []string
	calls    []chat.ToolCall   // of this turn that are left to others
	thread   []chat.Message    // that others have answered, of a node which sees nothing of the conversation
	changes  []mutation.Change // that the answer requests
	answer   string
	at       int // the index of the answer's message
	visits   int // those by a tool loop not counted
}

// A span is the messages from one up to another.
type span struct{ from, to int }

// Enter begins a turn. It returns the prompt where it has to be written, and nil in a tool loop and
// for a retry of a turn whose prompt was sent. fields writes the fields of the state; it may be nil where the node reads none.
func (d *Transcript) Enter(run *engine.Run, conversation *Conversation, model chat.Model, node *Node, fields Placer) *Prompt {
	if d.held != nil {
		return nil // the turn goes on
	}
	first := run.Attempt() == 1
	if first && d.goesOn { // all else is as the turn before left it
		if d.restored != nil {
			d.node, d.run, d.conversation, d.own = node, run, conversation, model
			d.session = session{run: run, conversation: conversation, node: node}
		}
		d.goesOn, d.looping, d.mark = false, false, len(d.messages)
		d.hasCalled()
		return nil
	}
	if d.name != "" && node.Name != d.name {
		own := *node
		own.Name, own.texts = d.name, node.Name
		node = &own
	}
	d.node, d.run, d.conversation, d.own = node, run, conversation, model
	d.looping, d.calls, d.changes = false, nil, nil
	if !first && !d.fresh {
		d.again()
		return nil
	}
	if first {
		d.visits++
	}
	d.begin(fields)
	return &d.prompt
}

// begin begins a prompt.
func (d *Transcript) begin(fields Placer) {
	run, node := d.run, d.node
	run.Agent().Open()
	d.fresh, d.goesOn, d.called = true, false, nil
	d.session = session{run: run, conversation: d.conversation, node: node}
	d.prompt = Prompt{
		System: d.prompt.System[:0], Message: d.prompt.Message[:0], User: d.prompt.User[:0], Reads: d.prompt.Reads[:0],
		Run: run, model: d.own,
	}
	d.prompt.write(node, fields)
}

// hasCalled lifts the requirement to call a tool once the model has called one.
func (d *Transcript) hasCalled() {
	if c := &d.request.Choice; c.Mode == chat.Required || c.Mode == chat.Named {
		*c = chat.ToolChoice{}
	}
}

// again goes back to the beginning of the turn. It keeps an answer that guards refused, with
// their feedback.
func (d *Transcript) again() {
	if d.run.Refused() {
		d.messages = append(d.messages, chat.UserText("The answer was not accepted: "+strings.Join(d.run.Feedback(), "; ")+". Answer again."))
		d.mark = len(d.messages)
		d.void = append(d.void, span{d.at, d.mark})
		return
	}
	d.messages = d.messages[:d.mark]
	for len(d.void) > 0 && d.void[len(d.void)-1].to > d.mark {
		d.void = d.void[:len(d.void)-1]
	}
}

// Looping reports whether the turn ended with tool calls, so that the node is entered again and
// continues with their results. It is not called for a node that fails, for example because it
// was late: such a node starts from its prompt when it is entered again.
func (d *Transcript) Looping() bool {
	d.goesOn = d.looping
	return d.looping
}

// Called reports whether the model requested tools in this turn that a tool node calls.
func (d *Transcript) Called() bool { return len(d.calls) > 0 }

// Calls reports whether the model requested one of some tools in this turn that a tool node calls.
func (d *Transcript) Calls(tools ...string) bool {
	return slices.ContainsFunc(d.calls, func(c chat.ToolCall) bool { return slices.Contains(tools, c.Name) })
}

// Waiting reports whether the turn ended with calls of tools, so that there is no answer.
func (d *Transcript) Waiting() bool { return d.looping || d.Called() }

// Has reports whether the model has called a tool since the prompt was written.
func (d *Transcript) Has(tool string) bool { return slices.Contains(d.called, tool) }

// Changes returns the changes of the graph that the answer requests.
func (d *Transcript) Changes() []mutation.Change { return d.changes }

// Text returns the answer as text.
func (d *Transcript) Text() string { return d.answer }

// AskText makes the turn, as Ask does, and returns the answer as text.
func (d *Transcript) AskText(ctx context.Context, tools Caller, after ...Filter) (string, error) {
	err := d.Ask(ctx, tools, nil, after...)
	return d.answer, err
}

// Ask makes the turn: it calls the model, which answers or calls tools. It decodes an answer into
// out, unless out is nil, and runs the tools. An invalid answer is sent back with the error, as
// often as the node allows.
func (d *Transcript) Ask(ctx context.Context, tools Caller, out codec.Unmarshaler, after ...Filter) error {
	if d.held != nil {
		return d.runTools(ctx, tools, d.held.resp)
	}
	if d.fresh {
		if err := d.open(ctx); err != nil {
			return err
		}
	}
	if d.restored != nil {
		if err := d.restored(d, ctx); err != nil {
			return err
		}
	}
	for repairs := d.node.Repair; ; repairs-- {
		resp, err := d.call(ctx)
		if err != nil {
			return err
		}
		if calls := len(resp.Message.Calls); calls > 0 && calls <= d.run.Settings().MostTurnCalls() && d.mayCall() && !isCut(resp) {
			if d.node.Loop {
				return d.runTools(ctx, tools, resp)
			}
			d.leave(resp)
			return nil
		}
		wrong := d.take(ctx, resp, out, after)
		if wrong == nil {
			return nil
		}
		if fatal, ok := wrong.(*filterError); ok {
			return fatal.err
		}
		if repairs <= 0 {
			return malformed(resp, wrong)
		}
		d.complain(resp, wrong)
	}
}

// isCut reports whether the last call of an answer lacks its arguments because the answer
// was cut off before them. Incomplete arguments are invalid for the tool instead.
func isCut(resp *chat.Response) bool {
	return resp.Finish == chat.Length && resp.Message.Calls[len(resp.Message.Calls)-1].Arguments == ""
}

// complain asks the model to correct its answer. Calls without a result are left out, as
// providers refuse them.
func (d *Transcript) complain(resp *chat.Response, wrong error) {
	from := len(d.messages)
	if m := resp.Message; m.Text != "" {
		if len(m.Calls) > 0 {
			m.Calls, m.Reasoning = nil, nil
		}
		d.messages = append(d.messages, m)
	}
	d.messages = append(d.messages, chat.UserText(complaint(wrong)))
	d.void = append(d.void, span{from, len(d.messages)})
}

// open makes the request of the transcript: the model, the system prompt, the tools, and the
// messages before the first turn.
func (d *Transcript) open(ctx context.Context) error {
	n := d.node
	model, override, err := d.run.Agent().Model(d.own, n.Model, n.Light)
	if err != nil {
		return err
	}
	d.model = model
	if err := d.prompt.err; err != nil {
		return err
	}
	if n.Fit != nil {
		n.Fit(&d.prompt, n.Budget, len(n.After))
	}
	d.prompt.System = append(d.prompt.System, n.After...)
	var kept chat.Message
	if n.Continues != "" {
		kept = d.prompt.turn()
	}
	output := n.Output
	if n.Change != nil {
		var told string
		output, told = n.Change.open(d.run)
		d.prompt.System = append(d.prompt.System, told...)
	}
	d.remind()
	specs, err := d.tools(ctx)
	if err != nil {
		return err
	}
	system := n.System
	if string(d.prompt.System) != system { // else all runs share it
		system = string(d.prompt.System)
	}
	d.write(override, system, specs, output)
	before, replies := d.earlier(specs)
	if len(d.thread) > 0 {
		before, replies = d.thread, true
	}
	d.thread, d.void = nil, nil
	d.messages = make([]chat.Message, len(before), len(before)+roomFor(n))
	copy(d.messages, before)
	d.shown = len(before)
	d.whole = n.Continues == "" && d.shown == len(d.conversation.messages) && (d.shown == 0 || &before[0] == &d.conversation.messages[0])
	switch {
	case replies:
		d.hasCalled()
	case n.Continues != "":
		d.prompt.continues.speak(d, kept)
	default:
		d.messages = append(d.messages, chat.Message{Role: chat.RoleUser, Text: d.prompt.message(), Media: d.prompt.Media})
	}
	d.fresh, d.mark, d.from = false, len(d.messages), len(d.messages)
	return nil
}

// write makes the request, but for its messages.
func (d *Transcript) write(model, system string, tools []chat.ToolSpec, output *chat.Schema) {
	n := d.node
	d.wire.under(d.version())
	d.request = chat.Request{
		Purpose: cmp.Or(n.Purpose, chat.Answer), Model: model, System: system,
		Tools: tools, Choice: n.Choice, Output: cmp.Or(d.schema, output),
		Temperature: n.Temperature, MaxTokens: n.MaxTokens, Cache: true,
	}
	if len(tools) == 0 {
		d.request.Choice = chat.ToolChoice{} // there is nothing to choose from, as providers say
	}
}

// earlier returns the messages before the turn that the node is shown, as shownTo does.
func (d *Transcript) earlier(tools []chat.ToolSpec) (before []chat.Message, replies bool) {
	d.user = nil
	if d.node.Continues != "" {
		return d.prompt.continues.earlier(d, tools)
	}
	return d.conversation.shownTo(d.node, tools)
}

// roomFor estimates how many messages a turn adds: the prompt and the answer, and two for each of ten rounds of tools.
func roomFor(n *Node) int {
	if n.Loop {
		return 22
	}
	return 2
}

// remind adds the answer of the visit before and the feedback of guards to the prompt.
func (d *Transcript) remind() {
	t := &d.prompt.User
	if d.node.Revisit && d.visits > 1 && d.answered {
		t.String("This is visit ").Int(d.visits).String(" of this step. Your answer of the visit before:\n\n").String(d.answer).String("\n\nMake it better.\n")
	}
	for _, said := range d.run.Feedback() {
		t.String("An answer was not accepted: ").String(said).String("\n")
	}
}

// call calls the model once, within the budget.
func (d *Transcript) call(ctx context.Context) (*chat.Response, error) {
	d.request.Messages = slices.Clip(d.messages)
	observed := d.node.Observable && d.run.Observed()
	if observed {
		d.run.Progresses("prompt", d.transcript())
	}
	resp, err := d.wire.ask(ctx, d.run, d.model, &d.request, !d.node.Quiet)
	if observed && err == nil {
		d.run.Progresses("answer", resp.Message.Text)
	}
	return resp, err
}

// transcript returns the request as text, the system prompt first.
func (d *Transcript) transcript() string {
	t := Text(d.request.System)
	for i := range d.messages {
		m := &d.messages[i]
		t.String("\n\n").String(m.Role.String()).String(": ").String(m.Text)
		for _, c := range m.Calls {
			t.String(" ").String(c.Name).String(c.Arguments)
		}
	}
	return string(t)
}

// take decodes an answer. It returns the error of an invalid one.
func (d *Transcript) take(ctx context.Context, resp *chat.Response, out codec.Unmarshaler, after []Filter) error {
	m := resp.Message
	switch calls := m.Calls; {
	case len(calls) > 0 && !d.mayCall():
		d.run.Agent().CountTools(graphgen.ToolCount{Made: len(calls), Failed: len(calls)})
		return &callsError{}
	case len(calls) > d.run.Settings().MostTurnCalls():
		return &crowdError{len(calls), d.run.Settings().MostTurnCalls()}
	case len(calls) == 0 && resp.Finish == chat.ToolCalls && m.Text == "":
		return &lostError{}
	case len(calls) > 0, resp.Finish == chat.Length && (out != nil || d.node.MaxTokens == 0):
		return &cutError{}
	}
	if c := d.node.Change; c != nil {
		var err error
		if m.Text, d.changes, err = c.split(m.Text, d.run.Changes().Allowed()); err != nil {
			return err
		}
	}
	if len(after) > 0 { // what filters leave out, later nodes are not shown
		var err error
		if m.Text, err = d.filtered(ctx, resp, m.Text, after); err != nil {
			return &filterError{err}
		}
	}
	if out != nil {
		if err := decode(m.Text, out); err != nil {
			return err
		}
	}
	d.answer, d.answered, d.at = m.Text, true, len(d.messages)
	if m.Text != "" { // providers refuse messages that say nothing
		d.messages = append(d.messages, m)
	}
	if d.node.Verbose {
		d.run.Agent().RecordAnswer(m.Text)
	}
	return nil
}

// filtered returns what filters make of the text of an answer.
func (d *Transcript) filtered(ctx context.Context, resp *chat.Response, text string, filters []Filter) (string, error) {
	a := Answer{Text: text, Response: resp, Run: d.run, model: d.own}
	for _, filter := range filters {
		if err := filter(ctx, &a); err != nil {
			return "", err
		}
	}
	return a.Text, nil
}

// leave leaves the calls of a turn to a tool node.
func (d *Transcript) leave(resp *chat.Response) {
	d.messages = append(d.messages, resp.Message)
	d.calls = resp.Message.Calls
	d.note(d.calls)
}

// note records which tools were called, if the graph needs it.
func (d *Transcript) note(calls []chat.ToolCall) {
	if !d.node.Tracked {
		return
	}
	for i := range calls {
		d.called = append(d.called, calls[i].Name)
	}
}

// A cutError reports that an answer is incomplete.
type cutError struct{}

func (*cutError) Error() string { return "the answer was cut off before its end" }

// A callsError reports that a model without tools calls one.
type callsError struct{}

func (*callsError) Error() string { return "the model calls tools that there are not" }

// A crowdError reports that a model calls more tools in one turn than it may.
type crowdError struct{ calls, most int }

func (e *crowdError) Error() string {
	return "the answer calls " + strconv.Itoa(e.calls) + " tools at once, more than " + strconv.Itoa(e.most)
}

// A lostError reports that a model asks for tools and names none: the calls were lost in transit.
type lostError struct{}

func (*lostError) Error() string { return "the model asks for tools, and names none" }

// A filterError is the failure of a filter.
type filterError struct{ err error }

func (e *filterError) Error() string { return e.err.Error() }

func malformed(resp *chat.Response, wrong error) error {
	switch wrong.(type) {
	case *cutError, *callsError, *crowdError, *lostError:
		return &chat.ModelError{Kind: chat.Malformed, Message: wrong.Error(), Text: resp.Message.Text}
	}
	return &chat.ModelError{Kind: chat.Malformed, Text: resp.Message.Text, Err: wrong}
}

// complaint returns the message that asks a model to correct its answer.
func complaint(wrong error) string {
	switch wrong := wrong.(type) {
	case *crowdError:
		return "The answer calls " + count(wrong.calls, "tool") + " at once. Answer again, with " + strconv.Itoa(wrong.most) + " calls at most."
	case *cutError:
		return "The answer was cut off before its end. Answer again, in fewer words."
	case *callsError:
		return "There are no tools to call. Answer again, without."
	case *lostError:
		return "The answer is empty, and calls no tool. Answer again."
	}
	return "The answer does not fit: " + wrong.Error() + ". Answer again, with the JSON alone."
}

// count returns a number of things in words.
//
//go:noinline
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}
