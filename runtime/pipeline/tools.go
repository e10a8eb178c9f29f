package pipeline

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/engine"
)

// tools returns the table of the tools that the node may call: those of the spec, and those
// that are injected.
func (tr *Transcript) tools(ctx context.Context) ([]chat.ToolSpec, error) {
	tr.session.injected = nil
	if !tr.node.Inject {
		return tr.node.Specs, nil
	}
	specs := slices.Clone(tr.node.Specs)
	for _, box := range tr.run.Settings().Toolboxes {
		tools, err := box.Tools(ctx)
		if err != nil {
			return nil, err
		}
		for _, t := range tools {
			s := t.Spec()
			if !tr.allowed(s.Name) || slices.ContainsFunc(specs, func(have chat.ToolSpec) bool { return have.Name == s.Name }) {
				continue
			}
			specs = append(specs, s)
			tr.session.injected = append(tr.session.injected, offered{name: s.Name, tool: t})
		}
	}
	return specs, nil
}

func (tr *Transcript) allowed(tool string) bool {
	if len(tr.node.Allow) > 0 && !names(tr.node.Allow, tool) {
		return false
	}
	return !names(tr.node.Deny, tool)
}

// names reports whether one of the names of a list is that of the tool, as spec.NamesTool does.
func names(list []string, tool string) bool {
	for _, name := range list {
		if begin, open := strings.CutSuffix(name, "*"); name == tool || open && strings.HasPrefix(tool, begin) {
			return true
		}
	}
	return false
}

// mayCall reports whether the model may call tools. It may where none was injected, too: then
// each call is one of an unknown tool.
func (tr *Transcript) mayCall() bool {
	return (len(tr.request.Tools) > 0 || tr.node.Inject) && tr.node.Choice.Mode != chat.None
}

// runTools runs the calls of a turn and appends the results, in the order of the calls.
func (tr *Transcript) runTools(ctx context.Context, caller Caller, resp *chat.Response) error {
	from := len(tr.messages.list)
	if tr.turn.held == nil {
		tr.noteCalled(resp.Message.Calls)
	}
	tr.session.caller, tr.session.count = caller, graphgen.ToolCount{}
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

// A session runs the calls of one turn.
type session struct {
	run          *engine.Run
	conversation *Conversation
	node         *Node
	injected     []offered
	caller       Caller
	count        graphgen.ToolCount
	took         time.Duration // of the calls, where the run is timed
	step         int
	by           int                      // the number of the call of the model whose answer has the calls; 0: it is not known
	answered     map[string]*answeredCall // the calls that waited for an answer, by ID
}

// An offered tool is one known only at run time, by the name by which the model was offered it.
type offered struct {
	name string
	tool chat.Tool
}

// An outcome is how one call ended.
type outcome struct {
	result chat.ToolResult
	err    error
	took   time.Duration // where the run is timed
	saved  bool          // another process has made the call, and reported it
}

// makeAll makes the calls of a turn and appends their results to the messages, in the order of the calls.
// It returns the first error that is fatal, when every call has ended. Where calls wait for people, it keeps the
// turn in held, and returns the error that pauses the run; called again, it continues that turn.
func (s *session) makeAll(ctx context.Context, resp *chat.Response, messages []chat.Message, held **heldTurn) ([]chat.Message, error) {
	holder := s.node.Holder
	if *held != nil {
		return holder.goOn(s, ctx, *held, messages, held)
	}
	calls := resp.Message.Calls
	if ctx.Err() != nil {
		return messages, context.Cause(ctx)
	}
	if err := s.run.Agent().ReserveTools(len(calls)); err != nil {
		return messages, err
	}
	s.step = s.run.Path().Step() // a tool may need it when the run has gone on
	if holder != nil {
		if t := holder.hold(s, resp); t != nil {
			return holder.begin(s, ctx, t, messages, held)
		}
	}
	if len(calls) == 1 {
		var o outcome
		s.makeOne(ctx, &calls[0], &o)
		s.reportCalls()
		return o.appendTo(messages, &calls[0]), fatal(ctx, o.err)
	}
	outcomes, err := s.concurrently(ctx, calls)
	s.reportCalls()
	if err != nil {
		return messages, err
	}
	return results(ctx, messages, calls, outcomes)
}

// results appends the results of calls to the messages, and returns the first error that is fatal.
func results(ctx context.Context, messages []chat.Message, calls []chat.ToolCall, outcomes []outcome) ([]chat.Message, error) {
	var err error
	for i := range calls {
		messages = outcomes[i].appendTo(messages, &calls[i])
		if f := fatal(ctx, outcomes[i].err); f != nil && err == nil {
			err = f
		}
	}
	return messages, err
}

// reportCalls reports the calls that were made.
func (s *session) reportCalls() {
	s.run.Agent().CountTools(s.count)
	if s.took > 0 {
		s.run.Agent().DetailTools(s.took)
	}
}

// makeOne makes the only call of a turn on this goroutine.
func (s *session) makeOne(ctx context.Context, c *chat.ToolCall, o *outcome) {
	s.start(c, 0, o)
	t := s.tool(c.Name)
	again := t != nil && t.Pure && s.known(c, t, o)
	if !again {
		s.call(s.run.Agent().CallContext(ctx, s.step, 0), c, t, 0, o)
	}
	s.end(c, t, o, again)
}

// concurrently runs several calls at once. It does not make a call that a pure tool has answered before, or that
// equals another call of the turn.
func (s *session) concurrently(ctx context.Context, calls []chat.ToolCall) ([]outcome, error) {
	outcomes := make([]outcome, len(calls))
	by, made := s.answering(calls, outcomes)
	if err := s.make(ctx, calls, made, outcomes); err != nil {
		return nil, err
	}
	s.repeat(calls, by, outcomes)
	return outcomes, nil
}

// make makes some of the calls at once, as many as the node allows. It reports events on this goroutine. Once the
// context has ended, it begins no further call and returns the cause.
func (s *session) make(ctx context.Context, calls []chat.ToolCall, made []int, outcomes []outcome) error {
	most := s.node.Parallel
	if most == 0 {
		most = parallel
	}
	running := s.run.Calls(ctx, s.step, len(made))
	next := 0
	for finished := 0; ; finished++ {
		for ; next < len(made) && next-finished < most && ctx.Err() == nil; next++ {
			i := made[next]
			s.start(&calls[i], i, &outcomes[i])
			running.Go(i, func(ctx context.Context) {
				outcomes[i].err = errNoReturn
				s.call(ctx, &calls[i], s.tool(calls[i].Name), i, &outcomes[i])
			}, func(v any) { outcomes[i].panicked(s.run, v) })
		}
		if finished == next {
			break
		}
		i := running.Next()
		s.end(&calls[i], s.tool(calls[i].Name), &outcomes[i], false)
	}
	if next < len(made) {
		return context.Cause(ctx)
	}
	return nil
}

func (s *session) tool(name string) *Tool {
	for i := range s.node.Tools {
		if s.node.Tools[i].Name == name {
			return &s.node.Tools[i]
		}
	}
	return nil
}

// call makes one call of the tool t, nil if it is none of the spec, through the tool wrappers of this run, with the
// context of the call. It may run on a goroutine of its own.
func (s *session) call(ctx context.Context, c *chat.ToolCall, t *Tool, number int, o *outcome) {
	var start time.Time
	timed := s.run.Agent().IsTimed()
	if timed {
		start = s.run.Settings().Now()
	}
	switch thread := s.run.Thread(); {
	case thread != nil:
		o.result, o.err = thread.Tool(ctx, s.run, number, func() (chat.ToolResult, error) {
			return s.run.Agent().CallAround(ctx, c, s.CallTool)
		})
	case len(s.run.Settings().ToolWrappers) > 0:
		o.result, o.err = s.run.Agent().CallAround(ctx, c, s.CallTool)
	default:
		s.callTool(ctx, c, t, o)
	}
	if timed {
		o.took = s.run.Settings().Since(start)
	}
}

// CallTool makes the call itself. It turns every outcome into a result or an error that can be
// sent to the model.
func (s *session) CallTool(ctx context.Context, c *chat.ToolCall) (chat.ToolResult, error) {
	var o outcome
	s.callTool(ctx, c, s.tool(c.Name), &o)
	return o.result, o.err
}

// callTool makes a call of the tool t itself.
func (s *session) callTool(ctx context.Context, c *chat.ToolCall, t *Tool, o *outcome) {
	if t != nil && t.isPlain() && len(s.node.Approve) == 0 {
		s.dispatch(ctx, c, t, o)
	} else {
		s.callWithin(ctx, c, t, o)
	}
	if o.err != nil {
		o.result = chat.ToolResult{}
	}
}

// callWithin makes a call that may have to wait for an answer, or has limits.
func (s *session) callWithin(ctx context.Context, c *chat.ToolCall, t *Tool, o *outcome) {
	var answered *answeredCall
	if s.waits(c.Name, t) {
		if answered = s.answerOf(c); answered == nil {
			o.err = unanswered(t)
			return
		}
	}
	switch {
	case t != nil && t.Client:
		o.result, o.err = returnedBy(answered.held)
	case t != nil && t.Timeout.Limit > 0:
		s.callInTime(ctx, c, t, o)
	default:
		s.dispatch(ctx, c, t, o)
	}
	if o.err == nil && t != nil && t.MaxResult > 0 && len(o.result.Text) > t.MaxResult {
		o.err = &chat.ToolError{Kind: chat.ResultTooLarge, Size: len(o.result.Text), Limit: t.MaxResult}
	}
}

// callInTime makes a call that has to end within the timeout of its tool.
func (s *session) callInTime(ctx context.Context, c *chat.ToolCall, t *Tool, o *outcome) {
	late := engine.Late("tool", t.Timeout.Limit)
	inner, cancel := t.Timeout.Begin(ctx, s.run, t.Timeout.Limit, late)
	defer cancel()
	s.dispatch(inner, c, t, o)
	if o.err != nil && context.Cause(inner) == late && ctx.Err() == nil {
		o.err = late
	}
}

// dispatch calls the tool t of the spec, or, if it is nil, one that was injected.
func (s *session) dispatch(ctx context.Context, c *chat.ToolCall, t *Tool, o *outcome) {
	defer o.caught(s.run)
	if t != nil {
		o.result, o.err = s.caller.CallTool(ctx, c)
		o.err = errtree.Sound(o.err)
		return
	}
	for _, t := range s.injected {
		if t.name == c.Name {
			o.result, o.err = t.tool.Call(ctx, c.Arguments)
			o.err = errtree.Sound(o.err)
			return
		}
	}
	o.err = &chat.ToolError{Kind: chat.UnknownTool, Name: c.Name, Known: s.names()}
}

func (s *session) names() []string {
	var names []string
	for i := range s.node.Tools {
		names = append(names, s.node.Tools[i].Name)
	}
	for _, t := range s.injected {
		names = append(names, t.name)
	}
	return names
}

// start reports that the call of a number in its turn is made, unless another process has made it.
func (s *session) start(c *chat.ToolCall, number int, o *outcome) {
	if t := s.run.Thread(); t != nil {
		o.saved = t.SavedTool(s.run, number)
	}
	if !o.saved {
		s.emitStart(c)
	}
}

// emitStart reports that a call begins.
func (s *session) emitStart(c *chat.ToolCall) {
	if s.run.Settings().Observed() {
		s.emit(graphgen.ToolStart, nil, &graphgen.ToolEvent{Name: c.Name, ID: c.ID, By: s.by, Arguments: c.Arguments})
	}
}

// end counts a call, and keeps what the tool t gave if it is pure.
func (s *session) end(c *chat.ToolCall, t *Tool, o *outcome, again bool) {
	switch {
	case again:
		s.count.Deduplicated++
	case o.err != nil:
		s.count.Made++
		s.count.Failed++
		s.took += o.took
	default:
		s.count.Made++
		s.took += o.took
		if key, ok := s.pureKey(c, t); ok {
			if s.conversation.pure == nil {
				s.conversation.pure = map[string]chat.ToolResult{}
			}
			s.conversation.pure[key] = o.result
		}
	}
	if s.run.Settings().Observed() && !o.saved {
		s.emit(graphgen.ToolEnd, o.err, &graphgen.ToolEvent{
			Name: c.Name, ID: c.ID, By: s.by, Arguments: c.Arguments, Result: o.result.Text, Latency: o.took, Again: again,
		})
	}
}

// emit reports the start or the end of a call.
func (s *session) emit(kind graphgen.EventKind, err error, t *graphgen.ToolEvent) {
	s.run.Agent().Emit(graphgen.Event{Kind: kind, Err: err, Details: origin.Details{More: t}})
}

// errNoReturn is the end of a tool that has ended its goroutine, as a test's FailNow does.
var errNoReturn = errors.New("the tool ended without an answer")

// caught makes a panic of a tool the error of its call. It is deferred.
func (o *outcome) caught(run *engine.Run) {
	if v := recover(); v != nil {
		o.panicked(run, v)
	}
}

// panicked makes what a tool has panicked with the error of its call.
func (o *outcome) panicked(run *engine.Run, v any) {
	var err error
	run.Graph().Caught(v, &err)
	o.err = &chat.ToolError{Kind: chat.ToolPanicked, Err: err}
}

// appendTo appends the message with the outcome of a call for the model.
func (o *outcome) appendTo(messages []chat.Message, c *chat.ToolCall) []chat.Message {
	messages = append(messages, chat.Message{})
	m := &messages[len(messages)-1]
	if m.Role, m.Call, m.Name = chat.RoleTool, c.ID, c.Name; o.err != nil {
		m.Text, m.Failed = o.err.Error(), true
	} else {
		m.Text, m.Media = o.result.Text, o.result.Media
	}
	return messages
}

type final = interface {
	error
	Fatal() bool
}

// fatal returns the failure of the node if err, of a call, must not be sent to the model, else nil. A call that failed
// when its context had ended has no result.
func fatal(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var f final
	if errtree.As(err, &f, func(err error) (ok bool) { f, ok = err.(final); return ok }) && f.Fatal() {
		return err
	}
	if engine.IsOverBudget(err) {
		return err
	}
	return nil
}
