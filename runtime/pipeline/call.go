package pipeline

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/graphgen/graphgen"
	"github.com/graphgen/graphgen/chat"
	"github.com/graphgen/graphgen/internal/errtree"
	"github.com/graphgen/graphgen/internal/origin"
	"github.com/graphgen/graphgen/runtime/engine"
)

// A session runs the calls of one turn.
type session struct {
	run          *engine.Run
	conversation *Conversation
	node         *Node
	injected     []offered
	caller       Caller
	count        graphgen.ToolCount
	saved        int           // calls of count whose results are saved
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

func (s *session) tool(name string) *Tool {
	for i := range s.node.Tools {
		if s.node.Tools[i].Name == name {
			return &s.node.Tools[i]
		}
	}
	return nil
}

// call makes one call of the tool t, nil if the spec does not have it, through the tool wrappers of this run, with the
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

// An answeredCall is a call that waited for an answer, as it is made.
type answeredCall struct {
	chat.ToolCall
	held *engine.HeldCall
}

// waits reports whether calls of a tool, t if the spec has it, wait for an answer: a person approves them, or the caller of the machine makes
// them.
func (s *session) waits(tool string, t *Tool) bool {
	return t != nil && (t.Approve || t.Client) || names(s.node.Approve, tool)
}

// names reports whether a list names the tool, as spec.NamesTool does.
func names(list []string, tool string) bool {
	for _, name := range list {
		if begin, open := strings.CutSuffix(name, "*"); name == tool || open && strings.HasPrefix(tool, begin) {
			return true
		}
	}
	return false
}

// answerOf returns the answer about a call, nil if there is none: a wrapper of tools may have changed the call.
func (s *session) answerOf(c *chat.ToolCall) *answeredCall {
	answered := s.answered[c.ID]
	if answered == nil || answered.Name != c.Name || answered.Arguments != c.Arguments {
		return nil
	}
	return answered
}

// unanswered returns the error of a call of t that waits for an answer, and is not one of those that have one.
func unanswered(t *Tool) error {
	if t != nil && t.Client {
		return &chat.ToolError{Kind: chat.ClientFailed, Text: "what is called is not what was answered"}
	}
	return &chat.ToolError{Kind: chat.CallDenied, Text: "what is called is not what was approved"}
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
	if o.saved = s.isSaved(number); !o.saved {
		s.emitStart(c)
	}
}

// isSaved reports whether another process has made the call of a number in its turn.
func (s *session) isSaved(number int) bool {
	t := s.run.Thread()
	return t != nil && t.SavedTool(s.run, number)
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
	if o.saved && !again {
		s.saved++
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

// pureKey returns what is the same in calls that have the same result, and whether there can be such
// calls: of a pure tool. What the tool reads is a part of it.
func (s *session) pureKey(c *chat.ToolCall, t *Tool) (key string, ok bool) {
	if t == nil || !t.Pure {
		return "", false
	}
	return s.key(c)
}

func (s *session) key(c *chat.ToolCall) (key string, ok bool) {
	if k, reads := s.caller.(Keyer); reads {
		if key, ok = k.ToolKey(c.Name); !ok {
			return "", false
		}
	}
	return c.Name + "\x00" + c.Arguments + "\x00" + key, true
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
